//! The files of file properties, in chunks: bytes stand in the database, so that every node has them and a backup, too.

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

/// A file, complete or not.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct FileRow {
    pub(crate) id: String,
    pub(crate) property_id: i64,
    pub(crate) user_uuid: String,
    /// A JSON object.
    pub(crate) metadata: Option<String>,
    pub(crate) secret: String,
    /// Bytes, once all of them are there.
    pub(crate) size: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) closed_at: Option<i64>,
    pub(crate) fetched_at: Option<i64>,
}

const COLUMNS: &str = "id, property_id, user_uuid, metadata, secret, size, created_at, closed_at, fetched_at";

pub(crate) async fn insert(db: &Db, file: &FileRow) -> Result<()> {
    db.execute(
        "insert into file (id, property_id, user_uuid, metadata, secret, created_at) values ($1, $2, $3, $4, $5, $6)",
        params![&file.id, file.property_id, &file.user_uuid, file.metadata.as_ref(), &file.secret, file.created_at],
    )
    .await?;
    Ok(())
}

pub(crate) async fn find(db: &Db, id: &str) -> Result<Option<FileRow>> {
    let sql = format!("select {COLUMNS} from file where id = $1");
    db.fetch_optional(AssertSqlSafe(sql), params![id]).await
}

/// The files with these ids.
pub(crate) async fn find_all(db: &Db, ids: &[String]) -> Result<Vec<FileRow>> {
    let mut files = Vec::with_capacity(ids.len());
    for run in key_runs(ids) {
        let names = placeholders(db.dialect(), run.len());
        let sql = format!("select {COLUMNS} from file where id in ({names})");
        files.extend(
            db.fetch_all::<FileRow>(AssertSqlSafe(sql), run.iter().fold(Params::default(), Params::with)).await?,
        );
    }
    Ok(files)
}

/// Begins to write the file's bytes, in place of any upload that has not ended. Returns whether there is such a file without
/// bytes.
pub(crate) async fn begin_upload(db: &Db, id: &str, upload: &str) -> Result<bool> {
    let mut tx = db.begin().await?;
    let begun = tx.execute("update file set upload = $2 where id = $1 and size is null", params![id, upload]).await?;
    tx.execute(
        "delete from file_chunk where file_id = $1 and exists (select 1 from file where id = $1 and size is null)",
        params![id],
    )
    .await?;
    tx.commit().await?;
    Ok(begun == 1)
}

/// Appends bytes. Returns whether the upload is still the one that writes.
pub(crate) async fn append(db: &Db, id: &str, upload: &str, number: i64, bytes: Vec<u8>) -> Result<bool> {
    let mut tx = db.begin().await?;
    // The file's row is held, so that a newer upload deletes this chunk or keeps it out.
    let sql = format!("select id from file where id = $1 and upload = $2 and size is null{}", tx.for_update());
    let ours: Option<(String,)> = tx.fetch_optional(AssertSqlSafe(sql), params![id, upload]).await?;
    if ours.is_some() {
        let insert = "insert into file_chunk (file_id, number, bytes) values ($1, $2, $3)";
        tx.execute(insert, params![id, number, bytes]).await?;
    }
    tx.commit().await?;
    Ok(ours.is_some())
}

/// Notes that all bytes are there. Returns whether the upload is still the one that writes.
pub(crate) async fn end_upload(db: &Db, id: &str, upload: &str, size: i64) -> Result<bool> {
    let sql = "update file set size = $3 where id = $1 and upload = $2 and size is null";
    Ok(db.execute(sql, params![id, upload, size]).await? == 1)
}

/// Notes that the file is complete. Returns whether it just became so.
pub(crate) async fn close(tx: &mut Tx, id: &str, now: Timestamp) -> Result<bool> {
    let sql = "update file set closed_at = $2 where id = $1 and size is not null and closed_at is null";
    Ok(tx.execute(sql, params![id, now]).await? == 1)
}

/// Notes that somebody has the file.
pub(crate) async fn record_download(db: &Db, id: &str, now: Timestamp) -> Result<()> {
    db.execute("update file set fetched_at = $2 where id = $1", params![id, now]).await?;
    Ok(())
}

/// The bytes of a chunk, from 0.
pub(crate) async fn chunk(db: &Db, id: &str, number: i64) -> Result<Option<Vec<u8>>> {
    let sql = "select bytes from file_chunk where file_id = $1 and number = $2";
    Ok(db.fetch_optional::<(Vec<u8>,)>(sql, params![id, number]).await?.map(|(bytes,)| bytes))
}

/// Deletes files that were made before `until` and never became complete, with what was uploaded of them.
pub(crate) async fn clear(db: &Db, until: Timestamp) -> Result<()> {
    db.execute("delete from file where closed_at is null and created_at < $1", params![until]).await?;
    Ok(())
}

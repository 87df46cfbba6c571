//! Files of file properties. Their chunks are stored in the database, so that every node and every backup has them.

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

/// A file, closed or not.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct FileRow {
    pub(crate) id: String,
    pub(crate) property_id: i64,
    pub(crate) user_uuid: String,
    /// A JSON object.
    pub(crate) metadata: Option<String>,
    pub(crate) secret: String,
    /// Size in bytes, once uploaded.
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

/// Starts an upload and discards an unfinished one. Returns whether the file exists and has no bytes yet.
pub(crate) async fn begin_upload(db: &Db, id: &str, upload: &str) -> Result<bool> {
    let begin_upload = async |mut tx: Tx| -> Result<_> {
        let begun =
            tx.execute("update file set upload = $2 where id = $1 and size is null", params![id, upload]).await?;
        tx.execute(
            "delete from file_chunk where file_id = $1 and exists (select 1 from file where id = $1 and size is null)",
            params![id],
        )
        .await?;
        tx.commit().await?;
        Ok(begun)
    };
    let begun = db.write(begin_upload).await?;
    Ok(begun == 1)
}

/// Appends a chunk. Returns whether this upload is still current.
pub(crate) async fn append(db: &Db, id: &str, upload: &str, number: i64, bytes: Vec<u8>) -> Result<bool> {
    let mut tx = db.begin().await?;
    // Locks the file's row, so that a newer upload either deletes this chunk or prevents it.
    let sql = format!("select id from file where id = $1 and upload = $2 and size is null{}", tx.for_update());
    let ours: Option<(String,)> = tx.fetch_optional(AssertSqlSafe(sql), params![id, upload]).await?;
    if ours.is_some() {
        let insert = "insert into file_chunk (file_id, number, bytes) values ($1, $2, $3)";
        tx.execute(insert, params![id, number, bytes]).await?;
    }
    tx.commit().await?;
    Ok(ours.is_some())
}

/// Completes an upload. Returns whether it was still current.
pub(crate) async fn end_upload(db: &Db, id: &str, upload: &str, size: i64) -> Result<bool> {
    let sql = "update file set size = $3 where id = $1 and upload = $2 and size is null";
    Ok(db.execute(sql, params![id, upload, size]).await? == 1)
}

/// Closes the file. Returns whether it was open.
pub(crate) async fn close(tx: &mut Tx, id: &str, now: Timestamp) -> Result<bool> {
    let sql = "update file set closed_at = $2 where id = $1 and size is not null and closed_at is null";
    Ok(tx.execute(sql, params![id, now]).await? == 1)
}

/// Records that the file was downloaded.
pub(crate) async fn record_download(db: &Db, id: &str, now: Timestamp) -> Result<()> {
    db.execute("update file set fetched_at = $2 where id = $1", params![id, now]).await?;
    Ok(())
}

/// A chunk by its number, from 0.
pub(crate) async fn chunk(db: &Db, id: &str, number: i64) -> Result<Option<Vec<u8>>> {
    let sql = "select bytes from file_chunk where file_id = $1 and number = $2";
    Ok(db.fetch_optional::<(Vec<u8>,)>(sql, params![id, number]).await?.map(|(bytes,)| bytes))
}

/// Deletes files created before `until` that were never closed, with their chunks.
pub(crate) async fn clear(db: &Db, until: Timestamp) -> Result<()> {
    db.execute("delete from file where closed_at is null and created_at < $1", params![until]).await?;
    Ok(())
}

//! The `attention_comments` table.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use platform::run::random::instant_of;
use sqlx_macros::FromRow;
use uuid::Uuid;

use super::item_list::{ItemPerson, person};

/// A comment as stored.
#[derive(Clone, Debug)]
pub(super) struct StoredComment {
    pub(super) id: Uuid,
    pub(super) at: Timestamp,
    pub(super) author: ItemPerson,
    pub(super) text: String,
}

#[derive(FromRow)]
struct CommentRow {
    id: String,
    user_id: String,
    firstname: Option<String>,
    lastname: Option<String>,
    csp: Option<String>,
    text: String,
}

/// The comments on an item, oldest first. Does not check permissions; the caller must.
pub(super) async fn of_item(db: &Db, item: Uuid) -> Result<Vec<StoredComment>> {
    let sql = "select c.id, c.user_id, u.firstname, u.lastname, u.csp, c.text \
               from attention_comments c left join idx_users u on u.id = c.user_id where c.item_id = $1 order by c.id";
    let rows: Vec<CommentRow> = db.fetch_all(sql, params![item]).await?;
    let comments = rows.into_iter().filter_map(|row| {
        Some(StoredComment {
            at: instant_of(&row.id)?,
            id: row.id.parse().ok()?,
            author: person(Some(row.user_id), row.firstname, row.lastname, row.csp)?,
            text: row.text,
        })
    });
    Ok(comments.collect())
}

pub(super) async fn add(tx: &mut Tx, id: Uuid, item: Uuid, user: Uuid, text: &str) -> Result<()> {
    let sql = "insert into attention_comments (id, item_id, user_id, text) values ($1, $2, $3, $4)";
    tx.execute(sql, params![id, item, user, text]).await?;
    Ok(())
}

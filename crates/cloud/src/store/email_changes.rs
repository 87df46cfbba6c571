//! Changes of users' addresses. Callers lock the user's row first.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx, params};

use super::users::folded;
use crate::domain::secret::digest;

/// How long the links of a change are valid. The owner of the old address may be on holiday.
pub(super) const LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A change to insert. The tokens are stored as digests.
pub(crate) struct NewEmailChange<'a> {
    pub(crate) user_id: i64,
    pub(crate) old_email: &'a str,
    pub(crate) new_email: &'a str,
    /// `None` if the change needs no confirmation.
    pub(crate) confirmation_token: Option<&'a str>,
    pub(crate) cancellation_token: &'a str,
}

/// A stored change.
#[derive(sqlx_macros::FromRow)]
pub(crate) struct EmailChangeRow {
    pub(crate) id: i64,
    pub(crate) user_id: i64,
    pub(crate) old_email: String,
    pub(crate) new_email: String,
}

/// Inserts a change, which replaces unconfirmed ones.
pub(crate) async fn insert(tx: &mut Tx, new: &NewEmailChange<'_>, now: Timestamp) -> Result<()> {
    revoke_confirmations(tx, new.user_id).await?;
    tx.execute(
        "insert into email_change (user_id, old_email, new_email, confirmation_hash, cancellation_hash, expires_at)
         values ($1, $2, $3, $4, $5, $6)",
        params![
            new.user_id,
            new.old_email,
            folded(new.new_email),
            new.confirmation_token.map(digest),
            digest(new.cancellation_token),
            now + LIFETIME,
        ],
    )
    .await?;
    Ok(())
}

/// The user whose change this token confirms.
pub(crate) async fn user_to_confirm(db: &Db, token: &str, now: Timestamp) -> Result<Option<i64>> {
    let sql = "select user_id from email_change where confirmation_hash = $1 and expires_at > $2";
    let row: Option<(i64,)> = db.fetch_optional(sql, params![digest(token), now]).await?;
    Ok(row.map(|(user_id,)| user_id))
}

/// The change that this token confirms.
pub(crate) async fn to_confirm(tx: &mut Tx, token: &str, now: Timestamp) -> Result<Option<EmailChangeRow>> {
    let sql = "select id, user_id, old_email, new_email from email_change
               where confirmation_hash = $1 and expires_at > $2";
    tx.fetch_optional(sql, params![digest(token), now]).await
}

/// The change that this token cancels.
pub(crate) async fn to_cancel(tx: &mut Tx, token: &str, now: Timestamp) -> Result<Option<EmailChangeRow>> {
    let sql = "select id, user_id, old_email, new_email from email_change
               where cancellation_hash = $1 and expires_at > $2";
    tx.fetch_optional(sql, params![digest(token), now]).await
}

/// Makes the unconfirmed changes of a user impossible to confirm. They can still be cancelled.
pub(crate) async fn revoke_confirmations(tx: &mut Tx, user_id: i64) -> Result<()> {
    let sql = "update email_change set confirmation_hash = null where user_id = $1 and confirmation_hash is not null";
    tx.execute(sql, params![user_id]).await?;
    Ok(())
}

/// Deletes a change and the user's later ones.
pub(crate) async fn delete_since(tx: &mut Tx, change: &EmailChangeRow) -> Result<()> {
    let sql = "delete from email_change where user_id = $1 and id >= $2";
    tx.execute(sql, params![change.user_id, change.id]).await?;
    Ok(())
}

/// Deletes expired changes.
pub(crate) async fn clear(db: &Db, now: Timestamp) -> Result<()> {
    db.execute("delete from email_change where expires_at <= $1", params![now]).await?;
    Ok(())
}

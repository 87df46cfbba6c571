//! The tokens in the links of mails: good once, for a time, for one purpose, and kept as digests.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx, params};
use platform::random::Random;

use crate::domain::secret::digest;

/// What a token lets its bearer do, without signing in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Confirm that the address is theirs.
    Confirmation,
    /// Choose a new password.
    PasswordReset,
}

impl Purpose {
    /// A reset is good for six hours (wire-facts section 2). A confirmation lets nobody in without the password, and whom it
    /// invites may be on holiday: a week.
    fn lifetime(self) -> SignedDuration {
        match self {
            Self::Confirmation => SignedDuration::from_hours(7 * 24),
            Self::PasswordReset => SignedDuration::from_hours(6),
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::PasswordReset => "password_reset",
        }
    }
}

/// A new token of a user. The one that was open for this purpose is good no more.
pub(crate) async fn issue(
    tx: &mut Tx,
    random: &Random,
    user_id: i64,
    purpose: Purpose,
    now: Timestamp,
) -> Result<String> {
    let token = random.hex(16);
    tx.execute(
        "insert into user_token (user_id, purpose, hash, expires_at) values ($1, $2, $3, $4)
         on conflict (user_id, purpose) do update set hash = excluded.hash, expires_at = excluded.expires_at",
        params![user_id, purpose.as_str(), digest(&token), now + purpose.lifetime()],
    )
    .await?;
    Ok(token)
}

/// RoleUsage a token up, in the transaction that does what it is good for. Returns whose it is; `None` when it is unknown, used,
/// replaced, too old, or for something else.
pub(crate) async fn redeem(tx: &mut Tx, token: &str, purpose: Purpose, now: Timestamp) -> Result<Option<i64>> {
    let row: Option<(i64,)> = tx
        .fetch_optional(
            "delete from user_token where hash = $1 and purpose = $2 and expires_at > $3 returning user_id",
            params![digest(token), purpose.as_str(), now],
        )
        .await?;
    Ok(row.map(|(user_id,)| user_id))
}

/// Forgets the open tokens of a user.
pub(crate) async fn revoke(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute("delete from user_token where user_id = $1", params![user_id]).await?;
    Ok(())
}

/// Forgets the tokens that are too old.
pub(crate) async fn clear(db: &Db, now: Timestamp) -> Result<()> {
    db.execute("delete from user_token where expires_at <= $1", params![now]).await?;
    Ok(())
}

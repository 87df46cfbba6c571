//! Tokens in the links of mails: single-use, limited in time and to one purpose, stored as digests.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx, params};
use platform::random::Random;

use crate::domain::secret::digest;

pub(super) const LONGEST_LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

/// What a token allows without signing in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Confirm the address.
    Confirmation,
    /// Set a new password.
    PasswordReset,
}

impl Purpose {
    /// A reset token is valid for six hours (docs/wire.md#users). A confirmation token is valid for a week: it does not
    /// replace the password, and an invited user may be on holiday.
    fn lifetime(self) -> SignedDuration {
        match self {
            Self::Confirmation => LONGEST_LIFETIME,
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

/// Issues a token and invalidates the user's previous one for this purpose.
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
         on conflict (user_id, purpose)
         do update set hash = excluded.hash, expires_at = excluded.expires_at, redeemed_at = null",
        params![user_id, purpose.as_str(), digest(&token), now + purpose.lifetime()],
    )
    .await?;
    Ok(token)
}

/// Whether a token can be redeemed.
pub(crate) async fn is_valid(db: &Db, token: &str, purpose: Purpose, now: Timestamp) -> Result<bool> {
    let sql = "select user_id from user_token
               where hash = $1 and purpose = $2 and expires_at > $3 and redeemed_at is null";
    let row: Option<(i64,)> = db.fetch_optional(sql, params![digest(token), purpose.as_str(), now]).await?;
    Ok(row.is_some())
}

/// Redeems a token in the transaction of its effect. Returns its user; `None` if it is unknown, used, replaced, expired
/// or for another purpose. A confirmation is remembered for [`has_confirmed`].
pub(crate) async fn redeem(tx: &mut Tx, token: &str, purpose: Purpose, now: Timestamp) -> Result<Option<i64>> {
    let sql = match purpose {
        Purpose::Confirmation => {
            "update user_token set redeemed_at = $3
             where hash = $1 and purpose = $2 and expires_at > $3 and redeemed_at is null returning user_id"
        }
        Purpose::PasswordReset => {
            "delete from user_token where hash = $1 and purpose = $2 and expires_at > $3 returning user_id"
        }
    };
    let row: Option<(i64,)> = tx.fetch_optional(sql, params![digest(token), purpose.as_str(), now]).await?;
    Ok(row.map(|(user_id,)| user_id))
}

/// Whether a user confirmed their account with this token.
pub(crate) async fn has_confirmed(db: &Db, token: &str) -> Result<bool> {
    let sql = "select user_id from user_token where hash = $1 and purpose = $2 and redeemed_at is not null";
    let row: Option<(i64,)> = db.fetch_optional(sql, params![digest(token), Purpose::Confirmation.as_str()]).await?;
    Ok(row.is_some())
}

/// Deletes the open tokens of a user.
pub(crate) async fn revoke(tx: &mut Tx, user_id: i64) -> Result<()> {
    tx.execute("delete from user_token where user_id = $1 and redeemed_at is null", params![user_id]).await?;
    Ok(())
}

/// Deletes expired tokens that were not redeemed.
pub(crate) async fn clear(db: &Db, now: Timestamp) -> Result<()> {
    db.execute("delete from user_token where expires_at <= $1 and redeemed_at is null", params![now]).await?;
    Ok(())
}

//! Tokens in the links of mails: single-use, limited in time and to one purpose, stored as digests.

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx, params};
use platform::run::random::Random;

use crate::domain::secret::digest;

pub(super) const LONGEST_LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long the token that has confirmed an account can set its first password.
const FIRST_PASSWORD: SignedDuration = SignedDuration::from_hours(1);

/// What a token allows without signing in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Confirm the address.
    Confirmation,
    /// Set a new password.
    PasswordReset,
}

impl Purpose {
    /// A reset token is valid for six hours (docs/wire.md#users). A confirmation token is valid for a week: nobody has signed in to
    /// the account yet, and an invited user may be on holiday.
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

/// The confirmation tokens that can set the first password of their account: until it is confirmed otherwise, and for a while after
/// they have confirmed it. `$3` is when that while begins.
macro_rules! sets_first_password {
    () => {
        "purpose = 'confirmation' and (redeemed_at >= $3
         or redeemed_at is null and user_id in (select id from users where confirmed_at is null))"
    };
}

/// Whether [`redeem_for_password`] accepts a token.
pub(crate) async fn may_set_password(db: &Db, token: &str, now: Timestamp) -> Result<bool> {
    let sql = concat!(
        "select user_id from user_token where hash = $1 and expires_at > $2 and (purpose = 'password_reset' or ",
        sets_first_password!(),
        ")"
    );
    let row: Option<(i64,)> = db.fetch_optional(sql, params![digest(token), now, now - FIRST_PASSWORD]).await?;
    Ok(row.is_some())
}

/// Redeems a token in the transaction that sets a password: a reset token, or the confirmation token of an invitation. Returns its
/// user.
pub(crate) async fn redeem_for_password(tx: &mut Tx, token: &str, now: Timestamp) -> Result<Option<i64>> {
    if let Some(user_id) = redeem(tx, token, Purpose::PasswordReset, now).await? {
        return Ok(Some(user_id));
    }
    // The row stays for [`has_confirmed`]: a password that is set by mail confirms the address, too.
    let sql = concat!(
        "update user_token set expires_at = $2, redeemed_at = coalesce(redeemed_at, $2)
         where hash = $1 and expires_at > $2 and ",
        sets_first_password!(),
        " returning user_id"
    );
    let row: Option<(i64,)> = tx.fetch_optional(sql, params![digest(token), now, now - FIRST_PASSWORD]).await?;
    Ok(row.map(|(user_id,)| user_id))
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

/// Deletes the open tokens of a user, and ends the first password of a confirmation.
pub(crate) async fn revoke(tx: &mut Tx, user_id: i64, now: Timestamp) -> Result<()> {
    tx.execute("delete from user_token where user_id = $1 and redeemed_at is null", params![user_id]).await?;
    end_first_password(tx, user_id, now).await
}

/// Ends that the token of a confirmation can set a password, because another one was set.
pub(crate) async fn end_first_password(tx: &mut Tx, user_id: i64, now: Timestamp) -> Result<()> {
    let sql =
        "update user_token set expires_at = $2 where user_id = $1 and redeemed_at is not null and expires_at > $2";
    tx.execute(sql, params![user_id, now]).await?;
    Ok(())
}

/// Deletes expired tokens that were not redeemed.
pub(crate) async fn clear(db: &Db, now: Timestamp) -> Result<()> {
    db.execute("delete from user_token where expires_at <= $1 and redeemed_at is null", params![now]).await?;
    Ok(())
}

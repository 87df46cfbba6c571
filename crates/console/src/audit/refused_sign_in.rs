//! Records refused sign-ins. One entry stands for those of an hour, an account, a network and a reason, and the number of entries
//! of an hour is limited, so that nobody can fill the audit.

use std::net::IpAddr;

use jiff::Timestamp;
use platform::db::{Db, Result};
use platform::run::rate_limit::network;
use uuid::Uuid;

use super::store::{self, Author};
use super::{AuditTarget, Change, Operation};
use crate::base::Base;
use crate::sessions::session::ClientOrigin;

/// Further sign-ins of the hour share one entry.
const MAX_ENTRIES_PER_HOUR: u64 = 1000;
const SECONDS_PER_HOUR: i64 = 3600;

/// A sign-in that the cloud or the console refused. What was typed is not part of it: it may be a password, or somebody's private address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefusedSignIn {
    /// The user with the typed address, if there is one.
    pub(crate) account: Option<Uuid>,
    /// Where the request came from.
    pub(crate) address: IpAddr,
    pub(crate) reason: SignInRefusal,
}

/// Why a sign-in was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignInRefusal {
    /// Or an unknown account.
    WrongPassword,
    /// The cloud refused because of too many wrong passwords before.
    AccountLocked,
    /// The password was right, and the account is disabled.
    AccountDisabled,
    /// The password was right, and the second factor was not.
    WrongFactor,
}

/// Records a refused sign-in. It takes as long for a known account as for an unknown one. A failure is only logged, because the
/// sign-in is refused anyway.
pub(crate) async fn record_refused_sign_in(base: &Base, origin: &ClientOrigin, refused: &RefusedSignIn) {
    let now = base.clock.now();
    let id = base.random.uuid_at(now).to_string();
    if let Err(error) = record(&base.db, &id, origin, refused, now, MAX_ENTRIES_PER_HOUR).await
        && !error.is_unavailable()
    {
        tracing::warn!(%error, "a refused sign-in could not be recorded");
    }
}

pub(super) async fn record(
    db: &Db,
    id: &str,
    origin: &ClientOrigin,
    refused: &RefusedSignIn,
    now: Timestamp,
    max_entries: u64,
) -> Result<()> {
    let code = match refused.reason {
        SignInRefusal::WrongPassword => "sign_in_failed",
        SignInRefusal::AccountLocked => "account_locked",
        SignInRefusal::AccountDisabled => "account_disabled",
        SignInRefusal::WrongFactor => "second_factor_failed",
    };
    let hour = now.as_second().div_euclid(SECONDS_PER_HOUR);
    let account = refused.account.map(|account| account.to_string()).unwrap_or_default();
    let key = format!("{hour}:{code}:{account}:{}", network(refused.address));
    if store::add_occurrence(db, &key, now).await? {
        return Ok(());
    }
    let is_full = store::count_merged(db, &format!("{hour}:"), &format!("{hour};")).await? >= max_entries;
    let target = match refused.account {
        Some(account) if !is_full => AuditTarget::user(account, None),
        _ => AuditTarget::new_user(None),
    };
    let (key, author) = if is_full {
        (format!("{hour}:{code}"), Author::anonymous(&ClientOrigin::default()))
    } else {
        (key, Author::anonymous(origin))
    };
    let change = Change { operation: Operation::CreateSession, target, fields: Vec::new() };
    store::add_merged(db, id, &key, &author, &change, code, now).await
}

//! One request that writes a record at a time, on all nodes: no other one writes between the read that a form is checked
//! against and the form's writes at the cloud. The reader of single devices stores levels under the same lock. Jobs and other
//! applications do not wait for it.

use std::convert::Infallible;
use std::time::Duration;

use platform::nodes::lease::Lease;
use uuid::Uuid;

use crate::base::Base;
use crate::http::error::{ApiError, ApiResult};

/// How long a write waits for the one before it: less than the time limit of a response.
const MAX_WAIT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Well below the lifetime of a lease.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(3);

/// A record at the cloud, or one of the console that is checked before it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LockedRecord<'a> {
    /// A device, by its dsn.
    Device(&'a str),
    User(Uuid),
    /// The thresholds of a CSP, by its name; empty for the devices without a CSP.
    AttentionSettings(&'a str),
    /// The catalogue of fragrances.
    Fragrances,
}

impl LockedRecord<'_> {
    fn lease_name(self) -> String {
        match self {
            Self::Device(dsn) => format!("device {dsn}"),
            Self::User(id) => format!("user {id}"),
            Self::AttentionSettings(csp) => format!("attention settings {csp}"),
            Self::Fragrances => "fragrances".to_owned(),
        }
    }
}

/// Runs `write` while no other write of the record runs. It must not lock another record.
///
/// # Errors
/// 409 if the write before takes too long; errors of `write` and of the database.
pub(crate) async fn locked<T>(
    base: &Base,
    record: LockedRecord<'_>,
    write: impl Future<Output = ApiResult<T>>,
) -> ApiResult<T> {
    let lease = Lease::new(base.db.clone(), base.clock.clone(), record.lease_name(), base.random.hex(8));
    let acquired = tokio::time::timeout(MAX_WAIT, acquire(&lease)).await;
    acquired.map_err(|_| ApiError::Conflict("Somebody else is saving this at the moment. Try again.".to_owned()))??;
    let written = tokio::select! {
        written = write => written,
        never = renew_forever(&lease) => match never {},
    };
    if let Err(error) = lease.release().await
        && !error.is_unavailable()
    {
        tracing::warn!(%error, "the lock of a record could not be released; it expires");
    }
    written
}

async fn acquire(lease: &Lease) -> platform::db::Result<()> {
    while !lease.take().await? {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

async fn renew_forever(lease: &Lease) -> Infallible {
    loop {
        tokio::time::sleep(RENEWAL_INTERVAL).await;
        match lease.renew().await {
            Ok(true) => {}
            Ok(false) => {
                tracing::warn!("the lock of a record expired during a write; another write may run beside it");
                std::future::pending::<()>().await;
            }
            Err(error) if error.is_unavailable() => {}
            Err(error) => tracing::warn!(%error, "the lock of a record could not be renewed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use platform::bus::Bus;
    use platform::db::Db;
    use platform::run::clock::Clock;
    use platform::run::random::Random;

    use super::*;

    fn base(db: &Db) -> Base {
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        Base { db: db.clone(), bus: Bus::in_process(), clock, random: Random::system() }
    }

    /// Writes with as many statements as `steps`, during which others could begin.
    async fn write(base: &Base, steps: usize, log: &Mutex<Vec<&str>>, name: &'static str) -> ApiResult<()> {
        log.lock().unwrap().push(name);
        for _ in 0..steps {
            base.db.ping().await?;
        }
        log.lock().unwrap().push(name);
        Ok(())
    }

    async fn writes_of_one_record_follow_each_other_on_all_nodes(db: Db) {
        let (one, other, log) = (base(&db), base(&db), Mutex::new(Vec::new()));
        let device = LockedRecord::Device("SC1");
        let writes = (
            locked(&one, device, write(&one, 50, &log, "one")),
            locked(&other, device, write(&other, 50, &log, "other")),
        );
        let (first, second) = tokio::join!(writes.0, writes.1);
        first.and(second).unwrap();
        let log = log.lock().unwrap().clone();
        assert!(log == ["one", "one", "other", "other"] || log == ["other", "other", "one", "one"], "{log:?}");
    }

    async fn writes_of_different_records_do_not_wait(db: Db) {
        let base = base(&db);
        let user = LockedRecord::User(Uuid::nil());
        let both = locked(
            &base,
            LockedRecord::Device("SC1"),
            locked(&base, LockedRecord::Device("SC2"), async { locked(&base, user, async { Ok(7) }).await }),
        );
        assert_eq!(both.await.unwrap(), 7);
    }

    async fn failed_write_unlocks_its_record(db: Db) {
        let base = base(&db);
        let device = LockedRecord::Device("SC1");
        let failed = locked(&base, device, async { Err::<(), _>(ApiError::NotFound) }).await;
        assert!(matches!(failed, Err(ApiError::NotFound)));
        assert_eq!(locked(&base, device, async { Ok(7) }).await.unwrap(), 7);
    }

    async fn lock_of_a_node_that_died_expires(db: Db) {
        let base = base(&db);
        let dead =
            Lease::new(db.clone(), base.clock.clone(), LockedRecord::Device("SC1").lease_name(), "dead".to_owned());
        assert!(dead.take().await.unwrap());
        base.clock.advance(platform::nodes::lease::LIFETIME);
        assert_eq!(locked(&base, LockedRecord::Device("SC1"), async { Ok(7) }).await.unwrap(), 7);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            writes_of_one_record_follow_each_other_on_all_nodes,
            writes_of_different_records_do_not_wait,
            failed_write_unlocks_its_record,
            lock_of_a_node_that_died_expires,
        ]
    );
}

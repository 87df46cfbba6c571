//! The stored times that a clock ahead has left behind (`platform::nodes::clock_reading`).

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, params};
use platform::nodes::clock_reading::{SKEW, begin_correction, correct_times};
use platform::run::clock::from_micros;
use platform::run::random::first_uuid_at;

use super::{email_changes, schedules, sessions, user_tokens};

/// How many datapoints or schedules one statement corrects.
const BATCH: i64 = 1_000;
/// An earlier secret of an application is valid for so long at most.
const LONGEST_OVERLAP: SignedDuration = SignedDuration::from_hours(720);

/// Times of events, which are never in the future.
pub(super) const EVENTS: [(&str, &[&str]); 30] = [
    ("oem", &["created_at"]),
    ("application", &["created_at"]),
    ("users", &["confirmed_at", "failed_sign_in_at", "created_at", "updated_at"]),
    ("user_datum", &["created_at", "updated_at"]),
    ("contact", &["created_at", "updated_at"]),
    ("session", &["created_at"]),
    ("user_token", &["redeemed_at"]),
    ("unknown_sign_in", &["updated_at"]),
    ("template", &["created_at"]),
    ("device", &["registered_at", "activated_at", "blocked_at", "created_at", "updated_at"]),
    ("device_datum", &["created_at", "updated_at"]),
    ("claim", &["claimed_at"]),
    ("share", &["created_at", "updated_at"]),
    ("device_state", &["connected_at", "silent_since", "shared_identity_at", "revoked_at", "refused_at"]),
    ("device_fault", &["last_at", "logged_at"]),
    ("connection_change", &["at"]),
    ("cloud_node", &["started_at", "heartbeat_at", "dead_since"]),
    ("property", &["value_at", "reported_at"]),
    ("command", &["created_at", "acked_at"]),
    ("file", &["created_at", "closed_at", "fetched_at"]),
    ("subscription", &["created_at", "updated_at"]),
    ("notification", &["created_at", "updated_at"]),
    ("notification_app", &["created_at"]),
    ("property_trigger", &["triggered_at", "crossed_at", "created_at"]),
    ("trigger_app", &["told_at", "created_at"]),
    ("rule_action", &["created_at", "updated_at"]),
    ("rule", &["fired_since", "created_at", "updated_at"]),
    ("rule_event", &["created_at"]),
    ("outbox", &["created_at", "waiting_since", "delivered_at"]),
    ("message_gap", &["sent_at", "updated_at"]),
];

/// The lifetimes that other modules decide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lifetimes {
    pub(crate) token: SignedDuration,
    pub(crate) command: SignedDuration,
    /// Of the lock after wrong passwords.
    pub(crate) lock: SignedDuration,
    /// Of the claim of a node to a message or an event of a rule.
    pub(crate) claim: SignedDuration,
}

/// The newest heartbeat of the other nodes that are alive.
pub(crate) async fn newest_heartbeat(db: &Db, own_id: &str) -> Result<Option<Timestamp>> {
    let sql = "select max(heartbeat_at) from cloud_node where id <> $1 and dead_since is null";
    let (at,): (Option<i64>,) = db.fetch_one(sql, params![own_id]).await?;
    Ok(at.map(from_micros))
}

/// Sets the stored times that are ahead of `now` to the times that they would have if they had been written now. May be repeated.
///
/// # Errors
/// A database error; the next call begins again.
pub(crate) async fn correct(db: &Db, lifetimes: Lifetimes, now: Timestamp) -> Result<()> {
    // Moves with the time of the loss, which is corrected with it.
    let mut tx = begin_correction(db).await?;
    let losses = "update notification set due_at = due_at - (lost_at - $1), lost_at = $1 where lost_at > $1";
    tx.execute(losses, params![now]).await?;
    // Moves with the time at which it was written, which is corrected below.
    let held =
        "update message_gap set due_at = due_at - (updated_at - $1) where updated_at > $1 and due_at is not null";
    tx.execute(held, params![now]).await?;
    tx.commit().await?;
    correct_times(db, now, &EVENTS, &ends(lifetimes)).await?;
    datapoints(db, now).await?;
    let mut after = i64::MIN;
    while let Some(last) = correct_schedules(db, after, now).await? {
        after = last;
    }
    Ok(())
}

/// Times in the future, with the longest span between now and then.
pub(super) fn ends(
    Lifetimes { token, command, lock, claim }: Lifetimes,
) -> [(&'static str, &'static str, SignedDuration); 11] {
    [
        ("application", "earlier_secret_until", LONGEST_OVERLAP),
        ("users", "locked_until", lock),
        ("users", "lock_told_until", lock),
        ("unknown_sign_in", "locked_until", lock),
        ("session", "access_expires_at", token),
        ("refresh_token", "honoured_until", sessions::GRACE),
        ("user_token", "expires_at", user_tokens::LONGEST_LIFETIME),
        ("email_change", "expires_at", email_changes::LIFETIME),
        ("command", "expires_at", command),
        ("outbox", "due_at", claim),
        ("rule_event", "due_at", claim),
    ]
}

/// The ids of datapoints keep their times, because devices and clients know them; the next datapoints of a chain do not.
async fn datapoints(db: &Db, now: Timestamp) -> Result<()> {
    let mut after = first_uuid_at(now + SKEW).to_string();
    loop {
        let sql = "select id from datapoint where id > $1 order by id limit $2";
        let rows: Vec<(String,)> = db.fetch_all(sql, params![&after, BATCH]).await?;
        let Some((last,)) = rows.into_iter().next_back() else { return Ok(()) };
        let mut tx = begin_correction(db).await?;
        let sql = "update datapoint set created_at = $3 where id > $1 and id <= $2 and created_at > $3";
        tx.execute(sql, params![&after, &last, now]).await?;
        tx.commit().await?;
        after = last;
    }
}

/// Calculates when the next active schedules are due. Returns the last one, or `None` if there are no more.
async fn correct_schedules(db: &Db, after: i64, now: Timestamp) -> Result<Option<i64>> {
    let mut tx = begin_correction(db).await?;
    let last = schedules::update_due_after(&mut tx, after, BATCH, now).await?;
    tx.commit().await?;
    Ok(last)
}

//! The stored times that a clock ahead has left behind (`platform::nodes::clock_reading`). Without a correction they would keep leases and
//! claims, let nobody read rights again, and stop lists, samples and alarms until then.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};
use platform::nodes::clock_reading::{self, correct_times};
use platform::nodes::lease;

use crate::base::Base;
use crate::sessions::session::MAX_DAYS;

const INTERVAL: Duration = Duration::from_secs(60);
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// No claim, pause or ceremony lasts longer.
const LONGEST_CLAIM: SignedDuration = SignedDuration::from_mins(10);
/// No item is snoozed for longer.
const LONGEST_SNOOZE: SignedDuration = SignedDuration::from_hours(366 * 24);

/// Times that are not in the future, or in which something may as well happen now. Those of the cloud in the index are corrected there.
pub(crate) const EVENTS: [(&str, &[&str]); 21] = [
    ("sessions", &["access_read_at", "created_at", "seen_at"]),
    ("account_states", &["last_sign_in_at", "disabled_at"]),
    ("idempotency_keys", &["created_at"]),
    ("second_factors", &["totp_added_at", "attempts_since"]),
    ("passkeys", &["added_at", "last_used_at"]),
    ("audit", &["ended_at"]),
    ("mails", &["created_at"]),
    ("jobs", &["created_at", "ended_at"]),
    ("level_resets", &["undone_at"]),
    ("csps", &["created_at"]),
    ("last_import", &["imported_at"]),
    ("recomputed_levels", &["changed_at"]),
    ("idx_device_state", &["synced_at"]),
    ("idx_users", &["synced_at"]),
    ("idx_forecasts", &["filled_at"]),
    ("idx_sync", &["as_of", "users_as_of", "states_as_of"]),
    ("attention_devices", &["due_at"]),
    ("attention_items", &["since", "opened_at", "closed_at", "acknowledged_at"]),
    ("fleet_samples", &["first_at", "last_at"]),
    ("fleet_counted", &["used_until", "refills_until"]),
    ("console_nodes", &["beat_at"]),
];

/// Times in the future, with the longest span between now and then.
pub(crate) const ENDS: [(&str, &str, SignedDuration); 15] = [
    ("sessions", "claimed_until", LONGEST_CLAIM),
    ("sessions", "token_expires_at", SignedDuration::from_hours(MAX_DAYS as i64 * 24)),
    ("idempotency_keys", "claimed_until", LONGEST_CLAIM),
    ("pending_sign_ins", "expires_at", LONGEST_CLAIM),
    ("passkey_ceremonies", "expires_at", LONGEST_CLAIM),
    ("mails", "due_at", LONGEST_CLAIM),
    ("jobs", "claimed_until", LONGEST_CLAIM),
    ("jobs", "resumes_at", LONGEST_CLAIM),
    ("removed_notifications", "undo_until", LONGEST_CLAIM),
    ("level_resets", "undo_until", LONGEST_CLAIM),
    ("leases", "until", lease::LIFETIME),
    ("idx_device_state", "reading_until", LONGEST_CLAIM),
    ("attention_items", "tell_at", LONGEST_CLAIM),
    ("attention_items", "snoozed_until", LONGEST_SNOOZE),
    ("attention_digests", "next_at", DAY),
];

/// Records the time each minute, and corrects stored times once the clock was set back. Never returns.
pub(crate) async fn follow_clock(base: &Base) {
    loop {
        tokio::time::sleep(INTERVAL).await;
        if let Err(error) = observe(&base.db, base.clock.now()).await {
            tracing::error!(%error, "stored times in the future could not be corrected");
        }
    }
}

/// See [`clock_reading::observe`].
///
/// # Errors
/// A database error; the next call repeats it.
pub(crate) async fn observe(db: &Db, now: Timestamp) -> Result<()> {
    clock_reading::observe(db, now, || correct_times(db, now, &EVENTS, &ENDS)).await
}

//! Notifications about connections.

use std::ops::RangeInclusive;

/// How long a connection must be lost before a message is sent, in seconds.
pub(crate) const THRESHOLD: RangeInclusive<i64> = 0..=30 * 24 * 60 * 60;
/// The threshold in seconds if the caller specifies none.
pub(crate) const DEFAULT_THRESHOLD: i64 = 300;

/// The state of a lost connection, in [`NotificationType::state`].
pub(crate) const LOST: &str = "lost";
/// The state of a connection.
pub(crate) const CONNECTED: &str = "connected";

/// The event that a notification reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotificationType {
    /// The device connected.
    Connected,
    /// The connection was lost for the threshold.
    Lost,
    /// The device reconnected after a loss that reached the threshold.
    Restored,
}

impl NotificationType {
    /// As on the wire and in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "on_connect",
            Self::Lost => "on_connection_lost",
            Self::Restored => "on_connection_restore",
        }
    }

    pub(crate) fn find(text: &str) -> Option<Self> {
        [Self::Connected, Self::Lost, Self::Restored].into_iter().find(|known| known.as_str() == text)
    }

    /// The state of the connection that its messages report.
    pub(crate) fn state(self) -> &'static str {
        match self {
            Self::Lost => LOST,
            Self::Connected | Self::Restored => CONNECTED,
        }
    }

    /// Whether it is sent when the device reconnects at `now`; `due_at` is when the loss reached its threshold. Both in
    /// microseconds. An unreported loss that was due is reported first, however late.
    pub(crate) fn is_sent_on_reconnect(self, due_at: Option<i64>, now: i64) -> bool {
        self == Self::Connected || due_at.is_some_and(|due_at| due_at <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_round_trips_through_its_text() {
        for kind in [NotificationType::Connected, NotificationType::Lost, NotificationType::Restored] {
            assert_eq!(NotificationType::find(kind.as_str()), Some(kind));
        }
        assert_eq!(NotificationType::find("ip_change"), None);
    }

    #[test]
    fn reconnection_is_notified_after_a_loss_that_reached_its_threshold() {
        let table = [(None, [true, false, false]), (Some(11), [true, false, false]), (Some(10), [true, true, true])];
        for (due_at, expected) in table {
            let kinds = [NotificationType::Connected, NotificationType::Lost, NotificationType::Restored];
            assert_eq!(kinds.map(|kind| kind.is_sent_on_reconnect(due_at, 10)), expected, "{due_at:?}");
        }
    }
}

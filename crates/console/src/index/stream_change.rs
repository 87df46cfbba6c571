//! Changes that the live stream reports between two passes, and the state of a device after them.

use jiff::Timestamp;

use super::changed_device::have_equal_list_states;
use crate::records::{ConnectionStatus, DeviceState, IndexedProperty};

/// A change that the live stream reports for one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamChange {
    /// A user wrote a value. It stays current until the device acknowledges it.
    Commanded(IndexedProperty, i64),
    /// The device acknowledged a user's value.
    Acknowledged(IndexedProperty, i64),
    /// The device reported a value.
    Reported(IndexedProperty, i64),
    /// The device connected or disconnected, and when.
    Connection(ConnectionStatus, Option<Timestamp>),
    /// A change that the index does not store, and on which forecast or attention depend: another schedule, or the answer to a
    /// command.
    FactsChanged,
    /// Any other change that the index does not store.
    NotIndexed,
}

/// The state of a device after all changes of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CombinedChange {
    pub(super) state: DeviceState,
    /// Whether list contents, counts or order changed.
    pub(super) affects_lists: bool,
}

impl StreamChange {
    /// Whether this change can change list contents, counts or order.
    pub(super) fn may_affect_lists(self) -> bool {
        match self {
            Self::Commanded(property, _) | Self::Reported(property, _) => {
                property == IndexedProperty::FragranceRemaining
            }
            Self::Connection(..) => true,
            Self::Acknowledged(..) | Self::FactsChanged | Self::NotIndexed => false,
        }
    }

    /// Whether it can change a row of the index.
    pub(super) fn is_indexed(self) -> bool {
        !matches!(self, Self::FactsChanged | Self::NotIndexed)
    }

    /// Whether forecast or attention may depend on values that only the cloud has after this change. `is_new` is whether it changed
    /// the row of the device.
    pub(crate) fn needs_read(self, is_new: bool) -> bool {
        match self {
            Self::FactsChanged => true,
            // The console itself writes the level.
            Self::Acknowledged(property, _) => property != IndexedProperty::FragranceRemaining,
            Self::Commanded(property, _) | Self::Reported(property, _) => is_new && property == IndexedProperty::Mode,
            Self::Connection(status, _) => is_new && status == ConnectionStatus::Online,
            Self::NotIndexed => false,
        }
    }

    /// The state after this change, which arrived at `now`.
    fn apply_to(self, mut state: DeviceState, now: Timestamp) -> DeviceState {
        match self {
            Self::Commanded(property, value) => {
                state.set(property, value);
                state.pending |= property.bit();
            }
            // An acknowledgement of an older value does not confirm the current one.
            Self::Acknowledged(property, value) if state.get(property) == Some(value) => {
                state.pending &= !property.bit();
            }
            Self::Reported(property, value) if state.pending & property.bit() == 0 => state.set(property, value),
            Self::Connection(ConnectionStatus::Online, at) => {
                state.connection_status = ConnectionStatus::Online;
                state.connected_at = at.or(state.connected_at);
                state.connection_changed_at = state.connected_at;
            }
            Self::Connection(ConnectionStatus::Offline, at) => {
                // A repeated disconnect keeps the time of the first.
                if state.connection_status == ConnectionStatus::Online && state.connected_at.is_some() {
                    state.connection_changed_at = at.or(Some(now));
                }
                state.connection_status = ConnectionStatus::Offline;
            }
            Self::Acknowledged(..) | Self::Reported(..) | Self::FactsChanged | Self::NotIndexed => {}
        }
        state
    }
}

/// Combines changes in their order. `None` if none of them changes anything: a change that is taken back by a later one
/// counts, because a read that is in progress may have seen it.
pub(super) fn combine(before: DeviceState, changes: &[StreamChange], now: Timestamp) -> Option<CombinedChange> {
    let (mut state, mut is_changed) = (before, false);
    for change in changes {
        let next = change.apply_to(state, now);
        is_changed |= next != state;
        state = next;
    }
    is_changed.then(|| CombinedChange { state, affects_lists: !have_equal_list_states(before, state) })
}

/// Whether the state contains these changes.
pub(super) fn contains(state: DeviceState, changes: &[StreamChange], now: Timestamp) -> bool {
    combine(state, changes, now).is_none_or(|combined| combined.state == state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use IndexedProperty::{Fan, FragranceRemaining, Intensity};
    use StreamChange::{Acknowledged, Commanded, Connection, NotIndexed, Reported};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    /// Online since second 0, with intensity 20 and level 80.
    fn state() -> DeviceState {
        DeviceState {
            connection_status: ConnectionStatus::Online,
            connected_at: Some(at(0)),
            connection_changed_at: Some(at(0)),
            intensity: Some(20),
            fragrance_remaining: Some(80),
            ..DeviceState::default()
        }
    }

    #[test]
    fn group_of_changes_gives_the_state_of_its_changes_one_by_one() {
        let (online, offline) = (ConnectionStatus::Online, ConnectionStatus::Offline);
        // Changes, then intensity, pending bits, level, and whether lists are affected; `None` if nothing changed.
        type Outcome = Option<(i64, i64, i64, bool)>;
        let rows: [(&[StreamChange], Outcome); 15] = [
            (&[], None),
            (&[NotIndexed, NotIndexed], None),
            (&[Reported(Intensity, 20)], None),
            (&[Reported(Intensity, 21), Reported(Intensity, 22)], Some((22, 0, 80, false))),
            (&[Reported(Intensity, 21), Reported(Intensity, 20)], Some((20, 0, 80, false))),
            (&[Commanded(Intensity, 20)], Some((20, 4, 80, false))),
            (&[Commanded(Intensity, 30), Reported(Intensity, 22)], Some((30, 4, 80, false))),
            (&[Commanded(Intensity, 30), Acknowledged(Intensity, 30)], Some((30, 0, 80, false))),
            (
                &[Commanded(Intensity, 30), Commanded(Intensity, 31), Acknowledged(Intensity, 30)],
                Some((31, 4, 80, false)),
            ),
            (&[Acknowledged(Intensity, 20), Acknowledged(Fan, 1)], None),
            (&[Reported(FragranceRemaining, 79)], Some((20, 0, 79, true))),
            (&[Reported(FragranceRemaining, 79), Reported(FragranceRemaining, 80)], Some((20, 0, 80, false))),
            (&[Connection(online, Some(at(0)))], None),
            (&[Connection(offline, Some(at(5))), Connection(offline, Some(at(6)))], Some((20, 0, 80, true))),
            (&[Reported(Fan, 3), Connection(online, None), NotIndexed], Some((20, 0, 80, false))),
        ];
        for (changes, expected) in rows {
            let combined = combine(state(), changes, at(9));
            let found = combined.map(|it| {
                let state = it.state;
                (state.intensity.unwrap(), state.pending, state.fragrance_remaining.unwrap(), it.affects_lists)
            });
            assert_eq!(found, expected, "{changes:?}");
            let one_by_one = changes.iter().fold(state(), |state, change| {
                combine(state, std::slice::from_ref(change), at(9)).map_or(state, |it| it.state)
            });
            assert_eq!(combined.map_or(state(), |it| it.state), one_by_one, "{changes:?}");
            assert!(contains(one_by_one, changes, at(9)), "{changes:?}");
            assert_eq!(contains(state(), changes, at(9)), one_by_one == state(), "{changes:?}");
        }
    }

    #[test]
    fn device_is_read_again_after_a_change_of_what_only_the_cloud_has() {
        let online = Connection(ConnectionStatus::Online, None);
        let rows = [
            (StreamChange::FactsChanged, false, true),
            (NotIndexed, true, false),
            (Acknowledged(Intensity, 20), false, true),
            (Acknowledged(FragranceRemaining, 20), true, false),
            (Reported(IndexedProperty::Mode, 4), true, true),
            (Reported(IndexedProperty::Mode, 4), false, false),
            (Commanded(Intensity, 20), true, false),
            (online, true, true),
            (online, false, false),
            (Connection(ConnectionStatus::Offline, None), true, false),
        ];
        for (change, is_new, expected) in rows {
            assert_eq!(change.needs_read(is_new), expected, "{change:?} {is_new}");
        }
    }

    #[test]
    fn disconnect_without_a_time_is_dated_at_its_arrival() {
        let offline = [Connection(ConnectionStatus::Offline, None)];
        let combined = combine(state(), &offline, at(9)).unwrap().state;
        assert_eq!(combined.connection_changed_at, Some(at(9)));
        assert_eq!(combine(combined, &offline, at(10)), None);
    }
}

//! Events of the live stream, and their grouping by device.

use std::collections::HashMap;

use jiff::Timestamp;
use platform::bus::Bus;
use tokio::time::Instant;

use crate::events::notices::{self, DeviceEventKind};
use crate::index::{DeviceChanges, StreamChange};

/// An event of one device.
#[derive(Clone, Debug)]
pub(crate) struct DeviceEvent {
    pub(crate) dsn: String,
    pub(crate) change: EventChange,
    pub(crate) kind: DeviceEventKind,
    /// The write that sent the command publishes it; only a change of lists is left to publish.
    pub(crate) is_published: bool,
}

/// What an event means for the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventChange {
    /// The event contains the change.
    Known(StreamChange),
    /// The device rejected a command: its last reported value applies again, and only the cloud knows it.
    Rejected,
}

/// An event that waits for the writer.
#[derive(Clone, Debug)]
pub(crate) struct QueuedEvent {
    pub(super) event: DeviceEvent,
    /// The stream has delivered all events since this time.
    pub(super) complete_since: Timestamp,
    /// The earlier of the times when the cloud recorded the event and when it arrived; `None` if the cloud sent none.
    pub(super) sent_at: Option<Timestamp>,
}

/// The events of a group, by device, in the order of each device's first event.
#[derive(Debug, Default)]
pub(super) struct EventGroup {
    pub(super) devices: Vec<DeviceChanges>,
    notices: Vec<Notices>,
    /// Devices that rejected a command. They are read again after the other events are applied, and published then.
    pub(super) rejected: Vec<String>,
    /// Positions in both lists.
    by_dsn: HashMap<String, usize>,
}

/// What to publish about a device.
#[derive(Debug)]
struct Notices {
    /// When the first event was added.
    since: Instant,
    /// Each kind once: the readers of all events of a kind read the same row.
    kinds: Vec<DeviceEventKind>,
    last: DeviceEventKind,
}

impl EventGroup {
    pub(super) fn add(&mut self, event: DeviceEvent) {
        let EventChange::Known(change) = event.change else {
            self.rejected.push(event.dsn);
            return;
        };
        let at = *self.by_dsn.entry(event.dsn.clone()).or_insert(self.devices.len());
        if at == self.devices.len() {
            self.devices.push(DeviceChanges { dsn: event.dsn, changes: Vec::new() });
            self.notices.push(Notices { since: Instant::now(), kinds: Vec::new(), last: event.kind });
        }
        self.devices[at].changes.push(change);
        let notices = &mut self.notices[at];
        notices.last = event.kind;
        if !event.is_published && !notices.kinds.contains(&event.kind) {
            notices.kinds.push(event.kind);
        }
    }

    /// Publishes the events of the devices for which `list` returns `Some`, together with the CSP whose list changed. The
    /// other devices remain. `list` gets the dsn, and when the first event was added.
    pub(super) fn publish(&mut self, bus: &Bus, list: impl Fn(&str, Instant) -> Option<Option<String>>) {
        let mut remaining = Self::default();
        for (device, notices) in self.devices.drain(..).zip(self.notices.drain(..)) {
            match list(&device.dsn, notices.since) {
                Some(list) => notices.publish(bus, &device.dsn, list.as_slice()),
                None => {
                    remaining.by_dsn.insert(device.dsn.clone(), remaining.devices.len());
                    remaining.devices.push(device);
                    remaining.notices.push(notices);
                }
            }
        }
        *self = remaining;
    }
}

impl Notices {
    /// `lists` are only part of the first notice.
    fn publish(self, bus: &Bus, dsn: &str, mut lists: &[String]) {
        let mut kinds = self.kinds;
        if !lists.is_empty() && kinds.is_empty() {
            kinds.push(self.last);
        }
        for kind in kinds {
            notices::device(bus, dsn, kind, lists);
            lists = &[];
        }
    }
}

#[cfg(test)]
mod tests {
    use platform::bus::Delivery;

    use super::*;
    use crate::events::notices::{Notice, Notices};
    use crate::records::IndexedProperty::{Fan, Mode};
    use DeviceEventKind::{Commanded, Connection, Reported};

    fn event(dsn: &str, change: StreamChange, kind: DeviceEventKind, is_published: bool) -> DeviceEvent {
        DeviceEvent { dsn: dsn.to_owned(), change: EventChange::Known(change), kind, is_published }
    }

    fn group(events: impl IntoIterator<Item = DeviceEvent>) -> EventGroup {
        let mut group = EventGroup::default();
        events.into_iter().for_each(|event| group.add(event));
        group
    }

    /// Dsn, kind and lists of the next notice.
    async fn next(listener: &mut Notices) -> (String, DeviceEventKind, Vec<String>) {
        let Some(Delivery::Message { subject, payload }) = listener.next().await else { panic!("no notice") };
        let Some(Notice::Device(notice)) = notices::read(&subject, &payload) else { panic!("not about a device") };
        (notice.dsn.to_owned(), notice.kind, notice.lists().map(str::to_owned).collect())
    }

    #[test]
    fn changes_of_a_device_keep_their_order() {
        let (first, second) = (StreamChange::Reported(Fan, 1), StreamChange::Reported(Mode, 2));
        let last = StreamChange::Reported(Fan, 3);
        let group = group([
            event("A", first, Reported, false),
            event("B", second, Reported, false),
            event("A", last, Reported, false),
        ]);
        let devices: Vec<_> = group.devices.iter().map(|it| (it.dsn.as_str(), it.changes.as_slice())).collect();
        assert_eq!(devices, [("A", [first, last].as_slice()), ("B", &[second])]);
    }

    #[tokio::test]
    async fn each_kind_of_a_device_is_published_once_and_lists_only_with_the_first() {
        let bus = Bus::in_process();
        let mut listener = notices::listen(&bus);
        let nothing = StreamChange::NotIndexed;
        let mut group = group([
            event("A", nothing, Reported, false),
            event("A", nothing, Connection, false),
            event("A", nothing, Reported, false),
            event("B", nothing, Commanded, true),
            event("C", nothing, Commanded, true),
            event("D", nothing, Reported, false),
        ]);
        let list = |dsn: &str, _| match dsn {
            "A" | "B" => Some(Some("North".to_owned())),
            "C" => Some(None),
            _ => None,
        };
        group.publish(&bus, list);
        assert_eq!(group.devices.len(), 1, "D remains");
        group.publish(&bus, |_, _| Some(None));
        assert!(group.devices.is_empty());
        let north = vec!["North".to_owned()];
        assert_eq!(next(&mut listener).await, ("A".to_owned(), Reported, north.clone()));
        assert_eq!(next(&mut listener).await, ("A".to_owned(), Connection, vec![]));
        assert_eq!(next(&mut listener).await, ("B".to_owned(), Commanded, north), "its list changed");
        assert_eq!(next(&mut listener).await, ("D".to_owned(), Reported, vec![]), "C is published by its writer");
    }
}

//! Distributes events to the sockets of this node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use jiff::Timestamp;
use platform::bus::{Bus, Delivery};
use platform::run::clock::Clock;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::event::{self, Event, SUBJECT};
use super::filter::Filter;
use super::rights;
use crate::domain::policy::DeviceScope;
use crate::store::subscriptions::SubscriptionRow;

/// Capacity of a socket's queue: the events of two full batches of reports (`devices::link::writer`). A slower reader
/// loses events and detects that by the gap in `seq`.
const QUEUE_CAPACITY: usize = 8_192;

/// The sockets of this node. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Hub {
    readers: Arc<Mutex<Readers>>,
    max_per_user: usize,
}

#[derive(Debug, Default)]
struct Readers {
    next_id: u64,
    by_id: HashMap<u64, Reader>,
}

#[derive(Debug)]
struct Reader {
    subscription_id: i64,
    user_id: i64,
    filter: Filter,
    scope: DeviceScope,
    seq: u64,
    queue: mpsc::Sender<NumberedEvent>,
    rights: Arc<Notify>,
    lost: Arc<Notify>,
}

/// An event with its sequence number on one socket.
pub(crate) type NumberedEvent = (u64, Arc<Event>);

/// The reading end of one socket. Dropping it unregisters it from the hub.
#[derive(Debug)]
pub(crate) struct StreamReader {
    hub: Hub,
    id: u64,
    /// Ends when a newer reader has taken this one's place.
    pub(crate) events: mpsc::Receiver<NumberedEvent>,
    /// Notified when the owner's rights or the subscription may have changed.
    pub(crate) rights: Arc<Notify>,
    /// Notified when events may have been lost on the bus.
    pub(crate) lost: Arc<Notify>,
}

impl Hub {
    /// A hub with this maximum number of sockets of a user.
    pub(crate) fn new(max_per_user: usize) -> Self {
        Self { readers: Arc::default(), max_per_user }
    }

    /// Distributes events of the bus until `stop`.
    pub(crate) fn run(&self, bus: &Bus, clock: Clock, stop: CancellationToken) -> impl Future<Output = ()> + use<> {
        let (hub, mut events, mut rights) = (self.clone(), bus.subscribe(SUBJECT), bus.subscribe(rights::SUBJECT));
        async move {
            loop {
                let delivery = tokio::select! {
                    () = stop.cancelled() => return,
                    delivery = events.next() => delivery,
                    Some(delivery) = rights.next() => {
                        hub.notify_rights_changed(match &delivery {
                            Delivery::Message { subject, .. } => rights::user_of(subject),
                            Delivery::Resync => None,
                        });
                        continue;
                    }
                };
                match delivery {
                    // What nobody reads is not parsed: most events come from other nodes.
                    Some(Delivery::Message { .. }) if hub.count() == 0 => {}
                    Some(Delivery::Message { payload, .. }) => match event::read(&payload) {
                        Some(events) => {
                            let now = clock.now();
                            events.into_iter().for_each(|event| hub.distribute(&Arc::new(event), now));
                        }
                        None => {
                            tracing::error!("cannot parse events from the bus; subscribers have to read again");
                            hub.lose_events();
                        }
                    },
                    Some(Delivery::Resync) => hub.lose_events(),
                    None => return,
                }
            }
        }
    }

    /// Registers a reader for a subscription within its owner's scope. If the user has too many readers, the oldest one
    /// ends.
    pub(crate) fn read(&self, subscription: &SubscriptionRow, scope: DeviceScope) -> StreamReader {
        let (queue, events) = mpsc::channel(QUEUE_CAPACITY);
        let (rights, lost) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let reader = Reader {
            subscription_id: subscription.id,
            user_id: subscription.user_id,
            filter: Filter::new(subscription),
            scope,
            seq: 0,
            queue,
            rights: rights.clone(),
            lost: lost.clone(),
        };
        let mut readers = self.readers();
        readers.make_room(subscription.user_id, self.max_per_user);
        let id = readers.next_id;
        readers.next_id += 1;
        readers.by_id.insert(id, reader);
        StreamReader { hub: self.clone(), id, events, rights, lost }
    }

    /// The number of open sockets.
    pub(crate) fn count(&self) -> usize {
        self.readers().by_id.len()
    }

    /// Whether a socket of this subscription is open on this node.
    pub(crate) fn is_read(&self, subscription_id: i64) -> bool {
        self.readers().by_id.values().any(|reader| reader.subscription_id == subscription_id)
    }

    /// Notifies the readers of this user, or all readers, that rights may have changed.
    fn notify_rights_changed(&self, user_id: Option<i64>) {
        for reader in self.readers().by_id.values().filter(|reader| user_id.is_none_or(|id| id == reader.user_id)) {
            reader.rights.notify_one();
        }
    }

    fn distribute(&self, event: &Arc<Event>, now: Timestamp) {
        for reader in self.readers().by_id.values_mut() {
            reader.scope.advance(now);
            if reader.filter.admits(event) && reader.scope.admits(&event.audience) {
                reader.seq += 1;
                // A full queue drops the event, but its number stays used.
                let _ = reader.queue.try_send((reader.seq, event.clone()));
            }
        }
    }

    /// Ends all readers, because events may have been lost on the bus. The skipped number reveals it to a client that receives another
    /// event before the end.
    pub(crate) fn lose_events(&self) {
        for reader in self.readers().by_id.values_mut() {
            reader.seq += 1;
            reader.lost.notify_one();
        }
    }

    fn readers(&self) -> MutexGuard<'_, Readers> {
        self.readers.lock().expect("no holder of this lock can panic")
    }
}

impl Readers {
    /// Ends the oldest readers of a user who has `max` or more.
    fn make_room(&mut self, user_id: i64, max: usize) {
        let of_user = self.by_id.iter().filter(|(_, reader)| reader.user_id == user_id).map(|(id, _)| *id);
        let mut ids: Vec<u64> = of_user.collect();
        ids.sort_unstable();
        for id in ids.iter().take((ids.len() + 1).saturating_sub(max)) {
            self.by_id.remove(id);
        }
    }
}

impl StreamReader {
    /// Whether events after the one numbered `last` were lost. Readers cannot see that from sequence numbers until the
    /// next event.
    pub(crate) fn lost_last_events(&self, last: u64) -> bool {
        let readers = self.hub.readers();
        // The lock keeps new events out of the queue.
        self.events.is_empty() && readers.by_id.get(&self.id).is_some_and(|reader| reader.seq > last)
    }

    /// Applies this scope to later events.
    pub(crate) fn set_scope(&self, scope: DeviceScope) {
        if let Some(reader) = self.hub.readers().by_id.get_mut(&self.id) {
            reader.scope = scope;
        }
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        self.hub.readers().by_id.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;
    use crate::domain::policy::Audience;
    use crate::domain::share::{Period, ShareRecipient};
    use crate::stream::event::EventType;

    fn subscription() -> SubscriptionRow {
        SubscriptionRow {
            id: 1,
            user_id: 7,
            user_uuid: String::new(),
            oem_code: String::new(),
            name: String::new(),
            description: String::new(),
            dsn: None,
            property_name: "*".into(),
            oem_model: None,
            client_type: "mobile".into(),
            subscription_type: "datapoint".into(),
            stream_key: String::new(),
            created_at: 0,
            updated_at: 0,
        }
    }

    fn event(oem_id: i64) -> Arc<Event> {
        Arc::new(Event {
            event_type: EventType::Datapoint,
            dsn: "A".into(),
            oem_model: "model".into(),
            property_name: Some("fan".into()),
            audience: Audience { oem_id, registered: true, owner_id: None, labels: vec![], shares: vec![] },
            body: "{}".into(),
        })
    }

    fn reader(hub: &Hub) -> StreamReader {
        hub.read(&subscription(), DeviceScope::Oem { oem_id: 1, unregistered: false })
    }

    fn numbers(reader: &mut StreamReader) -> Vec<u64> {
        std::iter::from_fn(|| reader.events.try_recv().ok()).map(|(seq, _)| seq).collect()
    }

    #[test]
    fn reader_receives_events_in_scope_numbered_from_one() {
        let hub = Hub::new(20);
        let mut reader = reader(&hub);
        for oem_id in [1, 2, 1] {
            hub.distribute(&event(oem_id), Timestamp::UNIX_EPOCH);
        }
        assert_eq!(numbers(&mut reader), [1, 2]);
    }

    #[test]
    fn slow_reader_sees_a_gap_in_the_numbers() {
        let hub = Hub::new(20);
        let mut slow = reader(&hub);
        for _ in 0..QUEUE_CAPACITY + 3 {
            hub.distribute(&event(1), Timestamp::UNIX_EPOCH);
        }
        let before = numbers(&mut slow);
        assert_eq!((before.len(), before.last().copied()), (QUEUE_CAPACITY, Some(QUEUE_CAPACITY as u64)));
        hub.distribute(&event(1), Timestamp::UNIX_EPOCH);
        assert_eq!(numbers(&mut slow), [QUEUE_CAPACITY as u64 + 4]);
    }

    #[test]
    fn events_lost_on_the_bus_leave_a_gap() {
        let hub = Hub::new(20);
        let mut reader = reader(&hub);
        hub.distribute(&event(1), Timestamp::UNIX_EPOCH);
        hub.lose_events();
        hub.distribute(&event(1), Timestamp::UNIX_EPOCH);
        assert_eq!(numbers(&mut reader), [1, 3]);
        assert!(reader.lost.notified().now_or_never().is_some());
    }

    #[tokio::test]
    async fn unreadable_message_of_the_bus_is_a_loss_of_events() {
        let (hub, bus, stop) = (Hub::new(20), Bus::in_process(), CancellationToken::new());
        let reader = reader(&hub);
        let running = tokio::spawn(hub.run(&bus, Clock::mock(Timestamp::UNIX_EPOCH), stop.clone()));
        bus.publish(SUBJECT, "no event\n{}\n");
        reader.lost.notified().await;
        stop.cancel();
        running.await.unwrap();
    }

    #[test]
    fn loss_of_the_last_events_is_detected() {
        let hub = Hub::new(20);
        let mut reader = reader(&hub);
        assert!(!reader.lost_last_events(0));
        for _ in 0..QUEUE_CAPACITY + 1 {
            hub.distribute(&event(1), Timestamp::UNIX_EPOCH);
        }
        assert!(!reader.lost_last_events(0), "the reader has queued events first");
        let last = numbers(&mut reader).pop().unwrap();
        assert!(reader.lost_last_events(last));
        hub.distribute(&event(1), Timestamp::UNIX_EPOCH);
        assert!(!reader.lost_last_events(last), "the next number reveals the gap");
        let last = numbers(&mut reader).pop().unwrap();
        assert!(!reader.lost_last_events(last));
        hub.lose_events();
        assert!(reader.lost_last_events(last), "lost on the bus");
    }

    #[test]
    fn reader_that_reads_nothing_does_not_slow_others() {
        let hub = Hub::new(20);
        let (_silent, mut quick) = (reader(&hub), reader(&hub));
        let mut read = Vec::new();
        for _ in 0..3 * QUEUE_CAPACITY {
            hub.distribute(&event(1), Timestamp::UNIX_EPOCH);
            read.extend(numbers(&mut quick));
        }
        assert!(read.into_iter().eq(1..=3 * QUEUE_CAPACITY as u64));
    }

    #[test]
    fn newest_sockets_of_a_user_replace_the_oldest() {
        let hub = Hub::new(2);
        let other = SubscriptionRow { id: 2, user_id: 8, ..subscription() };
        let mut others = hub.read(&other, DeviceScope::Oem { oem_id: 1, unregistered: false });
        let mut readers: Vec<StreamReader> = (0..4).map(|_| reader(&hub)).collect();
        hub.distribute(&event(1), Timestamp::UNIX_EPOCH);
        let counts: Vec<usize> = readers.iter_mut().map(|reader| numbers(reader).len()).collect();
        assert_eq!((counts, numbers(&mut others).len()), (vec![0, 0, 1, 1], 1));
        assert!(readers[1].events.is_closed() && !readers[2].events.is_closed());
    }

    #[test]
    fn share_period_applies_to_an_open_stream() {
        let hub = Hub::new(20);
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut reader = hub.read(&subscription(), DeviceScope::Own { user_id: 7, at: at(0) });
        let period = Period { start: Some(10_000_000), end: Some(20_000_000) };
        let mut shared = Event::clone(&event(1));
        shared.audience.shares = vec![ShareRecipient { user_id: 7, period }];
        let shared = Arc::new(shared);
        let mut seen = Vec::new();
        for moment in [9, 10, 19, 20] {
            hub.distribute(&shared, at(moment));
            seen.push(numbers(&mut reader));
        }
        assert_eq!(seen, [vec![], vec![1], vec![2], vec![]]);
    }

    #[test]
    fn narrowed_scope_applies_immediately_and_dropped_reader_is_removed() {
        let hub = Hub::new(20);
        let mut reader = reader(&hub);
        reader.set_scope(DeviceScope::Nothing);
        hub.distribute(&event(1), Timestamp::UNIX_EPOCH);
        assert_eq!(numbers(&mut reader), [0; 0]);
        assert!(hub.is_read(1));
        drop(reader);
        assert!(!hub.is_read(1));
    }
}

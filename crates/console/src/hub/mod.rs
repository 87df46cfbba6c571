//! Dispatches bus notices to this node's readers. One task listens to the bus for all of them, so the cost of a notice
//! depends only on its own readers.

mod shared_reads;

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use platform::bus::{Delivery, Subscription};
use tokio::sync::{broadcast, watch};
use uuid::Uuid;

use crate::notice::{self, DeviceEventKind, DeviceNotice, EndReason, Notice};
use crate::policy::{Actor, Scope};
use crate::records::ReadDevice;

pub(crate) use shared_reads::{IndexedDevice, SharedReads};

/// Maximum number of queued notices for one reader.
const CAPACITY: usize = 64;

/// The readers of this node. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Hub(Arc<Mutex<Readers>>);

#[derive(Default)]
struct Readers {
    /// By dsn.
    devices: HashMap<String, Vec<broadcast::Sender<ReaderNotice>>>,
    /// By the user who started the job.
    jobs: HashMap<Uuid, Vec<broadcast::Sender<ReaderNotice>>>,
    /// Reads that belong to the next notice about the device of this kind.
    reads: HashMap<String, (DeviceEventKind, Arc<ReadDevice>)>,
    /// By CSP.
    lists: HashMap<String, watch::Sender<()>>,
    /// For readers who see all CSPs.
    every_list: watch::Sender<()>,
    /// By session hash.
    ends: HashMap<String, watch::Sender<Option<EndReason>>>,
    resync: watch::Sender<()>,
    /// Increases whenever a list may have changed.
    lists_version: u64,
}

/// A notice for readers.
#[derive(Clone)]
pub(crate) struct ReaderNotice {
    pub(crate) delivery: Delivery,
    pub(crate) shared: Arc<SharedReads>,
}

/// The notices for one reader, from its registration on.
pub(crate) struct ReaderChannels {
    /// Notices about the reader's devices and jobs.
    pub(crate) devices: broadcast::Receiver<ReaderNotice>,
    /// Changes when a list that the reader may see changes.
    pub(crate) lists: watch::Receiver<()>,
    /// Changes when the session's streams must end.
    pub(crate) end: watch::Receiver<Option<EndReason>>,
    /// Changes when notices may have been missed.
    pub(crate) resync: watch::Receiver<()>,
    /// Declared last, because its cleanup requires that the receivers are already dropped.
    _registration: Registration,
}

/// A reader's entries in the hub.
struct Registration {
    hub: Hub,
    /// Also keeps the channel of a reader without devices open.
    devices: broadcast::Sender<ReaderNotice>,
    dsns: Vec<String>,
    user: Uuid,
    csp: Option<String>,
    session: String,
}

impl Hub {
    /// Dispatches notices until the bus closes.
    pub(crate) async fn run(self, mut bus: Subscription) {
        while let Some(delivery) = bus.next().await {
            self.dispatch(&delivery);
        }
    }

    /// Registers a reader for these devices and the lists of the actor's scope. The actor must have a scope.
    pub(crate) fn subscribe(&self, actor: &Actor, dsns: Vec<String>) -> ReaderChannels {
        let (sender, devices) = broadcast::channel(CAPACITY);
        let mut readers = self.lock();
        for dsn in &dsns {
            readers.devices.entry(dsn.clone()).or_default().push(sender.clone());
        }
        readers.jobs.entry(actor.user).or_default().push(sender.clone());
        let csp = match actor.scope() {
            Scope::Csp(csp) => Some(csp.to_owned()),
            Scope::Everything | Scope::Nothing => None,
        };
        let lists = match &csp {
            Some(csp) => readers.lists.entry(csp.clone()).or_default().subscribe(),
            None => readers.every_list.subscribe(),
        };
        let session = actor.session.as_str().to_owned();
        let end = readers.ends.entry(session.clone()).or_default().subscribe();
        let resync = readers.resync.subscribe();
        let registration = Registration { hub: self.clone(), devices: sender, dsns, user: actor.user, csp, session };
        ReaderChannels { devices, lists, end, resync, _registration: registration }
    }

    /// Hands over the read of a device from which the next notice of this kind results. Call this before the notice is
    /// published.
    pub(crate) fn hand_over(&self, dsn: &str, kind: DeviceEventKind, read: &ReadDevice) {
        let mut readers = self.lock();
        if readers.devices.contains_key(dsn) {
            readers.reads.insert(dsn.to_owned(), (kind, Arc::new(read.clone())));
        }
    }

    /// Changes whenever a list may have changed.
    pub(crate) fn lists_version(&self) -> u64 {
        self.lock().lists_version
    }

    fn dispatch(&self, delivery: &Delivery) {
        let mut readers = self.lock();
        let Delivery::Message { subject, payload } = delivery else {
            readers.lists_version += 1;
            readers.resync.send_replace(());
            return;
        };
        match notice::read(subject, payload) {
            Some(Notice::Device(notice)) => readers.dispatch_device(&notice, delivery),
            Some(Notice::Session(session, reason)) => {
                if let Some(end) = readers.ends.get(session) {
                    end.send_replace(Some(reason));
                }
            }
            Some(Notice::Job { user, .. }) => send(readers.jobs.get(&user), delivery, None),
            None => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Readers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readers {
    fn dispatch_device(&mut self, notice: &DeviceNotice<'_>, delivery: &Delivery) {
        let is_of_notice = self.reads.get(notice.dsn).is_some_and(|(kind, _)| *kind == notice.kind);
        let read = if is_of_notice { self.reads.remove(notice.dsn) } else { None };
        send(self.devices.get(notice.dsn), delivery, read.map(|(_, read)| read));
        self.lists_version += u64::from(notice.lists().next().is_some());
        let mut everybody = Some(&self.every_list);
        for csp in notice.lists() {
            for list in everybody.take().into_iter().chain(self.lists.get(csp)) {
                list.send_replace(());
            }
        }
    }
}

fn send(readers: Option<&Vec<broadcast::Sender<ReaderNotice>>>, delivery: &Delivery, read: Option<Arc<ReadDevice>>) {
    let notice = ReaderNotice { delivery: delivery.clone(), shared: Arc::new(SharedReads::new(read)) };
    for reader in readers.into_iter().flatten() {
        // A reader that is closing no longer receives.
        let _ = reader.send(notice.clone());
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut readers = self.hub.lock();
        for dsn in &self.dsns {
            unsubscribe(&mut readers.devices, dsn, &self.devices);
            if !readers.devices.contains_key(dsn) {
                readers.reads.remove(dsn);
            }
        }
        unsubscribe(&mut readers.jobs, &self.user, &self.devices);
        let session = &self.session;
        if readers.ends.get(session).is_some_and(|end| end.receiver_count() == 0) {
            readers.ends.remove(session);
        }
        if let Some(csp) = &self.csp
            && readers.lists.get(csp).is_some_and(|list| list.receiver_count() == 0)
        {
            readers.lists.remove(csp);
        }
    }
}

fn unsubscribe<K, Q>(
    readers: &mut HashMap<K, Vec<broadcast::Sender<ReaderNotice>>>,
    key: &Q,
    subscriber: &broadcast::Sender<ReaderNotice>,
) where
    K: Borrow<Q> + Eq + Hash,
    Q: Eq + Hash + ?Sized,
{
    if let Some(of_key) = readers.get_mut(key) {
        of_key.retain(|reader| !reader.same_channel(subscriber));
        if of_key.is_empty() {
            readers.remove(key);
        }
    }
}

#[cfg(test)]
mod tests;

//! The readers of this node, and what they receive. One task listens to the bus for all of them, so the cost of a notice
//! depends only on its own readers.

mod device_readers;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use platform::bus::Delivery;
use tokio::sync::{broadcast, watch};
use uuid::Uuid;

use self::device_readers::{DeviceReaders, ReaderClass, Sender};
use crate::events::notices::{self, DeviceEventKind, DeviceNotice, EndReason, Notice};
use crate::policy::{Actor, Scope};
use crate::records::ReadDevice;

/// Maximum number of queued notices for one reader.
const CAPACITY: usize = 64;

/// The readers of this node. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Hub(Arc<Mutex<Readers>>);

#[derive(Default)]
struct Readers {
    /// By dsn.
    devices: HashMap<String, DeviceReaders>,
    /// By the user who started the job.
    jobs: HashMap<Uuid, Vec<Sender>>,
    /// By CSP.
    lists: HashMap<String, watch::Sender<()>>,
    /// For readers who see all CSPs.
    every_list: watch::Sender<()>,
    /// By CSP.
    attention: HashMap<String, watch::Sender<()>>,
    /// For readers who see all CSPs.
    every_attention: watch::Sender<()>,
    /// By session hash.
    ends: HashMap<String, watch::Sender<Option<EndReason>>>,
    resync: watch::Sender<()>,
    /// The number of all readers.
    count: usize,
    /// Increases whenever a list may have changed.
    lists_version: u64,
    /// Increases whenever an item of attention may have changed.
    attention_version: u64,
}

/// A notice for a reader.
#[derive(Clone, Debug)]
pub(crate) enum ReaderNotice {
    /// An event of a device, encoded once for all readers who see the same. For readers whose session has been checked
    /// since the version of all sessions reached `session_version`.
    Event { frame: Bytes, session_version: i64 },
    /// A job of the reader made progress.
    Job(Uuid),
    /// Events could not be sent.
    Missed,
}

/// What a reader sees of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum View {
    /// The row of a list.
    Row,
    /// The device's page.
    Page,
}

/// A change of a device that has readers or is being read for some.
#[derive(Clone, Debug)]
pub(crate) struct DeviceChange {
    pub(crate) dsn: String,
    pub(crate) kind: DeviceEventKind,
    /// The CSPs whose list contents, counts or order changed; an empty text stands for no CSP.
    pub(crate) lists: Vec<String>,
    /// The read of the device from which the change results, if any.
    pub(crate) read: Option<Arc<ReadDevice>>,
}

/// The notices for one reader, from its registration on.
pub(crate) struct ReaderChannels {
    /// Notices about the reader's devices and jobs.
    pub(crate) notices: broadcast::Receiver<ReaderNotice>,
    /// Changes when a list that the reader may see changes.
    pub(crate) lists: watch::Receiver<()>,
    /// Changes when items of attention that the reader may see change.
    pub(crate) attention: watch::Receiver<()>,
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
    sender: Sender,
    devices: Vec<(String, View)>,
    class: ReaderClass,
    user: Uuid,
    session: String,
}

impl Hub {
    /// Registers a reader for these devices, those of them whose `pages` are open, and the lists of the actor's scope. The
    /// actor must have a scope.
    pub(crate) fn subscribe(&self, actor: &Actor, dsns: HashSet<String>, pages: &HashSet<String>) -> ReaderChannels {
        let (sender, notices) = broadcast::channel(CAPACITY);
        let class = ReaderClass::of(actor);
        let with_view = |dsn: String| {
            let view = if pages.contains(&dsn) { View::Page } else { View::Row };
            (dsn, view)
        };
        let devices: Vec<(String, View)> = dsns.into_iter().map(with_view).collect();
        let mut readers = self.lock();
        readers.count += 1;
        for (dsn, view) in &devices {
            readers.devices.entry(dsn.clone()).or_default().add(*view, &class, actor, sender.clone());
        }
        readers.jobs.entry(actor.user).or_default().push(sender.clone());
        let (lists, attention) = match actor.scope() {
            Scope::Csp(csp) => (
                readers.lists.entry(csp.to_owned()).or_default().subscribe(),
                readers.attention.entry(csp.to_owned()).or_default().subscribe(),
            ),
            Scope::Everything | Scope::Nothing => (readers.every_list.subscribe(), readers.every_attention.subscribe()),
        };
        let session = actor.session.as_str().to_owned();
        let end = readers.ends.entry(session.clone()).or_default().subscribe();
        let resync = readers.resync.subscribe();
        let registration = Registration { hub: self.clone(), sender, devices, class, user: actor.user, session };
        ReaderChannels { notices, lists, attention, end, resync, _registration: registration }
    }

    /// Hands over the read of a device from which the next notice of this kind results. Call this before the notice is
    /// published.
    pub(crate) fn hand_over(&self, dsn: &str, kind: DeviceEventKind, read: &ReadDevice) {
        if let Some(of_device) = self.lock().devices.get_mut(dsn) {
            of_device.handed_over = Some((kind, Arc::new(read.clone())));
        }
    }

    /// The number of readers of this node.
    pub(crate) fn readers(&self) -> usize {
        self.lock().count
    }

    /// Changes whenever the number of items of attention in any scope may have changed.
    pub(crate) fn attention_version(&self) -> u64 {
        let readers = self.lock();
        readers.attention_version + readers.lists_version
    }

    /// Lets this node read items of attention again that a request has changed, before its notice arrives.
    pub(crate) fn note_attention(&self) {
        self.lock().attention_version += 1;
    }

    /// Dispatches what the bus delivers. Returns the change of a device that has readers, whose events must be
    /// [sent](Self::send), or that `is_being_read` for readers: those who register meanwhile get the result of that read, so they
    /// need the events of later changes.
    pub(crate) fn dispatch(
        &self,
        delivery: &Delivery,
        is_being_read: impl FnOnce(&str) -> bool,
    ) -> Option<DeviceChange> {
        let mut readers = self.lock();
        let Delivery::Message { subject, payload } = delivery else {
            readers.lists_version += 1;
            readers.resync.send_replace(());
            return None;
        };
        match notices::read(subject, payload)? {
            Notice::Device(notice) => return readers.dispatch_device(&notice, is_being_read),
            Notice::Session(session, reason) => {
                if let Some(end) = readers.ends.get(session) {
                    end.send_replace(Some(reason));
                }
            }
            Notice::Attention(notice) => {
                readers.attention_version += 1;
                readers.every_attention.send_replace(());
                for csp in notice.csps() {
                    if let Some(items) = readers.attention.get(csp) {
                        items.send_replace(());
                    }
                }
            }
            Notice::Job { user, job } => {
                let of_user = readers.jobs.get(&user);
                of_user.into_iter().flatten().for_each(|reader| send(reader, ReaderNotice::Job(job)));
            }
        }
        None
    }

    /// Whether a device has a reader with this view whose actor fulfils the condition.
    pub(crate) fn has_reader(&self, dsn: &str, view: View, fulfils: impl Fn(&Actor) -> bool) -> bool {
        self.lock().devices.get(dsn).is_some_and(|of_device| of_device.actors(view).any(fulfils))
    }

    /// Sends events of a device to its readers with this view. `encode` is called once for all actors who see the same.
    pub(crate) fn send(&self, dsn: &str, view: View, session_version: i64, encode: impl Fn(&Actor) -> Vec<Bytes>) {
        let actors = |of_device: &DeviceReaders| of_device.actors(view).cloned().collect();
        let actors: Vec<Actor> = self.lock().devices.get(dsn).map(actors).unwrap_or_default();
        for actor in actors {
            // Encoded without the lock.
            let frames = encode(&actor);
            if let Some(of_device) = self.lock().devices.get(dsn) {
                for reader in of_device.readers(view, &ReaderClass::of(&actor)) {
                    for frame in &frames {
                        send(reader, ReaderNotice::Event { frame: frame.clone(), session_version });
                    }
                }
            }
        }
    }

    /// Notifies the readers of a device with this view that events could not be sent.
    pub(crate) fn send_missed(&self, dsn: &str, view: View) {
        if let Some(of_device) = self.lock().devices.get(dsn) {
            of_device.all_readers(view).for_each(|reader| send(reader, ReaderNotice::Missed));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Readers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readers {
    fn dispatch_device(
        &mut self,
        notice: &DeviceNotice<'_>,
        is_being_read: impl FnOnce(&str) -> bool,
    ) -> Option<DeviceChange> {
        self.lists_version += u64::from(notice.lists().next().is_some());
        let mut everybody = Some(&self.every_list);
        for csp in notice.lists() {
            for list in everybody.take().into_iter().chain(self.lists.get(csp)) {
                list.send_replace(());
            }
        }
        let of_device = self.devices.get_mut(notice.dsn);
        if of_device.is_none() && !is_being_read(notice.dsn) {
            return None;
        }
        let handed_over = of_device.and_then(|it| it.handed_over.take_if(|(kind, _)| *kind == notice.kind));
        Some(DeviceChange {
            dsn: notice.dsn.to_owned(),
            kind: notice.kind,
            lists: notice.lists().map(str::to_owned).collect(),
            read: handed_over.map(|(_, read)| read),
        })
    }
}

fn send(reader: &Sender, notice: ReaderNotice) {
    // A reader that is closing no longer receives.
    let _ = reader.send(notice);
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut readers = self.hub.lock();
        readers.count -= 1;
        for (dsn, view) in &self.devices {
            if let Entry::Occupied(mut of_device) = readers.devices.entry(dsn.clone()) {
                of_device.get_mut().remove(*view, &self.class, &self.sender);
                if of_device.get().is_empty() {
                    of_device.remove();
                }
            }
        }
        if let Entry::Occupied(mut of_user) = readers.jobs.entry(self.user) {
            of_user.get_mut().retain(|reader| !reader.same_channel(&self.sender));
            if of_user.get().is_empty() {
                of_user.remove();
            }
        }
        let session = &self.session;
        if readers.ends.get(session).is_some_and(|end| end.receiver_count() == 0) {
            readers.ends.remove(session);
        }
        if let Some(csp) = &self.class.csp {
            let readers = &mut *readers;
            for of_csps in [&mut readers.lists, &mut readers.attention] {
                if of_csps.get(csp).is_some_and(|of_csp| of_csp.receiver_count() == 0) {
                    of_csps.remove(csp);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

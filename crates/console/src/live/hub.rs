//! Who on this node follows what. One task listens to the bus for all readers, so that a notice costs as much as those it is
//! for, however many others there are.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use platform::bus::{Delivery, Subscription};
use tokio::sync::{broadcast, watch};
use uuid::Uuid;

use crate::notice::{self, DeviceNotice, EndReason, Notice};
use crate::policy::{Actor, Scope};

/// So many notices of its devices may wait for one reader.
const CAPACITY: usize = 64;

/// All readers of this node. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Hub(Arc<Mutex<Readers>>);

#[derive(Default)]
struct Readers {
    /// By dsn.
    devices: HashMap<String, Vec<broadcast::Sender<Delivery>>>,
    /// By who started the job.
    jobs: HashMap<Uuid, Vec<broadcast::Sender<Delivery>>>,
    /// By CSP.
    lists: HashMap<String, watch::Sender<()>>,
    /// Of those who see every CSP.
    every_list: watch::Sender<()>,
    /// By the session's hash.
    ends: HashMap<String, watch::Sender<Option<EndReason>>>,
    doubts: watch::Sender<()>,
    /// Rises whenever a list may have changed.
    lists_version: u64,
}

/// What one reader hears, from the moment of joining.
pub(super) struct Line {
    /// Notices of the reader's devices and jobs.
    pub(super) devices: broadcast::Receiver<Delivery>,
    /// Changes when a list does that the reader may see.
    pub(super) lists: watch::Receiver<()>,
    /// Changes when the session's streams must end.
    pub(super) end: watch::Receiver<Option<EndReason>>,
    /// Changes when anything may have been missed.
    pub(super) doubts: watch::Receiver<()>,
    /// The last member: what it tidies up must have no receiver any more.
    _seat: Seat,
}

/// What a reader occupies.
struct Seat {
    hub: Hub,
    /// Also keeps the line open of a reader that follows no device.
    devices: broadcast::Sender<Delivery>,
    dsns: Vec<String>,
    user: Uuid,
    csp: Option<String>,
    session: String,
}

impl Hub {
    /// Passes on what is said until the bus is gone.
    pub(crate) async fn run(self, mut bus: Subscription) {
        while let Some(delivery) = bus.next().await {
            self.pass_on(&delivery);
        }
    }

    /// Follows these devices and the lists of the actor's scope. Nobody without a scope is to come here.
    pub(super) fn join(&self, actor: &Actor, dsns: Vec<String>) -> Line {
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
        let doubts = readers.doubts.subscribe();
        let seat = Seat { hub: self.clone(), devices: sender, dsns, user: actor.user, csp, session };
        Line { devices, lists, end, doubts, _seat: seat }
    }

    /// Another number than before when any list may have changed since.
    pub(crate) fn lists_version(&self) -> u64 {
        self.lock().lists_version
    }

    fn pass_on(&self, delivery: &Delivery) {
        let mut readers = self.lock();
        let Delivery::Message { subject, payload } = delivery else {
            readers.lists_version += 1;
            readers.doubts.send_replace(());
            return;
        };
        match notice::read(subject, payload) {
            Some(Notice::Device(notice)) => readers.tell_of_device(&notice, delivery),
            Some(Notice::Session(session, reason)) => {
                if let Some(end) = readers.ends.get(session) {
                    end.send_replace(Some(reason));
                }
            }
            Some(Notice::Job { user, .. }) => tell(readers.jobs.get(&user), delivery),
            None => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, Readers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readers {
    fn tell_of_device(&mut self, notice: &DeviceNotice<'_>, delivery: &Delivery) {
        tell(self.devices.get(notice.dsn), delivery);
        self.lists_version += u64::from(notice.lists().next().is_some());
        let mut everybody = Some(&self.every_list);
        for csp in notice.lists() {
            for list in everybody.take().into_iter().chain(self.lists.get(csp)) {
                list.send_replace(());
            }
        }
    }
}

fn tell(readers: Option<&Vec<broadcast::Sender<Delivery>>>, delivery: &Delivery) {
    for reader in readers.into_iter().flatten() {
        // A reader that is just leaving takes nothing any more.
        let _ = reader.send(delivery.clone());
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut readers = self.hub.lock();
        for dsn in &self.dsns {
            leave(&mut readers.devices, dsn, &self.devices);
        }
        leave(&mut readers.jobs, &self.user, &self.devices);
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

fn leave<K, Q>(readers: &mut HashMap<K, Vec<broadcast::Sender<Delivery>>>, key: &Q, who: &broadcast::Sender<Delivery>)
where
    K: Borrow<Q> + Eq + Hash,
    Q: Eq + Hash + ?Sized,
{
    if let Some(of_key) = readers.get_mut(key) {
        of_key.retain(|reader| !reader.same_channel(who));
        if of_key.is_empty() {
            readers.remove(key);
        }
    }
}

#[cfg(test)]
mod tests;

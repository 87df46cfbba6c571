//! The devices that are connected to this node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::devices::link::Generation;

/// The open connections by dsn. A dsn has one connection: the one with the highest generation, which the database
/// counts.
#[derive(Debug, Default)]
pub(super) struct Registry {
    live: Mutex<HashMap<String, Live>>,
}

#[derive(Debug, Clone)]
struct Live {
    generation: Generation,
    /// The revocation under which the device signed in.
    revocation: i64,
    /// Wakes the connection when commands may be pending.
    wake: Arc<Notify>,
    /// Pending commands that the connection should have sent.
    due: Arc<DueCommands>,
    /// Ends the connection because a newer one replaced it.
    replaced: CancellationToken,
    /// Ends the connection because an operator blocked the device or changed its key.
    revoked: CancellationToken,
}

/// Ids of commands, and a notification of new ones.
#[derive(Debug, Default)]
struct DueCommands {
    ids: Mutex<Vec<String>>,
    added: Notify,
}

/// The registration of a connection. Dropping it removes the entry, unless a newer connection has replaced it.
#[derive(Debug)]
pub(super) struct Registration {
    registry: Arc<Registry>,
    dsn: String,
    live: Live,
}

impl Registry {
    /// Registers a connection. The older of two connections is ended, whichever registers first.
    pub(super) fn register(self: &Arc<Self>, dsn: &str, generation: Generation, revocation: i64) -> Registration {
        let own = Live {
            generation,
            revocation,
            wake: Arc::default(),
            due: Arc::default(),
            replaced: CancellationToken::new(),
            revoked: CancellationToken::new(),
        };
        let mut live = self.lock();
        match live.get(dsn) {
            Some(newer) if newer.generation > generation => own.replaced.cancel(),
            _ => {
                if let Some(older) = live.insert(dsn.to_owned(), own.clone()) {
                    older.replaced.cancel();
                }
            }
        }
        drop(live);
        Registration { registry: Arc::clone(self), dsn: dsn.to_owned(), live: own }
    }

    pub(super) fn wake(&self, dsn: &str) {
        if let Some(live) = self.lock().get(dsn) {
            live.wake.notify_one();
        }
    }

    pub(super) fn wake_all(&self) {
        for live in self.lock().values() {
            live.wake.notify_one();
        }
    }

    /// Lets the connection of `dsn` check whether it has sent this command.
    pub(super) fn check(&self, dsn: &str, command: String) {
        if let Some(live) = self.lock().get(dsn) {
            live.due.ids.lock().expect("no holder of this lock can panic").push(command);
            live.due.added.notify_one();
        }
    }

    /// Ends the connection of `dsn` if it signed in under a lower revocation.
    pub(super) fn revoke(&self, dsn: &str, revocation: i64) {
        if let Some(live) = self.lock().get(dsn).filter(|live| live.revocation < revocation) {
            live.revoked.cancel();
        }
    }

    /// Ends the connection of `dsn` if it is older than a connection to another node.
    pub(super) fn replace(&self, dsn: &str, generation: Generation) {
        if let Some(live) = self.lock().get(dsn).filter(|live| live.generation < generation) {
            live.replaced.cancel();
        }
    }

    /// All connections.
    pub(super) fn connections(&self) -> Vec<(String, Generation)> {
        self.lock().iter().map(|(dsn, live)| (dsn.clone(), live.generation)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Live>> {
        self.live.lock().expect("no holder of this lock can panic")
    }
}

impl Registration {
    /// Also resolves for a wake before the call.
    pub(super) async fn woken(&self) {
        self.live.wake.notified().await;
    }

    /// Resolves with the ids of commands that the connection should have sent.
    pub(super) async fn due(&self) -> Vec<String> {
        self.live.due.added.notified().await;
        std::mem::take(&mut *self.live.due.ids.lock().expect("no holder of this lock can panic"))
    }

    pub(super) async fn replaced(&self) {
        self.live.replaced.cancelled().await;
    }

    pub(super) async fn revoked(&self) {
        self.live.revoked.cancelled().await;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut live = self.registry.lock();
        if live.get(&self.dsn).is_some_and(|now| now.generation == self.live.generation) {
            live.remove(&self.dsn);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn newest_connection_stays_registered_when_the_older_one_ends() {
        let registry = Arc::new(Registry::default());
        let first = registry.register("SL0001", Generation(1), 0);
        assert_eq!(first.replaced().now_or_never(), None);
        let second = registry.register("SL0001", Generation(2), 0);
        assert_eq!(first.replaced().now_or_never(), Some(()));
        drop(first);
        registry.wake("SL0001");
        assert_eq!(second.woken().now_or_never(), Some(()));
        assert_eq!(second.replaced().now_or_never(), None);
        drop(second);
        assert!(registry.lock().is_empty());
    }

    #[tokio::test]
    async fn older_connection_that_registers_late_is_replaced_immediately() {
        let registry = Arc::new(Registry::default());
        let newer = registry.register("SL0001", Generation(2), 0);
        let older = registry.register("SL0001", Generation(1), 0);
        assert_eq!((older.replaced().now_or_never(), newer.replaced().now_or_never()), (Some(()), None));
        drop(older);
        registry.wake("SL0001");
        assert_eq!(newer.woken().now_or_never(), Some(()));
    }

    #[tokio::test]
    async fn revocation_ends_only_connections_that_signed_in_before_it() {
        let registry = Arc::new(Registry::default());
        let registration = registry.register("SL0001", Generation(1), 1);
        let other = registry.register("SL0002", Generation(1), 1);
        registry.revoke("SL0001", 1);
        assert_eq!(registration.revoked().now_or_never(), None);
        registry.revoke("SL0001", 2);
        assert_eq!((registration.revoked().now_or_never(), other.revoked().now_or_never()), (Some(()), None));
        let later = registry.register("SL0001", Generation(2), 2);
        registry.revoke("SL0001", 2);
        assert_eq!(later.revoked().now_or_never(), None);
    }

    #[tokio::test]
    async fn newer_connection_to_another_node_ends_only_older_ones() {
        let registry = Arc::new(Registry::default());
        let registration = registry.register("SL0001", Generation(2), 0);
        let other = registry.register("SL0002", Generation(2), 0);
        registry.replace("SL0001", Generation(2));
        assert_eq!(registration.replaced().now_or_never(), None);
        registry.replace("SL0001", Generation(3));
        assert_eq!((registration.replaced().now_or_never(), other.replaced().now_or_never()), (Some(()), None));
        let mut connections = registry.connections();
        connections.sort();
        assert_eq!(connections, [("SL0001".to_owned(), Generation(2)), ("SL0002".to_owned(), Generation(2))]);
    }

    #[tokio::test]
    async fn commands_to_check_reach_their_device_once() {
        let registry = Arc::new(Registry::default());
        let registration = registry.register("SL0001", Generation(1), 0);
        assert_eq!(registration.due().now_or_never(), None);
        for (dsn, command) in [("SL0001", "a"), ("SL0002", "b"), ("SL0001", "c")] {
            registry.check(dsn, command.to_owned());
        }
        assert_eq!(registration.due().now_or_never().unwrap(), ["a", "c"]);
        assert_eq!(registration.due().now_or_never(), None);
    }

    #[tokio::test]
    async fn wake_reaches_one_device_and_wake_all_reaches_all() {
        let registry = Arc::new(Registry::default());
        let [one, other] = ["SL0001", "SL0002"].map(|dsn| registry.register(dsn, Generation(1), 0));
        registry.wake("SL0001");
        registry.wake("nobody");
        assert_eq!(one.woken().now_or_never(), Some(()));
        assert_eq!(other.woken().now_or_never(), None);
        registry.wake_all();
        assert_eq!((one.woken().now_or_never(), other.woken().now_or_never()), (Some(()), Some(())));
    }
}

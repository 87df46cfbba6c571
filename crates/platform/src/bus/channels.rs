//! The queues of this node's subscriptions.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use tokio::sync::{Notify, broadcast};

use super::Message;

/// How many events of a purpose a subscriber may lag behind before it must resync.
const CAPACITY: usize = 4096;

/// The queues by purpose.
#[derive(Debug, Default)]
pub(super) struct Channels {
    by_purpose: RwLock<HashMap<Box<str>, broadcast::Sender<Item>>>,
    /// Notified when a purpose gets its first subscription.
    pub(super) purpose_added: Notify,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Message(Message),
    Resync,
}

impl Channels {
    pub(super) fn subscribe(&self, purpose: &str) -> broadcast::Receiver<Item> {
        let mut channels = self.by_purpose.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(purpose) {
            return channel.subscribe();
        }
        let (channel, receiver) = broadcast::channel(CAPACITY);
        channels.insert(purpose.into(), channel);
        drop(channels);
        self.purpose_added.notify_one();
        receiver
    }

    /// The purposes that have or had subscriptions.
    pub(super) fn purposes(&self) -> Vec<Box<str>> {
        self.by_purpose.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    pub(super) fn deliver(&self, message: Message) {
        let channels = self.by_purpose.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(message.purpose()) {
            // Without subscriptions there is nothing to do.
            let _ = channel.send(Item::Message(message));
        }
    }

    /// Makes the subscriptions of a purpose resync.
    pub(super) fn resync(&self, purpose: &str) {
        if let Some(channel) = self.by_purpose.read().unwrap_or_else(PoisonError::into_inner).get(purpose) {
            let _ = channel.send(Item::Resync);
        }
    }

    /// Makes all subscriptions resync.
    pub(super) fn resync_all(&self) {
        for channel in self.by_purpose.read().unwrap_or_else(PoisonError::into_inner).values() {
            let _ = channel.send(Item::Resync);
        }
    }
}

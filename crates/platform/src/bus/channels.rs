//! The queues of this node's subscriptions.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use tokio::sync::broadcast;

use super::Message;

/// How many events of a purpose a subscriber may lag behind before it must resync.
const CAPACITY: usize = 4096;

/// The queues by purpose.
#[derive(Debug, Default)]
pub(super) struct Channels {
    by_purpose: RwLock<HashMap<Box<str>, broadcast::Sender<Message>>>,
}

impl Channels {
    pub(super) fn subscribe(&self, purpose: &str) -> broadcast::Receiver<Message> {
        let mut channels = self.by_purpose.write().unwrap_or_else(PoisonError::into_inner);
        channels.entry(purpose.into()).or_insert_with(|| broadcast::channel(CAPACITY).0).subscribe()
    }

    pub(super) fn deliver(&self, message: Message) {
        let channels = self.by_purpose.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(message.purpose()) {
            // Without subscriptions there is nothing to do.
            let _ = channel.send(message);
        }
    }
}

//! Limits the event streams of a user on this node. A new stream ends the oldest one, which may belong to a browser that nobody
//! uses any more.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The streams of this node by user. Cheap to clone.
#[derive(Clone)]
pub(crate) struct StreamSlots {
    per_user: usize,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    /// The oldest first.
    users: HashMap<Uuid, VecDeque<(u64, CancellationToken)>>,
    last: u64,
}

/// The place of a stream, until it is dropped.
pub(crate) struct StreamSlot {
    slots: StreamSlots,
    user: Uuid,
    number: u64,
    ended: CancellationToken,
}

impl StreamSlots {
    pub(crate) fn new(per_user: usize) -> Self {
        Self { per_user, open: Arc::default() }
    }

    /// Takes a place, and ends the user's oldest streams if there are too many.
    pub(crate) fn take(&self, user: Uuid) -> StreamSlot {
        let ended = CancellationToken::new();
        let mut open = self.lock();
        open.last += 1;
        let number = open.last;
        let streams = open.users.entry(user).or_default();
        streams.push_back((number, ended.clone()));
        let surplus = streams.len().saturating_sub(self.per_user.max(1));
        for (_, oldest) in streams.drain(..surplus) {
            oldest.cancel();
        }
        StreamSlot { slots: self.clone(), user, number, ended }
    }

    /// The number of open streams.
    pub(crate) fn count(&self) -> usize {
        self.lock().users.values().map(VecDeque::len).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StreamSlot {
    /// Resolves when a newer stream of the user needs the place.
    pub(crate) async fn taken_over(&self) {
        self.ended.cancelled().await;
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut open = self.slots.lock();
        if let Some(streams) = open.users.get_mut(&self.user) {
            streams.retain(|(number, _)| *number != self.number);
            if streams.is_empty() {
                open.users.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn ended(slots: &[&StreamSlot]) -> Vec<bool> {
        slots.iter().map(|slot| slot.taken_over().now_or_never().is_some()).collect()
    }

    #[test]
    fn newest_stream_of_a_user_ends_the_oldest() {
        let slots = StreamSlots::new(2);
        let [user, other] = [1, 2].map(Uuid::from_u128);
        let (first, second, foreign) = (slots.take(user), slots.take(user), slots.take(other));
        assert_eq!(ended(&[&first, &second, &foreign]), [false; 3]);
        let third = slots.take(user);
        assert_eq!(ended(&[&first, &second, &third, &foreign]), [true, false, false, false]);
        drop(third);
        let fourth = slots.take(user);
        assert_eq!(ended(&[&second, &fourth]), [false; 2], "a closed stream frees its place");
        drop(first);
        let _fifth = slots.take(user);
        assert_eq!(ended(&[&second, &fourth]), [true, false], "a stream that was ended has no place to free");
    }

    #[test]
    fn closed_streams_leave_nothing_behind() {
        let slots = StreamSlots::new(1);
        for user in 0..10 {
            drop((slots.take(Uuid::from_u128(user)), slots.take(Uuid::from_u128(user))));
        }
        assert!(slots.lock().users.is_empty());
    }
}

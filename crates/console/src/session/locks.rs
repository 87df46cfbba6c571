//! One holder at a time for each session, within this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use super::SessionHash;

/// Locks by session. Those that nobody holds or waits for take no memory.
#[derive(Debug, Default)]
pub(crate) struct Locks(Mutex<HashMap<SessionHash, Weak<AsyncMutex<()>>>>);

impl Locks {
    /// Waits until nobody else holds this session's lock.
    pub(crate) async fn lock(&self, session: &SessionHash) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            locks.retain(|_, lock| lock.strong_count() > 0);
            let known = locks.get(session).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                let new = Arc::default();
                locks.insert(session.clone(), Arc::downgrade(&new));
                new
            })
        };
        lock.lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_lock_keeps_others_of_the_same_session_out() {
        let locks = Locks::default();
        let (a, b) = (SessionHash::of(&[1; 32]), SessionHash::of(&[2; 32]));
        let held = locks.lock(&a).await;
        assert!(locks.lock(&a).now_or_never().is_none());
        assert!(locks.lock(&b).now_or_never().is_some());
        drop(held);
        assert!(locks.lock(&a).now_or_never().is_some());
    }
}

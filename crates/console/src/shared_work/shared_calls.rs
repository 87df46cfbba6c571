//! Deduplicates concurrent calls: callers with the same key share one running call.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

type RunningCalls<K, V> = Arc<Mutex<HashMap<K, Shared<BoxFuture<'static, V>>>>>;

/// The running calls by key.
#[derive(Clone)]
pub(crate) struct SharedCalls<K, V: Clone>(RunningCalls<K, V>);

impl<K, V> SharedCalls<K, V>
where
    K: Clone + Eq + Hash + Send + 'static,
    V: Clone + Send + Sync + 'static,
{
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    /// Awaits the running call of `key`, or starts `work`. The call runs to its end even if all callers are dropped.
    pub(crate) async fn join<F>(&self, key: K, work: impl FnOnce() -> F) -> V
    where
        F: Future<Output = V> + Send + 'static,
    {
        let call = {
            let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match running.get(&key) {
                Some(call) => call.clone(),
                None => {
                    let call = self.spawn_call(key.clone(), work());
                    running.insert(key, call.clone());
                    call
                }
            }
        };
        call.await
    }

    fn spawn_call(&self, key: K, work: impl Future<Output = V> + Send + 'static) -> Shared<BoxFuture<'static, V>> {
        let running = Arc::clone(&self.0);
        let task = tokio::spawn(async move {
            let outcome = work.await;
            running.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
            outcome
        });
        async move { task.await.expect("the task is never aborted, and its panic is ours to pass on") }.boxed().shared()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn concurrent_callers_share_one_call_and_later_callers_start_a_new_one() {
        let calls: SharedCalls<&str, u32> = SharedCalls::new();
        let (started, go) = (Arc::new(AtomicU32::new(0)), Arc::new(Notify::new()));
        let ask = || {
            let (started, go) = (Arc::clone(&started), Arc::clone(&go));
            calls.join("a", || async move {
                let number = started.fetch_add(1, Ordering::SeqCst);
                go.notified().await;
                number
            })
        };
        go.notify_one();
        assert_eq!(futures::join!(ask(), ask(), ask()), (0, 0, 0));
        go.notify_one();
        assert_eq!(ask().await, 1);
    }
}

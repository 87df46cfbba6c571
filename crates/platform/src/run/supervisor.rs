//! Background tasks that a server cannot do without: the end of one of them is a failure of the server.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// Runs background tasks until the server stops. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Supervisor {
    stop: CancellationToken,
    tasks: TaskTracker,
    failure: Arc<watch::Sender<Option<TaskFailure>>>,
    #[cfg(feature = "testing")]
    running: Arc<std::sync::Mutex<std::collections::BTreeMap<&'static str, tokio::task::AbortHandle>>>,
}

/// A background task that ended although the server was not stopping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the background task {name:?} {}", if *.panicked { "panicked" } else { "ended" })]
pub struct TaskFailure {
    /// The name of the task.
    pub name: &'static str,
    /// Whether it panicked.
    pub panicked: bool,
}

impl Supervisor {
    /// A supervisor of tasks that may end once `stop` is cancelled. They count among `tasks`.
    #[must_use]
    pub fn new(stop: CancellationToken, tasks: TaskTracker) -> Self {
        Self {
            stop,
            tasks,
            failure: Arc::new(watch::Sender::new(None)),
            #[cfg(feature = "testing")]
            running: Arc::default(),
        }
    }

    /// A supervisor of tasks that may end once another token is cancelled, and that reports failures together with this one.
    #[must_use]
    pub fn with_stop(&self, stop: CancellationToken, tasks: TaskTracker) -> Self {
        Self { stop, tasks, ..self.clone() }
    }

    /// Runs a task. Names are unique within a server.
    pub fn spawn(&self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let task = self.tasks.spawn(task.in_current_span());
        #[cfg(feature = "testing")]
        self.running.lock().expect("no holder of this lock can panic").insert(name, task.abort_handle());
        let (stop, failure) = (self.stop.clone(), Arc::clone(&self.failure));
        self.tasks.spawn(async move {
            let ended = task.await;
            if stop.is_cancelled() {
                return;
            }
            let panicked = ended.is_err_and(|error| error.is_panic());
            let ended = TaskFailure { name, panicked };
            tracing::error!("{ended}");
            failure.send_if_modified(|first| first.is_none() && first.replace(ended).is_none());
        });
    }

    /// The first failure of a task. The server must then stop.
    pub async fn failed(&self) -> TaskFailure {
        let mut failure = self.failure.subscribe();
        let failure = failure.wait_for(Option::is_some).await.ok().and_then(|failure| failure.clone());
        match failure {
            Some(failure) => failure,
            // The sender lives as long as `self`.
            None => std::future::pending().await,
        }
    }

    /// The names of all tasks that were started.
    ///
    /// # Panics
    /// Never: no holder of the lock can panic.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.running.lock().expect("no holder of this lock can panic").keys().copied().collect()
    }

    /// Ends a task, as a fault would.
    ///
    /// # Panics
    /// If no task has this name.
    #[cfg(feature = "testing")]
    pub fn kill(&self, name: &str) {
        self.running.lock().expect("no holder of this lock can panic").get(name).expect("a task").abort();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tokio::sync::oneshot;

    use super::*;

    fn supervisor() -> Supervisor {
        Supervisor::new(CancellationToken::new(), TaskTracker::new())
    }

    #[tokio::test]
    async fn task_that_ends_or_panics_is_a_failure() {
        let supervisor = supervisor();
        supervisor.spawn("endless", std::future::pending());
        assert_eq!(supervisor.failed().now_or_never(), None);
        supervisor.spawn("short", async {});
        let failure = supervisor.failed().await;
        assert_eq!(failure.to_string(), "the background task \"short\" ended");
        supervisor.spawn("late", async {});
        assert_eq!(supervisor.failed().await, failure, "the first failure is kept");

        let other = self::supervisor();
        other.spawn("faulty", async { panic!("a fault") });
        assert_eq!(other.failed().await.to_string(), "the background task \"faulty\" panicked");
    }

    #[tokio::test]
    async fn task_that_ends_after_the_stop_is_no_failure() {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let supervisor = Supervisor::new(stop.clone(), tasks.clone());
        supervisor.spawn("patient", stop.clone().cancelled_owned());
        tasks.close();
        stop.cancel();
        tasks.wait().await;
        assert_eq!(supervisor.failed().now_or_never(), None);
    }

    #[tokio::test]
    async fn supervisors_with_separate_stops_share_their_failures() {
        let supervisor = supervisor();
        let (end, ended) = oneshot::channel::<()>();
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let part = supervisor.with_stop(stop, tasks);
        part.spawn("part", async { ended.await.unwrap_or_default() });
        drop(end);
        assert_eq!(supervisor.failed().await.name, "part");
    }
}

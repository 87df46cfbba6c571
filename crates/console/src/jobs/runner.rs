//! Takes the jobs that have work left, on every node.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use super::run::Run;
use super::store;
use crate::state::AppState;

/// How long a claim counts that is not kept. A node that was cut off from the database for longer may find the job taken over.
pub(super) const CLAIM: SignedDuration = SignedDuration::from_secs(30);
/// Between two looks for jobs that other nodes started or left behind.
const LOOK: Duration = Duration::from_secs(1);
/// A node works on so many jobs at once; the others wait, or are taken by another node.
const JOBS: usize = 8;
/// And on so many targets, of whichever jobs: they take turns.
const TARGETS: usize = 8;

/// One node's share of the jobs.
pub(crate) struct Runner {
    state: AppState,
    tasks: TaskTracker,
    jobs: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

impl Runner {
    /// Works in these tasks.
    pub(crate) fn new(state: AppState, tasks: TaskTracker) -> Self {
        Self { state, tasks, jobs: Arc::new(Semaphore::new(JOBS)), turns: Arc::new(Semaphore::new(TARGETS)) }
    }

    /// Until the console stops. The jobs' own tasks end what they have begun. Only waiting is cut short: a claim that nobody hears
    /// of would keep its job from everybody until it has run out.
    pub(crate) async fn run(self) {
        let stopping = self.state.stopping.clone();
        while let Some(Ok(place)) = stopping.run_until_cancelled(Arc::clone(&self.jobs).acquire_owned()).await {
            let taken = self.take_one(place).await;
            if let Err(error) = &taken {
                tracing::warn!(%error, "jobs could not be looked for");
            }
            if !matches!(taken, Ok(true)) {
                tokio::select! {
                    () = stopping.cancelled() => return,
                    () = self.state.jobs.notified() => {}
                    () = tokio::time::sleep(LOOK) => {}
                }
            }
        }
    }

    /// Answers whether there was a job to take.
    async fn take_one(&self, place: OwnedSemaphorePermit) -> platform::db::Result<bool> {
        let base = &self.state.base;
        let (name, now) = (base.random.hex(8), base.clock.now());
        let Some(job) = store::claim(&base.db, &name, now, now + CLAIM).await? else { return Ok(false) };
        let run = Run::new(self.state.clone(), job, name, Arc::clone(&self.turns));
        self.tasks.spawn(async move {
            run.run().await;
            drop(place);
        });
        Ok(true)
    }
}

//! Claims and runs jobs, on every node.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use super::job_run::{CLAIM_DURATION, JobRun};
use super::service::Jobs;
use super::store;

/// Interval between polls for jobs of other nodes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of concurrent jobs of a node; others wait or run on another node.
const MAX_JOBS: usize = 8;
/// Maximum number of concurrent targets over all jobs of a node.
const MAX_TARGETS: usize = 8;

/// Runs jobs on this node.
pub(crate) struct Runner {
    service: Jobs,
    tasks: TaskTracker,
    jobs: Arc<Semaphore>,
    target_permits: Arc<Semaphore>,
}

impl Runner {
    /// Spawns job runs into `tasks`.
    pub(crate) fn new(service: Jobs, tasks: TaskTracker) -> Self {
        Self {
            service,
            tasks,
            jobs: Arc::new(Semaphore::new(MAX_JOBS)),
            target_permits: Arc::new(Semaphore::new(MAX_TARGETS)),
        }
    }

    /// Runs until the console stops. Job runs complete their current targets. Only waiting is cancelled: a cancelled
    /// claim could otherwise block its job until the claim expires.
    pub(crate) async fn run(self) {
        let stopping = self.service.core().stopping.clone();
        while let Some(Ok(permit)) = stopping.run_until_cancelled(Arc::clone(&self.jobs).acquire_owned()).await {
            let claimed = self.claim_one(permit).await;
            if let Err(error) = &claimed
                && !error.is_unavailable()
            {
                tracing::warn!(%error, "jobs could not be polled");
            }
            if !matches!(claimed, Ok(true)) {
                tokio::select! {
                    () = stopping.cancelled() => return,
                    () = self.service.started() => {}
                    () = tokio::time::sleep(POLL_INTERVAL) => {}
                }
            }
        }
    }

    /// Returns whether a job was claimed.
    async fn claim_one(&self, permit: OwnedSemaphorePermit) -> platform::db::Result<bool> {
        let base = &self.service.core().base;
        let (claim_name, now) = (base.random.hex(8), base.clock.now());
        let Some(job) = store::claim(&base.db, &claim_name, now, now + CLAIM_DURATION).await? else { return Ok(false) };
        let run = JobRun::new(self.service.clone(), job, claim_name, Arc::clone(&self.target_permits));
        self.tasks.spawn(async move {
            run.run().await;
            drop(permit);
        });
        Ok(true)
    }
}

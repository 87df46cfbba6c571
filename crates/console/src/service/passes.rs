//! When the full passes take place: from time to time, and whenever somebody has reason to doubt the index.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};

use super::ServiceSession;
use super::backoff::{Backoff, jittered};
use crate::index::{CloudFleet, PassError, run_pass};
use crate::state::Base;

/// Runs the passes.
pub(crate) struct Passes {
    pub(crate) base: Base,
    pub(crate) service: Arc<ServiceSession>,
    pub(crate) every: Duration,
    pub(crate) handle: PassesHandle,
}

/// Asks for passes and waits for them. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct PassesHandle {
    wanted: Arc<Notify>,
    progress: Arc<watch::Sender<Progress>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// The number of the pass that began last.
    begun: u64,
    /// The number of the pass that was completed last.
    completed: u64,
}

impl PassesHandle {
    pub(crate) fn new() -> Self {
        Self { wanted: Arc::default(), progress: Arc::default() }
    }

    /// Asks for a pass that begins after this call.
    pub(crate) fn request(&self) {
        self.wanted.notify_one();
    }

    /// Waits for a complete pass that began after this call, asking for one.
    pub(crate) async fn run_one(&self) {
        let next = self.progress.borrow().begun + 1;
        self.request();
        self.wait_for(next).await;
    }

    /// Waits for the first complete pass.
    pub(crate) async fn first(&self) {
        self.wait_for(1).await;
    }

    async fn wait_for(&self, number: u64) {
        let mut progress = self.progress.subscribe();
        // The sender lives as long as this handle.
        let _ = progress.wait_for(|progress| progress.completed >= number).await;
    }
}

impl Passes {
    /// Runs passes until it is dropped.
    pub(crate) async fn run(self) {
        let mut backoff = Backoff::new(self.base.random.clone());
        loop {
            let wait = match self.run_one().await {
                Ok(()) => {
                    backoff.reset();
                    jittered(&self.base.random, self.every)
                }
                Err(error) => {
                    let wait = backoff.next();
                    tracing::warn!(%error, wait_ms = wait.as_millis(), "a pass over the devices failed");
                    wait
                }
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.handle.wanted.notified() => {}
            }
        }
    }

    async fn run_one(&self) -> Result<(), PassError> {
        let mut number = 0;
        self.handle.progress.send_modify(|progress| {
            progress.begun += 1;
            number = progress.begun;
        });
        let cloud = self.service.cloud().await?;
        run_pass(&self.base, &mut CloudFleet::new(cloud)).await?;
        self.handle.progress.send_modify(|progress| progress.completed = number);
        tracing::debug!(number, "a pass over the devices is complete");
        Ok(())
    }
}

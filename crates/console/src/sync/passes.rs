//! Schedules full passes. They run on the node that holds the lease: at intervals, and when any node requests one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use devicecloud::Fingerprint;
use jiff::Timestamp;
use platform::nodes::lease::{LIFETIME, Lease};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::backoff::{Backoff, jittered};
use super::device_reader::DeviceReader;
use super::level_checks::LevelChecks;
use super::metrics;
use super::retry_log::RetryLog;
use crate::attention::AttentionEvaluator;
use crate::base::Base;
use crate::csps;
use crate::devices;
use crate::events::notices;
use crate::fleet::FleetSampler;
use crate::fragrances;
use crate::index::forecasts::{DueForecasts, ForecastUpdater, end_passed_forecasts};
use crate::index::observed_devices::AttentionQueue;
use crate::index::streamed_values::StreamedValues;
use crate::index::{self, CloudFleet, Due, DueReads, PageMemory, PassError, PassReport};
use crate::records::Catalogue;
use crate::retention::Retention;
use crate::sessions::service_account::ServiceSession;
use crate::users;

/// Interval between checks of the lease and of requests by other nodes.
const POLL_INTERVAL: Duration = Duration::from_secs(3);
/// Interval at which a node tries to acquire the lease. Together with the lifetime of a lease, another node takes over within ten
/// seconds.
const TAKE_INTERVAL: Duration = Duration::from_secs(1);
/// Every this many passes, all pages are compared even if their fingerprints match, so that no error persists.
const FULL_COMPARISON_EVERY: u64 = 60;
/// How long a stopping console waits for the release of the lease.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);

/// Runs the passes.
pub(crate) struct PassRunner {
    pub(crate) base: Base,
    pub(crate) service: Arc<ServiceSession>,
    pub(crate) every: Duration,
    /// Delay before each call to the cloud.
    pub(crate) pause: Duration,
    /// Interval between two reads of single devices.
    pub(crate) read_pause: Duration,
    /// Delay before each call that reads a history.
    pub(crate) history_pause: Duration,
    pub(crate) retention: Retention,
    pub(crate) handle: PassHandle,
    /// Devices whose attention has to be examined.
    pub(crate) attention: AttentionQueue,
    /// Devices that have to be read again.
    pub(crate) reads: DueReads,
    pub(crate) values: StreamedValues,
    pub(crate) lease: Lease,
    pub(crate) stopping: CancellationToken,
}

/// Requests passes and waits for them. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct PassHandle {
    /// Signals that a pass may be needed.
    wake: Arc<Notify>,
    /// Whether this node has needed a pass since the last one began.
    pass_needed: Arc<AtomicBool>,
    progress: Arc<watch::Sender<Progress>>,
}

/// Progress of the passes of all nodes, as known to this node.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Number of the last request before the pass that this node began last.
    begun: i64,
    /// Number of the last completed request.
    completed: i64,
    /// Whether the index has been filled, by this process or an earlier one, on any node.
    ready: bool,
    /// When the last pass began that this node has completed since it acquired the lease.
    last_began: Option<Timestamp>,
}

impl PassHandle {
    pub(crate) fn new() -> Self {
        Self { wake: Arc::default(), pass_needed: Arc::default(), progress: Arc::default() }
    }

    /// Requests a pass that begins after this call, on any node.
    pub(crate) fn request(&self) {
        self.pass_needed.store(true, Ordering::SeqCst);
        self.wake.notify_one();
    }

    /// When the last pass began that this node has completed since it acquired the lease. While it holds the lease,
    /// everything before this time is in the index.
    pub(super) fn last_pass_began(&self) -> Option<Timestamp> {
        self.progress.borrow().last_began
    }

    #[cfg(test)]
    pub(super) fn is_requested(&self) -> bool {
        self.pass_needed.load(Ordering::SeqCst)
    }

    #[cfg(test)]
    pub(super) fn complete(&self, began: Timestamp) {
        self.progress.send_modify(|progress| progress.last_began = Some(began));
    }

    /// Requests a pass and waits until it is complete.
    pub(crate) async fn wait_for_new_pass(&self, base: &Base) {
        let requested = loop {
            match index::request_pass(&base.db).await {
                Ok(requested) => break requested,
                Err(error) if error.is_unavailable() => {}
                Err(error) => tracing::warn!(%error, "a pass could not be requested"),
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        };
        self.wake.notify_one();
        self.wait_for(|progress| progress.completed >= requested).await;
    }

    /// Waits until the index has been filled, by this process or an earlier one, on any node.
    pub(crate) async fn wait_until_filled(&self) {
        self.wait_for(|progress| progress.ready).await;
    }

    async fn wait_for(&self, reached: impl FnMut(&Progress) -> bool) {
        // The sender lives as long as this handle.
        let _ = self.progress.subscribe().wait_for(reached).await;
    }
}

impl PassRunner {
    /// Runs passes until the console stops.
    pub(crate) async fn run(self) {
        let lease = &self.lease;
        // On the heap, because all this work is too large to be moved on the stack of the caller.
        let work = Box::pin(async {
            loop {
                self.wait_for_lease(lease).await;
                // The first branch to return reports the loss of the lease; the others are cancelled.
                let due = Due { reads: self.reads.clone(), forecasts: DueForecasts::default() };
                let (reader, levels) = (self.reader(due.forecasts.clone()), self.level_checks());
                let (forecasts, attention) = (self.forecasts(due.forecasts.clone()), self.evaluator());
                let sampler = FleetSampler { base: self.base.clone() };
                tokio::select! {
                    () = self.keep_lease(lease) => {}
                    () = self.run_passes(lease, &due) => {}
                    () = reader.run() => {}
                    () = levels.run() => {}
                    () = self.follow_writes() => {}
                    () = forecasts.run() => {}
                    () = attention.run() => {}
                    () = sampler.run() => {}
                    () = self.retention.run() => {}
                    () = devices::delete_old_removals_forever(&self.base) => {}
                }
                tracing::warn!("lost the lease of the passes");
            }
        });
        self.stopping.run_until_cancelled(work).await;
        // Lets another node take over immediately.
        let _ = tokio::time::timeout(RELEASE_TIMEOUT, lease.release()).await;
    }

    /// Waits until this node has the lease, and forwards its own requests meanwhile.
    async fn wait_for_lease(&self, lease: &Lease) {
        loop {
            // Also before the first pass of this node, because an earlier process may have filled the index.
            self.read_progress().await;
            match lease.take().await {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) if error.is_unavailable() => {}
                Err(error) => tracing::warn!(%error, "the lease of the passes could not be acquired"),
            }
            tokio::select! {
                () = tokio::time::sleep(TAKE_INTERVAL) => {}
                () = self.handle.wake.notified() => self.forward_request().await,
            }
        }
    }

    async fn forward_request(&self) {
        if !self.handle.pass_needed.swap(false, Ordering::SeqCst) {
            return;
        }
        if let Err(error) = index::request_pass(&self.base.db).await {
            if !error.is_unavailable() {
                tracing::warn!(%error, "a pass could not be requested");
            }
            self.handle.request();
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Reads the progress of other nodes and of earlier processes.
    async fn read_progress(&self) {
        match index::sync_state(&self.base.db).await {
            Ok(state) => self.handle.progress.send_modify(|progress| {
                progress.completed = state.completed;
                progress.ready |= state.times.is_some();
            }),
            Err(error) if error.is_unavailable() => {}
            Err(error) => tracing::warn!(%error, "the progress of the passes could not be read"),
        }
    }

    /// Renews the lease and polls for requests of other nodes until the lease is lost.
    async fn keep_lease(&self, lease: &Lease) {
        let longest = Duration::try_from(LIFETIME).unwrap_or(POLL_INTERVAL);
        while lease.is_held() {
            tokio::time::sleep(POLL_INTERVAL).await;
            let renewal =
                async { Ok::<_, platform::db::Error>((lease.renew().await?, index::sync_state(&self.base.db).await?)) };
            match tokio::time::timeout(longest, renewal).await {
                Ok(Ok((false, _))) => return,
                Ok(Ok((true, state))) => {
                    if state.requested > self.handle.progress.borrow().begun {
                        self.handle.wake.notify_one();
                    }
                }
                Ok(Err(error)) if error.is_unavailable() => {}
                Ok(Err(error)) => tracing::warn!(%error, "the lease of the passes could not be renewed"),
                Err(_) => tracing::warn!("renewing the lease of the passes timed out"),
            }
        }
    }

    /// Runs passes until the lease is lost.
    async fn run_passes(&self, lease: &Lease, due: &Due) {
        let (mut backoff, mut memory) = (Backoff::new(self.base.random.clone()), PageMemory::new());
        let mut retries = RetryLog::new(self.base.clock.clone());
        let mut catalogue = Arc::default();
        self.handle.progress.send_modify(|progress| progress.last_began = None);
        for pass in 1_u64.. {
            if pass.is_multiple_of(FULL_COMPARISON_EVERY) {
                memory = PageMemory::new();
            }
            match self.run_one(lease, &mut memory, &mut catalogue, due).await {
                Ok(report) => {
                    backoff.reset();
                    retries.succeeded();
                    tracing::debug!(?report, reads_due = due.reads.len(), "a pass over the devices is complete");
                    self.wait(jittered(&self.base.random, self.every)).await;
                }
                Err(PassError::LeaseLost) => return,
                Err(error) => {
                    metrics::failure();
                    let (wait, asked) = (backoff.next(), error.retry_after());
                    if let Some(tries) = retries.failed(&error).filter(|_| !error.is_unavailable()) {
                        tracing::warn!(%error, tries, wait_ms = wait.as_millis(), "a pass failed");
                    }
                    // Requests also wait for the cloud's `Retry-After`.
                    tokio::time::sleep(asked).await;
                    self.wait(wait.saturating_sub(asked)).await;
                }
            }
        }
    }

    /// Waits for `time`, or until a pass is needed.
    async fn wait(&self, time: Duration) {
        let wanted = async {
            loop {
                self.handle.wake.notified().await;
                if self.is_wanted().await {
                    return;
                }
            }
        };
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = wanted => {}
        }
    }

    /// False if a pass that has just begun covers the request.
    async fn is_wanted(&self) -> bool {
        let begun = self.handle.progress.borrow().begun;
        self.handle.pass_needed.load(Ordering::SeqCst)
            || index::sync_state(&self.base.db).await.is_ok_and(|state| state.requested > begun)
    }

    /// Queues devices that a console has changed for a read and an examination. Never returns.
    async fn follow_writes(&self) {
        let mut written = notices::written_devices(&self.base.bus);
        while let Some(dsn) = written.next().await {
            self.attention.note(&dsn);
            self.reads.add_urgent(&dsn.as_str().into());
        }
        std::future::pending::<()>().await;
    }

    pub(super) fn reader(&self, forecasts: DueForecasts) -> DeviceReader {
        let (base, service) = (self.base.clone(), Arc::clone(&self.service));
        DeviceReader { base, service, pause: self.read_pause, due: self.reads.clone(), forecasts }
    }

    pub(super) fn level_checks(&self) -> LevelChecks {
        LevelChecks { base: self.base.clone(), values: self.values.clone(), reads: self.reads.clone() }
    }

    pub(super) fn evaluator(&self) -> AttentionEvaluator {
        let (queue, values, reads) = (self.attention.clone(), self.values.clone(), self.reads.clone());
        AttentionEvaluator { base: self.base.clone(), queue, values, reads }
    }

    pub(super) fn forecasts(&self, due: DueForecasts) -> ForecastUpdater {
        let (base, service) = (self.base.clone(), Arc::clone(&self.service));
        ForecastUpdater { base, service, pause: self.history_pause, due, attention: self.attention.clone() }
    }

    pub(super) async fn run_one(
        &self,
        lease: &Lease,
        memory: &mut PageMemory<Fingerprint>,
        catalogue: &mut Arc<Catalogue>,
        due: &Due,
    ) -> Result<PassReport, PassError> {
        let cloud = self.service.cloud().await?;
        let present = fragrances::by_name(&self.base.db).await?;
        if **catalogue != present {
            // With another catalogue, any device's level may have changed.
            (*catalogue, *memory) = (Arc::new(present), PageMemory::new());
        }
        let requested = index::sync_state(&self.base.db).await?.requested;
        // Cleared after reading the requests, so that an earlier need is not left to a later pass.
        self.handle.pass_needed.store(false, Ordering::SeqCst);
        self.handle.progress.send_modify(|progress| progress.begun = requested);
        // Users first, because they need few calls. Their failure does not stop the devices.
        let people = users::run_pass(&self.base, &self.service, cloud.clone(), lease, self.pause).await;
        let began = self.base.clock.now();
        let mut fleet = CloudFleet::new(cloud, self.pause, self.base.clock.clone(), Arc::clone(catalogue), due.clone());
        let report = index::run_pass(&self.base, &mut fleet, lease, memory).await?;
        csps::adopt_labelled(&self.base).await?;
        end_passed_forecasts(&self.base).await?;
        index::complete_pass(&self.base, lease, began, report, requested).await?;
        let took = self.base.clock.now().duration_since(began);
        metrics::pass(report, fleet.calls(), took.try_into().unwrap_or_default());
        self.handle.progress.send_modify(|progress| {
            progress.completed = requested;
            progress.ready |= report.unsettled == 0;
            progress.last_began = Some(began);
        });
        let people = people?;
        tracing::debug!(report = ?people, "a pass over users is complete");
        Ok(report)
    }
}

//! When the full passes take place, and on which node: on the one that holds the lease, from time to time, and whenever
//! somebody on any node has reason to doubt the index.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use devicecloud::Fingerprint;
use platform::lease::{LIFETIME, Lease};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::backoff::{Backoff, jittered};
use super::levels::{Due, Levels};
use super::{ServiceSession, metrics};
use crate::audit;
use crate::devices;
use crate::fragrances;
use crate::index::{self, CloudFleet, PageMemory, PassError, PassReport};
use crate::jobs;
use crate::records::Catalogue;
use crate::state::Base;
use crate::users;

/// Between two looks at the lease and at the wishes of other nodes.
const LOOK: Duration = Duration::from_secs(3);
/// Every so many passes all pages are compared, also those that seem to be as they were: nothing stays wrong for ever.
const COMPARE_ALL: u64 = 60;
/// A database that is gone does not keep a console that stops.
const FAREWELL: Duration = Duration::from_secs(2);

/// Runs the passes.
pub(crate) struct Passes {
    pub(crate) base: Base,
    pub(crate) service: Arc<ServiceSession>,
    pub(crate) every: Duration,
    /// Before each call to the cloud.
    pub(crate) pause: Duration,
    /// So long the audit is kept.
    pub(crate) audit_days: u32,
    pub(crate) handle: PassesHandle,
    pub(crate) stopping: CancellationToken,
}

/// Asks for passes and waits for them. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct PassesHandle {
    /// Something may have changed about whether a pass is wanted.
    wake: Arc<Notify>,
    /// Whether this node has had reason to doubt the index since the last pass began.
    doubt: Arc<AtomicBool>,
    progress: Arc<watch::Sender<Progress>>,
}

/// What this node knows about the passes of all nodes.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// The last wish before the pass that this node began last.
    begun: i64,
    /// Up to which number the wishes are fulfilled.
    completed: i64,
    /// Whether this node has completed a pass, or found the index filled by another.
    ready: bool,
}

impl PassesHandle {
    pub(crate) fn new() -> Self {
        Self { wake: Arc::default(), doubt: Arc::default(), progress: Arc::default() }
    }

    /// Asks for a pass that begins after this call, on whichever node.
    pub(crate) fn request(&self) {
        self.doubt.store(true, Ordering::SeqCst);
        self.wake.notify_one();
    }

    /// Waits for a complete pass that began after this call, asking for one.
    pub(crate) async fn run_one(&self, base: &Base) {
        let requested = loop {
            match index::request_pass(&base.db).await {
                Ok(requested) => break requested,
                Err(error) => tracing::warn!(%error, "a pass could not be asked for"),
            }
            tokio::time::sleep(LOOK).await;
        };
        self.wake.notify_one();
        self.wait_for(|progress| progress.completed >= requested).await;
    }

    /// Waits for the first complete pass of this node, or for an index that another node has filled.
    pub(crate) async fn first(&self) {
        self.wait_for(|progress| progress.ready).await;
    }

    async fn wait_for(&self, reached: impl FnMut(&Progress) -> bool) {
        // The sender lives as long as this handle.
        let _ = self.progress.subscribe().wait_for(reached).await;
    }
}

impl Passes {
    /// Until the console stops.
    pub(crate) async fn run(self) {
        let holder = self.base.random.uuid().to_string();
        let lease = Lease::new(self.base.db.clone(), self.base.clock.clone(), index::LEASE, holder);
        let work = async {
            loop {
                self.wait_for_lease(&lease).await;
                // Whichever ends first says that the lease is lost; the other one is dropped where it stands.
                tokio::select! {
                    () = self.keep(&lease) => {}
                    () = self.run_passes(&lease) => {}
                    () = audit::keep_tidy(&self.base, self.audit_days) => {}
                    () = jobs::keep_tidy(&self.base) => {}
                    () = devices::delete_old_resets_forever(&self.base) => {}
                }
                tracing::warn!("another node may run the passes now");
            }
        };
        self.stopping.run_until_cancelled(work).await;
        // So that another node goes on at once.
        let _ = tokio::time::timeout(FAREWELL, lease.release()).await;
    }

    /// Until this node is the one that runs the passes. Meanwhile the wishes of this node are told to the one that is.
    async fn wait_for_lease(&self, lease: &Lease) {
        loop {
            match lease.take().await {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, "the lease of the passes could not be asked for"),
            }
            self.look().await;
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = self.handle.wake.notified() => self.pass_on_doubt().await,
            }
        }
    }

    async fn pass_on_doubt(&self) {
        if !self.handle.doubt.swap(false, Ordering::SeqCst) {
            return;
        }
        if let Err(error) = index::request_pass(&self.base.db).await {
            tracing::warn!(%error, "a pass could not be asked for");
            self.handle.request();
            tokio::time::sleep(LOOK).await;
        }
    }

    /// What another node has done.
    async fn look(&self) {
        match index::sync_state(&self.base.db).await {
            Ok(state) => self.handle.progress.send_modify(|progress| {
                progress.completed = state.completed;
                progress.ready |= state.as_of.is_some();
            }),
            Err(error) => tracing::warn!(%error, "the progress of the passes could not be read"),
        }
    }

    /// Renews the lease and listens to the wishes of other nodes, until the lease is lost.
    async fn keep(&self, lease: &Lease) {
        let longest = Duration::try_from(LIFETIME).unwrap_or(LOOK);
        while lease.is_held() {
            tokio::time::sleep(LOOK).await;
            let look =
                async { Ok::<_, platform::db::Error>((lease.renew().await?, index::sync_state(&self.base.db).await?)) };
            match tokio::time::timeout(longest, look).await {
                Ok(Ok((false, _))) => return,
                Ok(Ok((true, state))) => {
                    if let Some(as_of) = state.as_of {
                        metrics::age(as_of, self.base.clock.now());
                    }
                    if state.requested > self.handle.progress.borrow().begun {
                        self.handle.wake.notify_one();
                    }
                }
                Ok(Err(error)) => tracing::warn!(%error, "the lease of the passes could not be renewed"),
                Err(_) => tracing::warn!("the database did not renew the lease of the passes in time"),
            }
        }
    }

    /// One pass after the other, until the lease is lost.
    async fn run_passes(&self, lease: &Lease) {
        let (mut backoff, mut memory) = (Backoff::new(self.base.random.clone()), PageMemory::new());
        let (mut catalogue, mut levels) = (Arc::default(), self.levels());
        for pass in 1_u64.. {
            if pass.is_multiple_of(COMPARE_ALL) {
                memory = PageMemory::new();
            }
            match self.run_one(lease, &mut memory, &mut catalogue, &mut levels).await {
                Ok(report) => {
                    backoff.reset();
                    tracing::debug!(
                        ?report,
                        levels_due = levels.due.devices.len(),
                        "a pass over the devices is complete"
                    );
                    tokio::select! {
                        () = self.wait(jittered(&self.base.random, self.every)) => {}
                        () = levels.work() => {}
                    }
                }
                Err(PassError::LeaseLost) => return,
                Err(error) => {
                    metrics::failure();
                    let (wait, asked) = (backoff.next(), error.retry_after());
                    tracing::warn!(%error, wait_ms = wait.as_millis(), "a pass failed");
                    // Whoever is in a hurry waits, too, when the cloud asks for it.
                    tokio::time::sleep(asked).await;
                    self.wait(wait.saturating_sub(asked)).await;
                }
            }
        }
    }

    /// So long, or until a pass is wanted.
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

    /// Not when the wish that woke it was fulfilled by a pass that had just begun.
    async fn is_wanted(&self) -> bool {
        let begun = self.handle.progress.borrow().begun;
        self.handle.doubt.load(Ordering::SeqCst)
            || index::sync_state(&self.base.db).await.is_ok_and(|state| state.requested > begun)
    }

    fn levels(&self) -> Levels {
        let (base, service) = (self.base.clone(), Arc::clone(&self.service));
        Levels { base, service, pause: self.pause, due: Due::default() }
    }

    async fn run_one(
        &self,
        lease: &Lease,
        memory: &mut PageMemory<Fingerprint>,
        catalogue: &mut Arc<Catalogue>,
        levels: &mut Levels,
    ) -> Result<PassReport, PassError> {
        let cloud = self.service.cloud().await?;
        let present = fragrances::by_name(&self.base.db).await?;
        if **catalogue != present {
            // Every device may have another level now.
            (*catalogue, *memory) = (Arc::new(present), PageMemory::new());
        }
        let requested = index::sync_state(&self.base.db).await?.requested;
        // After the wishes: a doubt that came before one of them is not left for a pass that nobody wished for.
        self.handle.doubt.store(false, Ordering::SeqCst);
        self.handle.progress.send_modify(|progress| progress.begun = requested);
        // Few calls, so first. That it failed keeps nobody from the devices.
        let people = users::run_pass(&self.base, &self.service, cloud.clone(), lease, self.pause).await;
        let (began, mut fleet) = (self.base.clock.now(), CloudFleet::new(cloud, self.pause, Arc::clone(catalogue)));
        let report = index::run_pass(&self.base, &mut fleet, lease, requested, memory).await?;
        let took = self.base.clock.now().duration_since(began);
        metrics::pass(report, fleet.calls(), took.try_into().unwrap_or_default());
        levels.due.devices.append(&mut fleet.into_levels_due());
        self.handle.progress.send_modify(|progress| {
            progress.completed = requested;
            progress.ready = true;
        });
        let people = people?;
        tracing::debug!(report = ?people, "a pass over people is complete");
        Ok(report)
    }
}

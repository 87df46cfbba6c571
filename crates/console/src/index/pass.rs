//! The full pass: compares every device of the cloud, in key order, with the index. It writes only differences, and
//! removes only devices that the cloud confirms to be gone ([why](../../../../docs/adr/0006-the-index.md)).

use std::time::Duration;

use jiff::Timestamp;
use platform::nodes::lease::Lease;

use super::changed_device::ChangedDevice;
use super::cloud_read::CloudRead;
use super::fleet::{Fleet, FleetDevice, FleetPage};
use super::merge::{KeyRange, apply_page, apply_read};
use super::page_memory::{PageMemory, RememberedPage};
use super::sync_state::{self, MAX_STREAM_DELAY};
use super::upsert::remove;
use crate::base::Base;
use crate::events::notices::{self, DeviceEventKind};

/// Number of reads after which a device that keeps changing is left to the next pass.
const MAX_READS: usize = 3;

/// Why a pass was aborted. Its writes so far remain.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PassError {
    #[error("cloud: {0}")]
    Cloud(#[from] devicecloud::Error),
    #[error(transparent)]
    Db(#[from] platform::db::Error),
    #[error("the cloud does not list its devices by key")]
    NoKeysetPaging,
    #[error("the lease is lost")]
    LeaseLost,
}

impl PassError {
    /// Whether the database is unavailable, which it logs itself.
    pub(crate) fn is_unavailable(&self) -> bool {
        matches!(self, Self::Db(error) if error.is_unavailable())
    }

    /// The cloud's `Retry-After`; zero if there was none.
    pub(crate) fn retry_after(&self) -> Duration {
        match self {
            Self::Cloud(error) => error.retry_after().unwrap_or_default(),
            _ => Duration::ZERO,
        }
    }
}

/// Statistics of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PassReport {
    /// Devices read.
    pub(crate) devices: u64,
    /// Devices whose index rows were changed.
    pub(crate) changed: u64,
    /// Devices removed because the cloud no longer has them.
    pub(crate) removed: u64,
    /// Devices that changed during every read; left to the next pass.
    pub(crate) unsettled: u64,
}

/// Compares the whole cloud with the index. The caller must hold `lease`, which is checked between steps, and call
/// [`complete_pass`] afterwards. Pages are skipped if both the cloud and the index still match `memory`.
pub(crate) async fn run_pass<F: Fleet>(
    base: &Base,
    fleet: &mut F,
    lease: &Lease,
    memory: &mut PageMemory<F::Fingerprint>,
) -> Result<PassReport, PassError> {
    let before = std::mem::replace(memory, PageMemory::new());
    let mut pass = Pass { base, fleet, lease, before, memory, report: PassReport::default() };
    let mut after = None;
    while let Some(last) = pass.page(after).await? {
        after = Some(last);
    }
    Ok(pass.report)
}

/// Records that a pass, begun at `began` for all requests up to `requested`, is complete. If it left a device to the next pass,
/// the index may lack an earlier change of the device, so its time does not advance.
pub(crate) async fn complete_pass(
    base: &Base,
    lease: &Lease,
    began: Timestamp,
    report: PassReport,
    requested: i64,
) -> Result<(), PassError> {
    let as_of = (report.unsettled == 0).then(|| began.min(base.clock.now() - MAX_STREAM_DELAY));
    if sync_state::complete(&base.db, lease, as_of, requested).await? { Ok(()) } else { Err(PassError::LeaseLost) }
}

struct Pass<'a, F: Fleet> {
    base: &'a Base,
    fleet: &'a mut F,
    lease: &'a Lease,
    /// Pages of the previous pass.
    before: PageMemory<F::Fingerprint>,
    /// Pages of this pass.
    memory: &'a mut PageMemory<F::Fingerprint>,
    report: PassReport,
}

impl<F: Fleet> Pass<'_, F> {
    /// Compares one page and returns its last key; `None` for the empty page at the end.
    async fn page(&mut self, after: Option<i64>) -> Result<Option<i64>, PassError> {
        let known = self.before.page(after);
        let read = CloudRead::begin(&self.base.clock);
        let page = self.fleet.page_after(after, known.map(|known| known.fingerprint)).await?;
        let read = read.end(&self.base.clock);
        self.require_lease()?;
        match (page, known) {
            (page @ FleetPage::Entries { .. }, _) => self.merge(after, page, read).await,
            (FleetPage::Unchanged, Some(known)) if self.is_unchanged(after, known, read).await? => {
                self.report.devices += known.rows.count.unsigned_abs();
                self.memory.remember(after, known);
                Ok(Some(known.last))
            }
            (FleetPage::Unchanged, _) => {
                let read = CloudRead::begin(&self.base.clock);
                let page = self.fleet.page_after(after, None).await?;
                let read = read.end(&self.base.clock);
                self.require_lease()?;
                self.merge(after, page, read).await
            }
        }
    }

    async fn is_unchanged(
        &self,
        after: Option<i64>,
        known: RememberedPage<F::Fingerprint>,
        read: CloudRead,
    ) -> Result<bool, PassError> {
        Ok(known.rows.still_match(&self.base.db, after.unwrap_or(i64::MIN), known.last, read).await?)
    }

    async fn merge(
        &mut self,
        after: Option<i64>,
        page: FleetPage<F::Fingerprint>,
        read: CloudRead,
    ) -> Result<Option<i64>, PassError> {
        let FleetPage::Entries { entries, last, fingerprint } = page else { return Err(PassError::NoKeysetPaging) };
        self.report.devices += entries.len() as u64;
        let before = after.unwrap_or(i64::MIN);
        let by_key = entries.is_sorted_by(|one, next| one.key < next.key);
        // A pass behind an earlier key would never end.
        let goes_on = last.is_none_or(|last| last > before);
        if !by_key || !goes_on || entries.first().is_some_and(|first| first.key <= before) {
            return Err(PassError::NoKeysetPaging);
        }
        let range = KeyRange { entries: &entries, after: before, through: last.unwrap_or(i64::MAX) };
        let merged = apply_page(&self.base.db, &range, read).await?;
        self.publish(&merged.applied.changed);
        if let (Some(fingerprint), Some(last), Some(rows)) = (fingerprint, last, merged.rows) {
            self.memory.remember(after, RememberedPage { fingerprint, last, rows });
        }
        for dsn in merged.missing.iter().chain(&merged.applied.outdated) {
            self.read_again(dsn).await?;
        }
        Ok(last)
    }

    /// Reads a device that is missing from the page or changed while the page was read.
    async fn read_again(&mut self, dsn: &str) -> Result<(), PassError> {
        for _ in 0..MAX_READS {
            let read = CloudRead::begin(&self.base.clock);
            let found = self.fleet.device(dsn).await?;
            let read = read.end(&self.base.clock);
            self.require_lease()?;
            match found {
                FleetDevice::Found(entry) => {
                    let applied = apply_read(&self.base.db, &[*entry], read).await?;
                    self.publish(&applied.changed);
                    if applied.outdated.is_empty() {
                        return Ok(());
                    }
                }
                FleetDevice::Gone => {
                    if let Some(removed) = remove(&self.base.db, dsn, read.began()).await? {
                        self.report.removed += 1;
                        publish(self.base, &removed);
                        return Ok(());
                    }
                }
                // The time of the index advances nevertheless, or nothing would be known about all other devices.
                FleetDevice::Defective => return Ok(()),
            }
        }
        self.report.unsettled += 1;
        Ok(())
    }

    /// After the lease is lost, another node may run a pass; this one must not write any more.
    fn require_lease(&self) -> Result<(), PassError> {
        if self.lease.is_held() { Ok(()) } else { Err(PassError::LeaseLost) }
    }

    fn publish(&mut self, changed: &[ChangedDevice]) {
        self.report.changed += changed.len() as u64;
        for changed in changed {
            publish(self.base, changed);
        }
    }
}

fn publish(base: &Base, changed: &ChangedDevice) {
    notices::device(&base.bus, &changed.dsn, DeviceEventKind::Changed, &changed.lists);
}

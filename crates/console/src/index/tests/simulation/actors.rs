//! Actors that read the cloud and write the index. Each waits at a gate before and after it reads the cloud, so that
//! anything can happen in between, and only one actor runs at a time.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use devicecloud::{Error, ErrorKind};
use platform::nodes::lease::Lease;
use tokio::sync::{mpsc, oneshot};

use super::super::super::fleet::{Fleet, FleetDevice, FleetPage};
use super::super::super::merge::everything;
use super::cloud::Cloud;
use super::*;

/// A gate that an actor waits at; sending opens it.
pub(super) type Gate = oneshot::Sender<()>;

/// What an actor works with.
#[derive(Clone)]
pub(super) struct ActorContext {
    pub(super) base: Base,
    pub(super) cloud: Arc<Mutex<Cloud>>,
    pub(super) gate: mpsc::UnboundedSender<Gate>,
    /// The page memory of the last complete pass.
    pub(super) memory: Arc<Mutex<PageMemory<u64>>>,
    /// Failures of the cloud per hundred gates.
    pub(super) failures: u64,
}

impl ActorContext {
    async fn gate(&self) -> devicecloud::Result<()> {
        let (open, opened) = oneshot::channel();
        self.gate.send(open).unwrap();
        // The schedule has ended, and this actor with it.
        let _ = opened.await;
        match self.base.random.below(100) < self.failures {
            true => Err(Error::new(ErrorKind::Network, "the network failed")),
            false => Ok(()),
        }
    }

    async fn look<T>(&self, at: impl FnOnce(&mut Cloud) -> T + Send) -> devicecloud::Result<(T, Timestamp)> {
        self.gate().await?;
        let seen = at(&mut self.cloud.lock().unwrap());
        let when = self.base.clock.now();
        self.base.clock.advance(SignedDuration::from_micros(1));
        self.gate().await?;
        Ok((seen, when))
    }

    /// Records that the index contains the values seen at `seen`; older values must not appear any more.
    fn record_floor(&self, entry: &IndexEntry, seen: Timestamp) {
        let mut cloud = self.cloud.lock().unwrap();
        let dsn = &entry.record.dsn;
        // A device that left meanwhile has no floor.
        if cloud.get(dsn).is_some_and(|device| device.since <= seen) {
            let floor = cloud.floors.entry(dsn.clone()).or_insert(seen);
            *floor = seen.max(*floor);
        }
    }
}

/// The simulated cloud for a pass.
struct SimulatedFleet {
    context: ActorContext,
    lease: Lease,
    page: usize,
    /// Previous pages, and when each was read.
    pages: Vec<(Vec<IndexEntry>, Timestamp)>,
}

impl SimulatedFleet {
    /// Renews the lease in most cases.
    async fn renew(&self) {
        if self.context.base.random.below(10) < 8 {
            self.lease.renew().await.unwrap();
        }
    }

    /// A request for the next page means that the previous page has been applied.
    async fn record_page_floors(&self) {
        let Some((page, seen)) = self.pages.last() else { return };
        let rows = everything(&self.context.base.db).await.unwrap();
        for entry in page.iter().filter(|entry| rows.contains(entry)) {
            self.context.record_floor(entry, *seen);
        }
    }

    /// After a complete pass no row may be older than the pass's read of the device, unless the report says so.
    async fn assert_no_row_is_older(&self, report: PassReport) {
        let rows = everything(&self.context.base.db).await.unwrap();
        let mut cloud = self.context.cloud.lock().unwrap();
        for (page, seen) in self.pages.iter().filter(|_| report.unsettled == 0) {
            for IndexEntry { record, .. } in page {
                let Some(device) = cloud.get(&record.dsn).filter(|device| device.since <= *seen) else { continue };
                let row = rows.iter().find(|row| row.record.dsn == record.dsn).unwrap();
                assert!(device.had_values(&row.record, *seen), "{} is older than the pass", record.dsn);
            }
        }
    }
}

impl Fleet for SimulatedFleet {
    type Fingerprint = u64;

    async fn page_after(&mut self, key: Option<i64>, known: Option<u64>) -> devicecloud::Result<FleetPage<u64>> {
        self.record_page_floors().await;
        let page = self.page;
        let (entries, seen) = self.context.look(move |cloud| cloud.page_after(key, page)).await?;
        self.pages.push((entries.clone(), seen));
        self.renew().await;
        let mut hasher = DefaultHasher::new();
        format!("{entries:?}").hash(&mut hasher);
        let fingerprint = hasher.finish();
        Ok(if known == Some(fingerprint) {
            FleetPage::Unchanged
        } else {
            FleetPage::Entries { last: entries.last().map(|entry| entry.key), entries, fingerprint: Some(fingerprint) }
        })
    }

    async fn device(&mut self, dsn: &str) -> devicecloud::Result<FleetDevice> {
        let (seen, _) = self.context.look(|cloud| cloud.device(dsn)).await?;
        self.renew().await;
        Ok(seen.map_or(FleetDevice::Gone, |entry| FleetDevice::Found(Box::new(entry))))
    }
}

/// Runs a pass if the lease is free, and returns when it began if it was complete.
pub(super) async fn pass(context: ActorContext, page: usize) -> Option<Timestamp> {
    let Base { db, clock, random, .. } = &context.base;
    let lease = Lease::new(db.clone(), clock.clone(), LEASE, random.hex(8));
    if !lease.take().await.unwrap() {
        return None;
    }
    let (began, requested) = (clock.now(), sync_state(db).await.unwrap().requested);
    let mut fleet = SimulatedFleet { context: context.clone(), lease: lease.clone(), page, pages: Vec::new() };
    let mut memory = std::mem::replace(&mut *context.memory.lock().unwrap(), PageMemory::new());
    let outcome = async {
        let report = run_pass(&context.base, &mut fleet, &lease, &mut memory).await?;
        complete_pass(&context.base, &lease, began, report, requested).await?;
        Ok(report)
    };
    let complete = match outcome.await {
        Ok(report) => {
            fleet.assert_no_row_is_older(report).await;
            *context.memory.lock().unwrap() = memory;
            true
        }
        Err(PassError::Cloud(_) | PassError::LeaseLost) => false,
        Err(error) => panic!("{error}"),
    };
    lease.release().await.unwrap();
    complete.then_some(began)
}

/// As after a write of the console: reads the device back until the index has it.
pub(super) async fn read_back(context: ActorContext, dsn: String) {
    let Base { db, clock, .. } = &context.base;
    for _ in 0..3 {
        let read = CloudRead::announce(db, clock, &dsn).await.unwrap();
        let Ok((Some(entry), seen)) = context.look(|cloud| cloud.device(&dsn)).await else { return };
        let applied = apply_read(db, std::slice::from_ref(&entry), read.end(clock)).await.unwrap();
        if applied.outdated.is_empty() {
            context.record_floor(&entry, seen);
            return;
        }
    }
}

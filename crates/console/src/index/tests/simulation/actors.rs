//! Those who read the cloud and write the index. Each waits at a gate before and after the cloud looks at itself, so that
//! anything can happen in between, and only one of all moves at a time.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use devicecloud::{Error, ErrorKind};
use platform::lease::Lease;
use tokio::sync::{mpsc, oneshot};

use super::super::super::fleet::{Fleet, FleetPage};
use super::super::super::merge::everything;
use super::cloud::Cloud;
use super::*;

/// A gate at which an actor stands; this opens it.
pub(super) type Gate = oneshot::Sender<()>;

/// An actor's hold on the world.
#[derive(Clone)]
pub(super) struct ActorContext {
    pub(super) base: Base,
    pub(super) cloud: Arc<Mutex<Cloud>>,
    pub(super) gate: mpsc::UnboundedSender<Gate>,
    /// What the last complete pass remembers.
    pub(super) memory: Arc<Mutex<PageMemory<u64>>>,
    /// Of a hundred gates, how many are a failure of the cloud.
    pub(super) failures: u64,
}

impl ActorContext {
    async fn gate(&self) -> devicecloud::Result<()> {
        let (open, opened) = oneshot::channel();
        self.gate.send(open).unwrap();
        // The schedule is gone: so is this actor.
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

    /// What was seen then is in the index now: nothing older may be seen there any more.
    fn record_floor(&self, entry: &IndexEntry, seen: Timestamp) {
        let mut cloud = self.cloud.lock().unwrap();
        let dsn = &entry.record.dsn;
        // Of a device that left meanwhile nothing is promised.
        if cloud.get(dsn).is_some_and(|device| device.since <= seen) {
            let floor = cloud.floors.entry(dsn.clone()).or_insert(seen);
            *floor = seen.max(*floor);
        }
    }
}

/// The cloud as a pass sees it.
struct SimulatedFleet {
    context: ActorContext,
    lease: Lease,
    page: usize,
    /// The pages before, and when each was seen.
    pages: Vec<(Vec<IndexEntry>, Timestamp)>,
}

impl SimulatedFleet {
    /// Most of the time the lease is renewed in time.
    async fn renew(&self) {
        if self.context.base.random.below(10) < 8 {
            self.lease.renew().await.unwrap();
        }
    }

    /// Whoever asks for the next page is done with the one before.
    async fn record_page_floors(&self) {
        let Some((page, seen)) = self.pages.last() else { return };
        let rows = everything(&self.context.base.db).await.unwrap();
        for entry in page.iter().filter(|entry| rows.contains(entry)) {
            self.context.record_floor(entry, *seen);
        }
    }

    /// A complete pass has left no row older than it read the device, unless it says so.
    async fn assert_no_row_is_older(&self, report: PassReport) {
        let rows = everything(&self.context.base.db).await.unwrap();
        let mut cloud = self.context.cloud.lock().unwrap();
        for (page, seen) in self.pages.iter().filter(|_| report.unsettled == 0) {
            for IndexEntry { record, .. } in page {
                let Some(device) = cloud.get(&record.dsn).filter(|device| device.since <= *seen) else { continue };
                let row = rows.iter().find(|row| row.record.dsn == record.dsn).unwrap();
                let (csp, customer) = (row.record.csp.as_deref(), row.record.customer.as_deref());
                assert!(device.had_values(csp, customer, *seen), "{} is older than the pass", record.dsn);
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
        let mut words = DefaultHasher::new();
        format!("{entries:?}").hash(&mut words);
        let fingerprint = words.finish();
        Ok(if known == Some(fingerprint) {
            FleetPage::Unchanged
        } else {
            FleetPage::Entries(entries, Some(fingerprint))
        })
    }

    async fn device(&mut self, dsn: &str) -> devicecloud::Result<Option<IndexEntry>> {
        let (seen, _) = self.context.look(|cloud| cloud.device(dsn)).await?;
        self.renew().await;
        Ok(seen)
    }
}

/// One pass, if the lease is free; answers when it began, if it is complete.
pub(super) async fn pass(context: ActorContext, page: usize) -> Option<Timestamp> {
    let Base { db, clock, random, .. } = &context.base;
    let lease = Lease::new(db.clone(), clock.clone(), LEASE, random.hex(8));
    if !lease.take().await.unwrap() {
        return None;
    }
    let (began, requested) = (clock.now(), sync_state(db).await.unwrap().requested);
    let mut fleet = SimulatedFleet { context: context.clone(), lease: lease.clone(), page, pages: Vec::new() };
    let mut memory = std::mem::replace(&mut *context.memory.lock().unwrap(), PageMemory::new());
    let complete = match run_pass(&context.base, &mut fleet, &lease, requested, &mut memory).await {
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

/// What follows a write of the console: the device is read again, and is in the index before the answer goes out.
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

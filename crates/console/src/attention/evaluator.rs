//! Opens and closes the items of devices whose facts have changed.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use futures::TryFutureExt;
use jiff::{SignedDuration, Timestamp};
use platform::db::{Result, Tx, params};
use tokio::time::{MissedTickBehavior, interval};

use super::device_rows::{self, DeviceRow, MemoryWrite};
use super::items::{self, ItemChange, ItemContent, KnownItem, Subject};
use super::settings_store;
use crate::attention_rules::{
    AttentionKind, AttentionSettings, CspFacts, Finding, Observation, day_end, examine, examine_csp,
};
use crate::base::Base;
use crate::events::notices;
use crate::index::observed_devices::AttentionQueue;
use crate::index::streamed_values::StreamedValues;
use crate::index::{self, DueReads};
use crate::records::device_panic;

/// Maximum number of devices in one transaction.
const BATCH: usize = 128;
/// Maximum number of transactions before other work has its turn.
const BATCHES: usize = 8;
/// Events of a device within this time are examined together.
const GATHERING: Duration = Duration::from_secs(1);
/// Interval between looks for devices that are due.
const DUE_INTERVAL: Duration = Duration::from_secs(10);
/// Interval between looks at the CSPs, and for removed devices.
const CSP_INTERVAL: Duration = Duration::from_secs(10);
/// The time to wait after a failure.
const FAILURE_PAUSE: Duration = Duration::from_secs(10);
/// While the last pass is older, the index says too little about the present.
const MAX_AGE_OF_INDEX: SignedDuration = SignedDuration::from_mins(15);
/// A cause that returns within this time opens the same item again.
const FLAPPING: SignedDuration = SignedDuration::from_hours(24);
/// A device that has to be read again is looked at after this time, in case it was not read.
const READ_RETRY: SignedDuration = SignedDuration::from_mins(5);
/// A device is examined at least this often.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Opens and closes items. It runs on the node with the lease of the passes.
pub(crate) struct AttentionEvaluator {
    pub(crate) base: Base,
    pub(crate) queue: AttentionQueue,
    pub(crate) values: StreamedValues,
    /// Gets the devices that have to be read again.
    pub(crate) reads: DueReads,
}

/// What one evaluation changes.
#[derive(Default)]
struct Changes {
    items: Vec<ItemChange>,
    memories: Vec<MemoryWrite>,
    /// Devices that are no longer in the index.
    gone: Vec<String>,
    /// The CSPs whose items changed; an empty text stands for no CSP.
    csps: BTreeSet<String>,
}

impl AttentionEvaluator {
    /// Never returns. Cancel-safe: what is cancelled is found again by the passes that follow.
    pub(crate) async fn run(&self) {
        let (mut due, mut csps) = (interval(DUE_INTERVAL), interval(CSP_INTERVAL));
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        csps.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let outcome = tokio::select! {
                () = self.queue.wait() => {
                    tokio::time::sleep(GATHERING).await;
                    self.examine_queued().and_then(|()| self.examine_due()).await
                }
                _ = due.tick() => self.examine_queued().and_then(|()| self.examine_due()).await,
                _ = csps.tick() => self.examine_csps().await,
            };
            if let Err(error) = outcome {
                if !error.is_unavailable() {
                    tracing::warn!(%error, "attention could not be examined");
                }
                tokio::time::sleep(FAILURE_PAUSE).await;
            }
        }
    }

    /// Examines devices that wait; if there are very many, the rest is left to the next call. While the index is not current, their
    /// observations are kept, and they are due once it is.
    pub(crate) async fn examine_queued(&self) -> Result<()> {
        for _ in 0..BATCHES {
            let devices = self.queue.take(BATCH);
            if devices.is_empty() {
                return Ok(());
            }
            let examined = match self.is_index_current().await {
                Ok(true) => self.examine(&devices).await,
                Ok(false) => self.postpone(&devices).await,
                Err(error) => Err(error),
            };
            if let Err(error) = examined {
                self.queue.put_back(devices);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Examines the devices that are due.
    pub(crate) async fn examine_due(&self) -> Result<()> {
        if !self.is_index_current().await? {
            return Ok(());
        }
        loop {
            let limit = i64::try_from(BATCH).unwrap_or(i64::MAX);
            let dsns = device_rows::due(&self.base.db, self.base.clock.now(), limit).await?;
            let is_last = dsns.len() < BATCH;
            let devices: Vec<_> = dsns.into_iter().map(|dsn| (dsn, None)).collect();
            self.examine(&devices).await?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Looks for CSPs without a technician, and closes what is about removed devices.
    pub(crate) async fn examine_csps(&self) -> Result<()> {
        let Base { db, clock, .. } = &self.base;
        let now = clock.now();
        if !self.is_index_current().await? || index::people_as_of(db).await?.is_none() {
            return Ok(());
        }
        let left = items::close_removed(db, now).await?;
        if !left.is_empty() {
            notices::attention(&self.base.bus, &left);
        }
        let sql = "select c.name, exists (select 1 from idx_devices d where d.csp = c.name), \
                   exists (select 1 from idx_users u where u.csp = c.name and u.role = $1) from csps c";
        let rows: Vec<(String, bool, bool)> = db.fetch_all(sql, params![diffuser::Role::CspTech.name()]).await?;
        let settings = settings_store::all(db).await?;
        let known = items::of_csps(db, now - FLAPPING).await?;
        let mut changes = Changes::default();
        let mut names = BTreeSet::new();
        for (csp, has_devices, has_technician) in rows {
            let default = AttentionSettings::default();
            let settings = settings.get(&csp).unwrap_or(&default);
            let finding = examine_csp(CspFacts { now, has_devices, has_technician }, settings);
            let subject = Subject { dsn: "", csp: &csp };
            let item = known.iter().find(|item| item.csp == csp && item.kind == Some(AttentionKind::NoTechnician));
            changes.add(&self.base, subject, AttentionKind::NoTechnician, finding, item);
            names.insert(csp);
        }
        // A CSP that was removed or renamed.
        let removed = known.iter().filter(|item| item.is_open() && !names.contains(&item.csp));
        for item in removed {
            changes.items.push(ItemChange::Close { id: item.id.clone() });
            changes.csps.insert(item.csp.clone());
        }
        self.write(changes, now).await
    }

    /// Nothing is known about a fleet whose index is empty or old.
    async fn is_index_current(&self) -> Result<bool> {
        let times = index::times(&self.base.db).await?;
        let now = self.base.clock.now();
        Ok(times.is_some_and(|times| now.duration_since(times.as_of) <= MAX_AGE_OF_INDEX))
    }

    async fn examine(&self, devices: &[(String, Option<Observation>)]) -> Result<()> {
        if devices.is_empty() {
            return Ok(());
        }
        let db = &self.base.db;
        let now = self.base.clock.now();
        let dsns: Vec<&str> = devices.iter().map(|(dsn, _)| dsn.as_str()).collect();
        let rows = device_rows::read(db, &dsns, now).await?;
        let mut rows: HashMap<String, DeviceRow> = rows.into_iter().map(|row| (row.dsn.clone(), row)).collect();
        let known = items::of_devices(db, &dsns, now - FLAPPING).await?;
        let settings = settings_store::all(db).await?;
        let mut changes = Changes::default();
        for (dsn, observation) in devices {
            let Some(row) = rows.remove(dsn) else {
                changes.gone.push(dsn.clone());
                continue;
            };
            let default = AttentionSettings::default();
            let settings = settings.get(&row.csp).unwrap_or(&default);
            let known: Vec<_> = known.iter().filter(|item| item.dsn == *dsn).collect();
            let mut memory = row.facts.memory.clone();
            let examined = device_panic::catch("attention", dsn, || {
                let mut changes = Changes::default();
                let is_outdated = changes.add_device(self, row, observation.clone(), settings, &known);
                (changes, is_outdated)
            });
            match examined {
                Some((device, is_outdated)) => {
                    changes.extend(device);
                    if is_outdated {
                        self.reads.add_urgent(&dsn.as_str().into());
                    }
                }
                None => {
                    memory.observation = observation.clone().or(memory.observation);
                    changes.memories.push(MemoryWrite { dsn: dsn.clone(), memory, due_at: now + LONGEST_WAIT });
                }
            }
        }
        self.write(changes, now).await
    }

    /// Keeps the observations of devices that are due as soon as the index is current.
    async fn postpone(&self, devices: &[(String, Option<Observation>)]) -> Result<()> {
        let now = self.base.clock.now();
        let dsns: Vec<&str> = devices.iter().map(|(dsn, _)| dsn.as_str()).collect();
        let rows = device_rows::read(&self.base.db, &dsns, now).await?;
        let mut memories: HashMap<_, _> = rows.into_iter().map(|row| (row.dsn, row.facts.memory)).collect();
        let mut changes = Changes::default();
        for (dsn, observation) in devices {
            // A device that is not in the index may be there after the next pass.
            let Some(mut memory) = memories.remove(dsn) else { continue };
            let observed = device_panic::catch("attention", dsn, || {
                if let Some(observation) = observation.clone() {
                    memory.observe(observation);
                }
                memory
            });
            // What the device had before is kept.
            let Some(memory) = observed else { continue };
            changes.memories.push(MemoryWrite { dsn: dsn.clone(), memory, due_at: now });
        }
        self.write(changes, now).await
    }

    async fn write(&self, mut changes: Changes, now: Timestamp) -> Result<()> {
        let Changes { items, memories, gone, csps } = &mut changes;
        memories.sort_by(|one, other| one.dsn.cmp(&other.dsn));
        gone.sort_unstable();
        let (items, memories, gone) = (items.as_slice(), memories.as_slice(), gone.as_slice());
        if items.is_empty() && memories.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let work = |mut tx: Tx| async move {
            device_rows::write(&mut tx, memories).await?;
            device_rows::forget(&mut tx, gone).await?;
            for change in items {
                items::apply(&mut tx, change, now).await?;
            }
            tx.commit().await
        };
        self.base.db.write(work).await?;
        if !csps.is_empty() {
            notices::attention(&self.base.bus, &csps.iter().cloned().collect::<Vec<_>>());
        }
        Ok(())
    }
}

impl Changes {
    fn extend(&mut self, other: Self) {
        self.items.extend(other.items);
        self.memories.extend(other.memories);
        self.gone.extend(other.gone);
        self.csps.extend(other.csps);
    }

    /// Returns whether the device has to be read again.
    fn add_device(
        &mut self,
        evaluator: &AttentionEvaluator,
        row: DeviceRow,
        observation: Option<Observation>,
        settings: &AttentionSettings,
        known: &[&KnownItem],
    ) -> bool {
        let DeviceRow { dsn, csp, is_pending, mut facts, due_at } = row;
        let (now, before) = (facts.now, facts.memory.clone());
        if let Some(observation) = observation {
            if facts.level.is_none() {
                facts.level = observation.level;
            }
            facts.memory.observe(observation);
        }
        facts.memory.see_pending(is_pending, now);
        let read_at = facts.memory.observation.as_ref().map(|observation| observation.read_at);
        let life = evaluator.values.life(&dsn).filter(|life| read_at.is_none_or(|read_at| life.at > read_at));
        facts.streamed_life = life.map(|life| life.hours);
        let (mut next_due, mut is_outdated) = (now + LONGEST_WAIT, false);
        // Of a CSP that the device has left.
        for item in known.iter().filter(|item| item.is_open() && item.csp != csp) {
            self.items.push(ItemChange::Close { id: item.id.clone() });
            self.csps.insert(item.csp.clone());
        }
        for kind in AttentionKind::ALL.into_iter().filter(|kind| kind.is_of_device()) {
            // An item of before a move does not open again.
            let last = known.iter().copied().find(|item| item.kind == Some(kind));
            let item = last.filter(|item| item.csp == csp);
            let is_open = item.is_some_and(KnownItem::is_open);
            let finding = examine(kind, &facts, settings, is_open);
            if let Finding::Absent { due: Some(due) } = finding {
                next_due = next_due.min(due);
            }
            if let Some(day_end) = day_end(kind, &facts, settings, is_open) {
                is_outdated |= day_end <= now;
                next_due = next_due.min(if day_end <= now { now + READ_RETRY } else { day_end });
            }
            self.add(&evaluator.base, Subject { dsn: &dsn, csp: &csp }, kind, finding, item);
        }
        // The longest wait need not be exact.
        let is_due_known = due_at.is_some_and(|at| at == next_due || (at > now && next_due == now + LONGEST_WAIT));
        if facts.memory != before || !is_due_known {
            self.memories.push(MemoryWrite { dsn, memory: facts.memory, due_at: next_due });
        }
        is_outdated
    }

    fn add(
        &mut self,
        base: &Base,
        subject: Subject<'_>,
        kind: AttentionKind,
        finding: Finding,
        item: Option<&KnownItem>,
    ) {
        let change = match (finding, item) {
            (Finding::Present { since, cause, evidence }, item) => {
                let content = ItemContent { since, cause, evidence };
                match item {
                    Some(item) if !item.is_open() => ItemChange::Reopen { id: item.id.clone(), content },
                    Some(item) if item.has(&content) => return,
                    Some(item) => ItemChange::Update { id: item.id.clone(), content },
                    None => ItemChange::Open {
                        id: base.random.uuid_at(base.clock.now()).to_string(),
                        kind,
                        dsn: subject.dsn.to_owned(),
                        csp: subject.csp.to_owned(),
                        content,
                    },
                }
            }
            (Finding::Absent { .. }, Some(item)) if item.is_open() => ItemChange::Close { id: item.id.clone() },
            _ => return,
        };
        if !matches!(change, ItemChange::Update { .. }) {
            self.csps.insert(subject.csp.to_owned());
        }
        self.items.push(change);
    }
}

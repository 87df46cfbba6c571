//! The transaction that stores a batch.
//!
//! Lock order: every transaction of the cloud locks schedules, then commands, then properties, then its node, then connections, then
//! triggers, then notifications, and rows of one table in key order, so that transactions cannot deadlock.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx};
use platform::run::clock::{from_micros, to_micros};
use platform::run::random::Random;

use super::batch::Batch;
use super::fault_counts::FaultCount;
use super::linked_device::LinkedProperty;
use super::message::{Ack, Connect, Queued, Refusal, ReportFaults, Silence, StoredReport};
use super::types::{AckOutcome, ConnectOutcome, Generation, NewerConnection, ReportOutcome};
use crate::domain::report_fault::{FaultKind, MAX_UNKNOWN, OTHERS};
use crate::reactions::{Occurrence, OccurrenceKind, Reactions};
use crate::records::device::DeviceInfo;
use crate::store;
use crate::store::audience::Origin;
use crate::store::chains::Chains;
use crate::store::commands::AckedRow;
use crate::store::connections::{OFFLINE, ONLINE};
use crate::store::datapoints::{DatapointRow, NewDatapoint};
use crate::store::device_faults::{self, KnownFaultRow, NewFaults};
use crate::store::properties::ReportedValue;
use crate::stream::event::{self, Event};

/// Minimum time between two log lines about a subject of a device.
const LOG_INTERVAL: SignedDuration = SignedDuration::from_hours(1);

/// The result of a stored batch. The outcomes are in the order of the messages.
pub(super) struct Persisted {
    pub(super) connected: Vec<ConnectOutcome>,
    /// Whether there were too many replaced connections.
    pub(super) replaced: Vec<bool>,
    pub(super) reported: Vec<ReportOutcome>,
    pub(super) acked: Vec<AckOutcome>,
    pub(super) events: Vec<Event>,
    /// The new connections of devices that were connected to other nodes.
    pub(super) taken_over: Vec<NewerConnection>,
    pub(super) faults: Vec<LoggedFault>,
}

/// A fault of a message that is to be logged.
pub(super) struct LoggedFault {
    pub(super) dsn: Arc<str>,
    pub(super) subject: String,
    pub(super) kind: FaultKind,
    pub(super) reason: String,
}

/// A change of a device, for the stream and for reactions.
struct Change {
    device_id: i64,
    kind: ChangeKind,
}

enum ChangeKind {
    Reported(Arc<LinkedProperty>, DatapointRow),
    Acked(Arc<LinkedProperty>, DatapointRow),
    Connectivity {
        status: &'static str,
        /// `false` for a device that reconnected while it was Online. The stream receives an event all the same.
        is_change: bool,
    },
}

impl Change {
    fn event(&self, origin: &Origin, now: Timestamp) -> Event {
        match &self.kind {
            ChangeKind::Reported(property, row) => event::datapoint(origin, &property.description(), row),
            ChangeKind::Acked(property, row) => event::ack(origin, &property.description(), row),
            ChangeKind::Connectivity { status, .. } => event::connectivity(origin, status, now),
        }
    }

    fn occurrence(&self, chains: &Chains) -> Option<Occurrence<'_>> {
        let kind = match &self.kind {
            ChangeKind::Reported(property, datapoint) => {
                let interest = chains.interest(property.id);
                let (property_id, property) = (property.id, property.description());
                OccurrenceKind::Datapoint { property_id, property, datapoint, interest }
            }
            ChangeKind::Acked(property, datapoint) => {
                let interest = chains.interest(property.id);
                OccurrenceKind::Ack { property: property.description(), datapoint, interest }
            }
            ChangeKind::Connectivity { status, is_change: true } => {
                OccurrenceKind::Connectivity { online: *status == ONLINE }
            }
            ChangeKind::Connectivity { .. } => return None,
        };
        Some(Occurrence { device_id: self.device_id, kind })
    }
}

/// Stores the whole batch or nothing.
///
/// # Errors
/// A database error.
pub(super) async fn persist(
    db: &Db,
    batch: &Batch,
    now: Timestamp,
    random: &Random,
    reactions: &Reactions,
) -> Result<Persisted> {
    let persist = async |mut tx: Tx| -> Result<_> {
        let newest = newest_connections(&mut tx, batch).await?;
        let (outcomes, acked) = record_acks(&mut tx, &batch.acks, &newest, now).await?;
        let is_replaced =
            |queued: &Queued<StoredReport, _>| newest.has_replaced(queued.device_id, queued.payload.generation);
        let reports: Vec<_> = batch.reports.iter().filter(|queued| !is_replaced(queued)).collect();
        let properties = reports.iter().flat_map(|queued| &queued.payload.values).map(|value| value.property.id);
        let concerned = properties.chain(acked.iter().map(|(_, acked)| acked.property_id));
        let mut chains = Chains::lock_rows(&mut tx, concerned).await?;
        let mut changes = settle(&mut tx, &acked, now).await?;
        changes.extend(append(&mut tx, &mut chains, &reports, now, random).await?);
        changes.extend(close(&mut tx, &batch.disconnected, now).await?);
        let Opened { outcomes: connected, changes: opened, taken_over } = open(&mut tx, &batch.connected, now).await?;
        changes.extend(opened);
        let replaced = record_replaced(&mut tx, &batch.replaced, now).await?;
        record_silences(&mut tx, &batch.silences).await?;
        record_refusals(&mut tx, &batch.refusals, now).await?;
        let faults = record_faults(&mut tx, &reports, now).await?;
        describe(&mut tx, &reports).await?;

        let mut devices: Vec<i64> = changes.iter().map(|change| change.device_id).collect();
        devices.sort_unstable();
        devices.dedup();
        let origins = store::audience::origins(&mut tx, &devices).await?;
        let occurrences: Vec<Occurrence<'_>> = changes.iter().filter_map(|change| change.occurrence(&chains)).collect();
        reactions.react(&mut tx, &occurrences, now).await?;
        tx.commit().await?;
        let outcome = |queued| if is_replaced(queued) { ReportOutcome::Replaced } else { ReportOutcome::Stored };
        let reported = batch.reports.iter().map(outcome).collect();
        let event = |change: &Change| Some(change.event(origins.get(&change.device_id)?, now));
        let events = changes.iter().filter_map(event).collect();
        let newer = |(device_id, generation): (i64, Generation)| {
            Some(NewerConnection { dsn: origins.get(&device_id)?.dsn.clone(), generation })
        };
        let taken_over = taken_over.into_iter().filter_map(newer).collect();
        Ok(Persisted { connected, replaced, reported, acked: outcomes, events, taken_over, faults })
    };
    db.write(persist).await
}

/// The generations of the newest connections of devices.
struct NewestConnections(HashMap<i64, i64>);

impl NewestConnections {
    /// Whether the device has a newer connection than this one.
    fn has_replaced(&self, device_id: i64, generation: Option<Generation>) -> bool {
        generation.zip(self.0.get(&device_id)).is_some_and(|(own, newest)| *newest > own.0)
    }
}

/// Of the devices that sent reports and acks. A connection to another node may have replaced theirs.
async fn newest_connections(tx: &mut Tx, batch: &Batch) -> Result<NewestConnections> {
    let reported = batch.reports.iter().map(|queued| queued.device_id);
    let devices: BTreeSet<i64> = reported.chain(batch.acks.iter().map(|queued| queued.device_id)).collect();
    let devices: Vec<i64> = devices.into_iter().collect();
    Ok(NewestConnections(store::connections::generations(tx, &devices).await?))
}

type Acked<'a> = Vec<(&'a Queued<Ack, AckOutcome>, AckedRow)>;

/// Records the acks. Returns the outcome of each, and the rows of those that took effect.
async fn record_acks<'a>(
    tx: &mut Tx,
    acks: &'a [Queued<Ack, AckOutcome>],
    newest: &NewestConnections,
    now: Timestamp,
) -> Result<(Vec<AckOutcome>, Acked<'a>)> {
    let mut outcomes = vec![AckOutcome::Unknown; acks.len()];
    let mut acked = Vec::with_capacity(acks.len());
    let mut in_order: Vec<_> = acks.iter().zip(&mut outcomes).collect();
    in_order.sort_by_key(|(queued, _)| &queued.payload.command);
    for (queued, outcome) in in_order {
        let Ack { generation, command, status, message, .. } = &queued.payload;
        let device_id = queued.device_id;
        if newest.has_replaced(device_id, *generation) {
            *outcome = AckOutcome::Replaced;
            continue;
        }
        let row = store::commands::record_ack(tx, device_id, command, *status, message.as_ref(), now).await?;
        if let Some(row) = row {
            let good = store::commands::is_good(*status);
            *outcome = if good { AckOutcome::Acknowledged } else { AckOutcome::Failed };
            acked.push((queued, row));
        } else if store::commands::exists(tx, device_id, command).await? {
            *outcome = AckOutcome::Repeated;
        }
    }
    Ok((outcomes, acked))
}

/// Updates properties after their commands were acknowledged or failed.
async fn settle(tx: &mut Tx, acked: &Acked<'_>, now: Timestamp) -> Result<Vec<Change>> {
    let mut changes = Vec::with_capacity(acked.len());
    for (queued, row) in acked {
        if store::commands::is_good(queued.payload.status) {
            store::properties::apply_ack(tx, &queued.payload.command, row, now).await?;
        } else {
            store::properties::show_reported(tx, row.property_id).await?;
        }
        let property = queued.payload.properties.iter().find(|property| property.id == row.property_id);
        let datapoint = store::datapoints::of_command(tx, &queued.payload.command).await?;
        if let (Some(property), Some(datapoint)) = (property, datapoint) {
            let kind = ChangeKind::Acked(Arc::clone(property), datapoint);
            changes.push(Change { device_id: queued.device_id, kind });
        }
    }
    Ok(changes)
}

/// Appends reported values to the chains of their properties.
async fn append(
    tx: &mut Tx,
    chains: &mut Chains,
    reports: &[&Queued<StoredReport, ReportOutcome>],
    now: Timestamp,
    random: &Random,
) -> Result<Vec<Change>> {
    let (mut rows, mut of) = (Vec::new(), Vec::new());
    for queued in reports {
        for value in &queued.payload.values {
            rows.push(NewDatapoint {
                property_id: value.property.id,
                position: chains.next_position(value.property.id, now, random),
                value: value.value.clone(),
                echo: true,
                user_uuid: None,
                metadata: None,
                created_at_from_device: queued.payload.at,
            });
            of.push((queued.device_id, Arc::clone(&value.property)));
        }
    }
    store::datapoints::insert(tx, &rows).await?;
    // The last value wins when a property is reported more than once.
    let last: HashMap<i64, ReportedValue<'_>> =
        rows.iter().map(|row| (row.property_id, ReportedValue::from(row))).collect();
    let mut last: Vec<ReportedValue<'_>> = last.into_values().collect();
    last.sort_unstable_by_key(|reported| reported.property_id);
    store::properties::record_reports(tx, &last).await?;
    let change = |((device_id, property), row)| {
        let kind = ChangeKind::Reported(property, DatapointRow::from(row));
        Change { device_id, kind }
    };
    Ok(of.into_iter().zip(rows).map(change).collect())
}

/// Records replaced connections. Returns for each whether there were too many of its device.
async fn record_replaced(tx: &mut Tx, replaced: &[Queued<(), bool>], now: Timestamp) -> Result<Vec<bool>> {
    let mut too_many = vec![false; replaced.len()];
    let mut in_order: Vec<_> = replaced.iter().zip(&mut too_many).collect();
    in_order.sort_by_key(|(queued, _)| queued.device_id);
    for (queued, too_many) in in_order {
        *too_many = store::connections::record_replaced(tx, queued.device_id, now).await?;
    }
    Ok(too_many)
}

/// Stores since when connections are silent.
async fn record_silences(tx: &mut Tx, silences: &[Queued<Silence, ()>]) -> Result<()> {
    let mut in_order: Vec<_> = silences.iter().collect();
    in_order.sort_by_key(|queued| queued.device_id);
    for Queued { device_id, payload: Silence { generation, since }, .. } in in_order {
        store::connections::set_silent(tx, *device_id, generation.0, *since).await?;
    }
    Ok(())
}

/// Stores the last refusal of each device.
async fn record_refusals(tx: &mut Tx, refusals: &[Queued<Refusal, ()>], now: Timestamp) -> Result<()> {
    let last: BTreeMap<i64, &str> = refusals.iter().map(|it| (it.device_id, &*it.payload.reason)).collect();
    for (device_id, reason) in last {
        store::connections::record_refusal(tx, device_id, reason, now).await?;
    }
    Ok(())
}

/// Adds the faults of messages to those of their devices. Returns those to log.
async fn record_faults(
    tx: &mut Tx,
    reports: &[&Queued<StoredReport, ReportOutcome>],
    now: Timestamp,
) -> Result<Vec<LoggedFault>> {
    let mut in_order: Vec<_> = reports.iter().filter(|queued| !queued.payload.faults.counts.is_empty()).collect();
    in_order.sort_by_key(|queued| queued.device_id);
    let mut logged = Vec::new();
    for Queued { device_id, payload: StoredReport { faults: ReportFaults { counts, dsn }, .. }, .. } in in_order {
        let count = counts.iter().filter(|fault| fault.kind.is_unreadable()).map(|fault| fault.count).sum();
        let reason = counts.iter().max_by_key(|fault| fault.last_at).map(|fault| &*fault.reason);
        // An operator may have removed the device meanwhile.
        if !device_faults::count_day(tx, *device_id, count, reason.unwrap_or_default(), now).await? {
            continue;
        }
        let mut known = device_faults::known(tx, *device_id, now).await?;
        for FaultCount { subject, kind, count, shape, reason, last_at } in counts {
            let subject = stored_subject(subject, *kind, &known);
            let logged_at = known.iter().filter(|row| row.subject == subject).map(|row| row.logged_at).max();
            let is_due = logged_at.is_none_or(|at| from_micros(at) + LOG_INTERVAL <= now);
            let logged_at = logged_at.filter(|_| !is_due).unwrap_or_else(|| to_micros(now));
            let faults = NewFaults { subject, kind: kind.as_str(), count: *count, shape, last_at: *last_at, logged_at };
            device_faults::add(tx, *device_id, &faults).await?;
            if is_due {
                let (subject, reason) = (subject.to_owned(), reason.clone());
                logged.push(LoggedFault { dsn: Arc::clone(dsn), subject, kind: *kind, reason });
            }
            known.push(KnownFaultRow { subject: subject.to_owned(), kind: kind.as_str().to_owned(), logged_at });
        }
    }
    Ok(logged)
}

/// The subject, or that of many if too many names that no property has are stored.
fn stored_subject<'a>(subject: &'a str, kind: FaultKind, known: &[KnownFaultRow]) -> &'a str {
    let unknown = FaultKind::UnknownProperty;
    let names: BTreeSet<&str> =
        known.iter().filter(|row| row.kind == unknown.as_str()).map(|row| &*row.subject).collect();
    if kind == unknown && !names.contains(subject) && names.len() >= MAX_UNKNOWN { OTHERS } else { subject }
}

/// Stores what devices report about themselves.
async fn describe(tx: &mut Tx, reports: &[&Queued<StoredReport, ReportOutcome>]) -> Result<()> {
    let mut in_order: Vec<_> = reports.iter().filter(|queued| queued.payload.info != DeviceInfo::default()).collect();
    in_order.sort_by_key(|queued| queued.device_id);
    for Queued { device_id, payload: StoredReport { info, .. }, .. } in in_order {
        store::connections::describe(tx, *device_id, info).await?;
    }
    Ok(())
}

/// Sets devices Offline, except those whose connection was replaced by a newer one.
async fn close(tx: &mut Tx, disconnected: &[Queued<Generation, ()>], now: Timestamp) -> Result<Vec<Change>> {
    let mut in_order: Vec<_> = disconnected.iter().collect();
    in_order.sort_by_key(|queued| queued.device_id);
    let mut closed = Vec::with_capacity(disconnected.len());
    for Queued { device_id, payload: generation, .. } in in_order {
        if store::connections::close(tx, *device_id, generation.0).await? {
            closed.push(*device_id);
        }
    }
    store::connection_history::record(tx, &closed, OFFLINE, now).await?;
    let kind = || ChangeKind::Connectivity { status: OFFLINE, is_change: true };
    Ok(closed.into_iter().map(|device_id| Change { device_id, kind: kind() }).collect())
}

/// The result of [`open`].
struct Opened {
    outcomes: Vec<ConnectOutcome>,
    changes: Vec<Change>,
    /// The new connections of devices that were connected to other nodes.
    taken_over: Vec<(i64, Generation)>,
}

/// Sets devices Online, except those that were removed or revoked, and those that signed in before this node was declared dead.
async fn open(tx: &mut Tx, connected: &[Queued<Connect, ConnectOutcome>], now: Timestamp) -> Result<Opened> {
    let mut nodes: HashMap<&str, bool> = HashMap::new();
    for node in connected.iter().map(|queued| queued.payload.node.id()) {
        if !nodes.contains_key(node) {
            nodes.insert(node, store::nodes::is_alive(tx, node).await?);
        }
    }
    let devices: BTreeSet<i64> = connected.iter().map(|queued| queued.device_id).collect();
    let holders = store::connections::lock_holders(tx, &devices.into_iter().collect::<Vec<_>>()).await?;
    let holders: HashMap<i64, String> =
        holders.into_iter().filter_map(|row| Some((row.device_id, row.cloud_node_id?))).collect();

    let mut outcomes = vec![ConnectOutcome::NodeIsDead; connected.len()];
    let (mut opened, mut taken_over) = (Vec::new(), Vec::new());
    let mut in_order: Vec<_> = connected.iter().zip(&mut outcomes).collect();
    in_order.sort_by_key(|(queued, _)| queued.device_id);
    for (Queued { device_id, payload: Connect { revocation, node }, .. }, outcome) in in_order {
        if !nodes[node.id()] {
            continue;
        }
        let generation = store::connections::open(tx, *device_id, *revocation, node.id(), now).await?.map(Generation);
        *outcome = generation.map_or(ConnectOutcome::Revoked, ConnectOutcome::Connected);
        if let Some(generation) = generation {
            opened.push(*device_id);
            if holders.get(device_id).is_some_and(|holder| holder != node.id()) {
                taken_over.push((*device_id, generation));
            }
        }
    }
    let mut distinct = opened.clone();
    distinct.dedup();
    let mut changed = store::connection_history::record(tx, &distinct, ONLINE, now).await?;
    let change = |device_id: i64| {
        let is_change = changed.remove(&device_id);
        Change { device_id, kind: ChangeKind::Connectivity { status: ONLINE, is_change } }
    };
    Ok(Opened { outcomes, changes: opened.into_iter().map(change).collect(), taken_over })
}

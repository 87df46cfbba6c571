//! One transaction that keeps a group.
//!
//! Every transaction of the cloud holds first commands, then properties, then connections, and each of them in the order of
//! their keys, so that no two wait for each other.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use platform::db::{Db, Result, Tx};
use platform::random::Random;

use super::group::Group;
use super::link::{AckOutcome, Generation};
use super::linked::LinkedProperty;
use super::said::{Ack, Asked, Report};
use crate::reactions::{self, Occurrence, Reactions};
use crate::records::device::DeviceInfo;
use crate::store;
use crate::store::audience::Origin;
use crate::store::chains::Chains;
use crate::store::commands::AckedRow;
use crate::store::connections::{OFFLINE, ONLINE};
use crate::store::datapoints::{DatapointRow, NewDatapoint};
use crate::store::properties::Reported;
use crate::stream::event::{self, Event};

/// What became of a group that is on disk; generations and outcomes as its hellos and acks.
pub(super) struct Kept {
    pub(super) generations: Vec<Option<Generation>>,
    pub(super) outcomes: Vec<AckOutcome>,
    pub(super) events: Vec<Event>,
}

/// What the stream is told of a device, and what the cloud reacts to.
struct Happened {
    device_id: i64,
    what: What,
}

enum What {
    Reported(Arc<LinkedProperty>, DatapointRow),
    Acked(Arc<LinkedProperty>, DatapointRow),
    Connectivity {
        status: &'static str,
        /// Of a device that has connected anew while it was connected, the stream is told all the same.
        is_change: bool,
    },
}

impl Happened {
    fn event(&self, origin: &Origin, now: Timestamp) -> Event {
        match &self.what {
            What::Reported(property, row) => event::datapoint(origin, &property.described(), row),
            What::Acked(property, row) => event::ack(origin, &property.described(), row),
            What::Connectivity { status, .. } => event::connectivity(origin, status, now),
        }
    }

    fn occurrence(&self, chains: &Chains) -> Option<Occurrence<'_>> {
        use reactions::What as Kind;
        let what = match &self.what {
            What::Reported(property, datapoint) => {
                let interest = chains.interest(property.id);
                Kind::Datapoint { property_id: property.id, property: property.described(), datapoint, interest }
            }
            What::Acked(property, datapoint) => {
                Kind::Ack { property: property.described(), datapoint, interest: chains.interest(property.id) }
            }
            What::Connectivity { status, is_change: true } => Kind::Connectivity { online: *status == ONLINE },
            What::Connectivity { .. } => return None,
        };
        Some(Occurrence { device_id: self.device_id, what })
    }
}

/// Keeps all of it or nothing.
///
/// # Errors
/// What the database says.
pub(super) async fn keep(
    db: &Db,
    group: &Group,
    now: Timestamp,
    random: &Random,
    reactions: &Reactions,
) -> Result<Kept> {
    let mut tx = db.begin().await?;
    let (outcomes, acked) = record_acks(&mut tx, &group.acks, now).await?;
    let reported = group.reports.iter().flat_map(|asked| &asked.what.values).map(|value| value.property.id);
    let concerned = reported.chain(acked.iter().map(|(_, acked)| acked.property_id));
    let mut chains = Chains::hold(&mut tx, concerned).await?;
    let mut happened = settle(&mut tx, &acked, now).await?;
    happened.extend(append(&mut tx, &mut chains, &group.reports, now, random).await?);
    happened.extend(close(&mut tx, &group.goodbyes, now).await?);
    let (generations, opened) = open(&mut tx, &group.hellos, now).await?;
    happened.extend(opened);
    describe(&mut tx, &group.reports).await?;

    let mut devices: Vec<i64> = happened.iter().map(|happened| happened.device_id).collect();
    devices.sort_unstable();
    devices.dedup();
    let origins = store::audience::origins(&mut tx, &devices).await?;
    let occurrences: Vec<Occurrence<'_>> =
        happened.iter().filter_map(|happened| happened.occurrence(&chains)).collect();
    reactions.react(&mut tx, &occurrences, now).await?;
    tx.commit().await?;
    let event = |happened: &Happened| Some(happened.event(origins.get(&happened.device_id)?, now));
    Ok(Kept { generations, outcomes, events: happened.iter().filter_map(event).collect() })
}

type Acked<'a> = Vec<(&'a Asked<Ack, AckOutcome>, AckedRow)>;

/// Notes the acks; answers what became of each, and those that count.
async fn record_acks<'a>(
    tx: &mut Tx,
    acks: &'a [Asked<Ack, AckOutcome>],
    now: Timestamp,
) -> Result<(Vec<AckOutcome>, Acked<'a>)> {
    let mut outcomes = vec![AckOutcome::Unknown; acks.len()];
    let mut acked = Vec::with_capacity(acks.len());
    let mut in_order: Vec<_> = acks.iter().zip(&mut outcomes).collect();
    in_order.sort_by_key(|(asked, _)| &asked.what.command);
    for (asked, outcome) in in_order {
        let Ack { command, status, message, .. } = &asked.what;
        let device_id = asked.device_id;
        let row = store::commands::record_ack(tx, device_id, command, *status, message.as_ref(), now).await?;
        if let Some(row) = row {
            let good = store::commands::is_good(*status);
            *outcome = if good { AckOutcome::Acknowledged } else { AckOutcome::Failed };
            acked.push((asked, row));
        } else if store::commands::exists(tx, device_id, command).await? {
            *outcome = AckOutcome::Repeated;
        }
    }
    Ok((outcomes, acked))
}

/// Lets properties show what became of their commands.
async fn settle(tx: &mut Tx, acked: &Acked<'_>, now: Timestamp) -> Result<Vec<Happened>> {
    let mut happened = Vec::with_capacity(acked.len());
    for (asked, row) in acked {
        if store::commands::is_good(asked.what.status) {
            store::properties::note_obeyed(tx, &asked.what.command, row, now).await?;
        } else {
            store::properties::show_reported(tx, row.property_id).await?;
        }
        let property = asked.what.properties.iter().find(|property| property.id == row.property_id);
        let datapoint = store::datapoints::of_command(tx, &asked.what.command).await?;
        if let (Some(property), Some(datapoint)) = (property, datapoint) {
            let what = What::Acked(Arc::clone(property), datapoint);
            happened.push(Happened { device_id: asked.device_id, what });
        }
    }
    Ok(happened)
}

/// Appends what devices report to the chains of their properties.
async fn append(
    tx: &mut Tx,
    chains: &mut Chains,
    reports: &[Asked<Report, ()>],
    now: Timestamp,
    random: &Random,
) -> Result<Vec<Happened>> {
    let (mut rows, mut of) = (Vec::new(), Vec::new());
    for asked in reports {
        for value in &asked.what.values {
            rows.push(NewDatapoint {
                property_id: value.property.id,
                place: chains.grow(value.property.id, now, random),
                value: value.value.clone(),
                echo: true,
                user_uuid: None,
                metadata: None,
                created_at_from_device: asked.what.at,
            });
            of.push((asked.device_id, Arc::clone(&value.property)));
        }
    }
    store::datapoints::insert(tx, &rows).await?;
    // Of a property that was reported more than once the last value counts.
    let last: HashMap<i64, Reported<'_>> = rows.iter().map(|row| (row.property_id, Reported::from(row))).collect();
    let mut last: Vec<Reported<'_>> = last.into_values().collect();
    last.sort_unstable_by_key(|reported| reported.property_id);
    store::properties::note_reports(tx, &last).await?;
    let happened = |((device_id, property), row)| {
        let what = What::Reported(property, DatapointRow::from(row));
        Happened { device_id, what }
    };
    Ok(of.into_iter().zip(rows).map(happened).collect())
}

/// Stores what devices report about themselves.
async fn describe(tx: &mut Tx, reports: &[Asked<Report, ()>]) -> Result<()> {
    let mut in_order: Vec<_> = reports.iter().filter(|asked| asked.what.info != DeviceInfo::default()).collect();
    in_order.sort_by_key(|asked| asked.device_id);
    for Asked { device_id, what: Report { info, .. }, .. } in in_order {
        store::connections::describe(tx, *device_id, info).await?;
    }
    Ok(())
}

/// Sets devices Offline, but for those that a newer connection has taken over.
async fn close(tx: &mut Tx, goodbyes: &[Asked<Generation, ()>], now: Timestamp) -> Result<Vec<Happened>> {
    let mut in_order: Vec<_> = goodbyes.iter().collect();
    in_order.sort_by_key(|asked| asked.device_id);
    let mut closed = Vec::with_capacity(goodbyes.len());
    for Asked { device_id, what: generation, .. } in in_order {
        if store::connections::close(tx, *device_id, generation.0).await? {
            closed.push(*device_id);
        }
    }
    store::connection_history::note(tx, &closed, OFFLINE, now).await?;
    let what = || What::Connectivity { status: OFFLINE, is_change: true };
    Ok(closed.into_iter().map(|device_id| Happened { device_id, what: what() }).collect())
}

/// Sets devices Online, but for those that were removed or revoked; answers the generations of their connections.
async fn open(
    tx: &mut Tx,
    hellos: &[Asked<i64, Option<Generation>>],
    now: Timestamp,
) -> Result<(Vec<Option<Generation>>, Vec<Happened>)> {
    let mut generations = vec![None; hellos.len()];
    let mut in_order: Vec<_> = hellos.iter().zip(&mut generations).collect();
    in_order.sort_by_key(|(asked, _)| asked.device_id);
    for (asked, generation) in in_order {
        *generation = store::connections::open(tx, asked.device_id, asked.what, now).await?.map(Generation);
    }
    let online = || hellos.iter().zip(&generations).filter(|(_, generation)| generation.is_some());
    let mut opened: Vec<i64> = online().map(|(asked, _)| asked.device_id).collect();
    opened.sort_unstable();
    opened.dedup();
    let mut changed = store::connection_history::note(tx, &opened, ONLINE, now).await?;
    let happened = online().map(|(asked, _)| {
        let is_change = changed.remove(&asked.device_id);
        Happened { device_id: asked.device_id, what: What::Connectivity { status: ONLINE, is_change } }
    });
    let happened = happened.collect();
    Ok((generations, happened))
}

//! The service that stores the messages of the device link. Nothing else stores messages of devices.

mod batch;
mod fault_counts;
mod linked_device;
mod message;
mod persist;
mod types;
mod writer;

use jiff::{SignedDuration, Timestamp};
use platform::bus::{Bus, Subscription};
use platform::db::{Db, Result};
use platform::run::clock::{Clock, from_micros};
use platform::run::random::Random;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use self::linked_device::{Authentication, LinkedDevice};
use self::message::{Ack, Connect, DeviceMessage, Refusal, ReportFaults, Silence, StoredReport};
pub(crate) use self::types::{
    AckMessage, AckOutcome, BadValue, Command, ConnectError, DeviceReport, Generation, NewerConnection, ReportError,
    Settings, Strictness, value_at,
};
use self::types::{CONNECTION_SUBJECT, ConnectOutcome, ReportOutcome};
use self::writer::GroupWriter;
use super::commands::SUBJECT;
use crate::domain::report_fault::ReportFault;
use crate::domain::{replacements, secret, time_zone};
use crate::metrics;
use crate::nodes::Nodes;
use crate::reactions::Reactions;
use crate::records::device::DeviceInfo;
use crate::store;
pub(crate) use crate::store::commands::RecentRow;
pub(crate) use crate::store::connections::RevokedRow;
use crate::store::connections::{LinkKeyRow, ONLINE};
use crate::store::json::json;

/// How far back revocations are read: longer than clocks of nodes differ and a database outage lasts.
const REVOCATION_WINDOW: SignedDuration = SignedDuration::from_mins(15);

/// The cloud's side of the device link. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct LinkService {
    db: Db,
    clock: Clock,
    bus: Bus,
    nodes: Nodes,
    writer: GroupWriter,
}

impl LinkService {
    /// The service and the task of its writer, which ends when `stop` is cancelled and every queued message is stored.
    pub(crate) fn new(
        db: Db,
        clock: Clock,
        random: Random,
        bus: Bus,
        reactions: Reactions,
        nodes: Nodes,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()>) {
        let (writer, task) = GroupWriter::new(db.clone(), clock.clone(), random, bus.clone(), reactions, stop);
        (Self { db, clock, bus, nodes, writer }, task)
    }

    /// Checks the key of the device with this dsn, and that no operator has blocked the device.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn authenticate(&self, dsn: &str, key: &str) -> Result<Authentication> {
        // PostgreSQL rejects NUL in a text, and no dsn contains one.
        let row = if dsn.contains('\0') { None } else { store::connections::link_key(&self.db, dsn).await? };
        let stored = row.as_ref().map_or("", |row| &row.link_key_hash);
        let matches = secret::matches(key, stored);
        Ok(match row {
            None => Authentication::UnknownDsn,
            Some(row) if !matches => Authentication::WrongKey(row.id),
            Some(row) if row.is_blocked => Authentication::Blocked(row.id),
            Some(row) if self.is_paused(&row) => Authentication::SharedIdentity,
            Some(row) => {
                let node = self.nodes.identity();
                Authentication::Accepted(LinkedDevice::read(&self.db, &row, dsn, node).await?)
            }
        })
    }

    /// Whether the device must not replace its connection yet, because it did too often.
    fn is_paused(&self, row: &LinkKeyRow) -> bool {
        let is_recent = |at| self.clock.now().duration_since(from_micros(at)) < replacements::PAUSE;
        row.status == ONLINE && row.shared_identity_at.is_some_and(is_recent)
    }

    /// Stores why a connection or a packet of a device was refused.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn record_refusal(&self, device_id: i64, reason: String) -> Result<()> {
        self.writer.store(device_id, Refusal { reason }, DeviceMessage::Refused).await
    }

    /// Sets the device Online. Returns the generation to pass to [`disconnected`](Self::disconnected).
    ///
    /// # Errors
    /// [`ConnectError`].
    pub(crate) async fn connected(&self, device: &LinkedDevice) -> std::result::Result<Generation, ConnectError> {
        let connect = Connect { revocation: device.revocation(), node: device.node().clone() };
        match self.writer.store(device.id, connect, DeviceMessage::Connected).await? {
            ConnectOutcome::Connected(generation) => {
                device.set_connected(generation, self.clock.now());
                Ok(generation)
            }
            ConnectOutcome::Revoked => Err(ConnectError::Revoked),
            ConnectOutcome::NodeIsDead => Err(ConnectError::NodeIsDead),
        }
    }

    /// Those of the connections, given by device, that a newer one has replaced, with the generation of the newest.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn replaced(&self, connections: &[(String, Generation)]) -> Result<Vec<NewerConnection>> {
        let dsns: Vec<&str> = connections.iter().map(|(dsn, _)| &**dsn).collect();
        let newest = store::connections::generations_of(&self.db, &dsns).await?;
        let is_replaced =
            |(dsn, generation): &&(String, Generation)| newest.get(dsn).is_some_and(|newest| *newest > generation.0);
        let replaced = connections.iter().filter(is_replaced);
        Ok(replaced.map(|(dsn, _)| NewerConnection { dsn: dsn.clone(), generation: Generation(newest[dsn]) }).collect())
    }

    /// The devices whose connections an operator recently revoked, perhaps in another process. Connections that signed in under
    /// a lower [`revocation`](LinkedDevice::revocation) must end.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn revoked(&self) -> Result<Vec<RevokedRow>> {
        store::connections::revoked(&self.db, self.clock.now() - REVOCATION_WINDOW).await
    }

    /// Sets the device Offline, unless a newer connection has replaced this one.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn disconnected(&self, device: &LinkedDevice, generation: Generation) -> Result<()> {
        self.writer.store(device.id, generation, DeviceMessage::Disconnected).await
    }

    /// Records that a newer connection replaced one of the device, which stays Online. The writer logs errors.
    pub(crate) async fn replaced_by_newer(&self, device: &LinkedDevice) {
        if self.writer.store(device.id, (), DeviceMessage::Replaced).await.unwrap_or_default() {
            device.count_shared_identity(self.clock.now());
        }
    }

    /// Stores that the device was not heard `since` then, or that it was heard again. The writer logs errors.
    pub(crate) async fn set_silent(&self, device: &LinkedDevice, generation: Generation, since: Option<Timestamp>) {
        let _ = self.writer.store(device.id, Silence { generation, since }, DeviceMessage::Silence).await;
    }

    /// The pending commands of the device: the newest per property, oldest first, without expired ones.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn pending_commands(&self, device: &LinkedDevice) -> Result<Vec<Command>> {
        let rows = store::commands::pending(&self.db, device.id, self.clock.now()).await?;
        let command = |row: store::commands::PendingRow| Command {
            value: json(Some(&row.value)),
            created_at: from_micros(row.created_at),
            id: row.id,
            property: row.property,
        };
        Ok(rows.into_iter().map(command).collect())
    }

    /// The pending commands of the devices that are connected to this node that were issued after `since`.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn recent_commands(&self, since: Timestamp) -> Result<Vec<RecentRow>> {
        store::commands::recent(&self.db, self.nodes.identity().id(), since, self.clock.now()).await
    }

    /// The time of the node.
    pub(crate) fn clock(&self) -> Clock {
        self.clock.clone()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The current settings of the device.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn settings(&self, device: &LinkedDevice) -> Result<Settings> {
        let time_zone = store::connections::time_zone(&self.db, device.id).await?;
        let time = self.clock.now();
        let rules = time_zone.as_deref().and_then(|tz_id| time_zone::clock_rules(tz_id, time));
        Ok(Settings { time_zone, time, rules })
    }

    /// Stores a report. Returns when it is on disk. If one value is rejected, the others are stored, or nothing if the template is
    /// strict.
    ///
    /// # Errors
    /// [`ReportError`].
    pub(crate) async fn report(
        &self,
        device: &LinkedDevice,
        DeviceReport { values, at, info, faults }: DeviceReport,
    ) -> std::result::Result<(), ReportError> {
        let now = self.clock.now();
        device.add_faults(faults, now);
        let at = at.and_then(|at| device.accept_time(at, now));
        let values = device.accept(&self.db, values, now).await?;
        let count = values.len();
        let faults = Self::take_faults(device, Some(Instant::now()));
        if values.is_empty() && info == DeviceInfo::default() && faults.counts.is_empty() {
            return Ok(());
        }
        let report = StoredReport { generation: device.generation(), values, faults, at, info };
        match self.writer.store(device.id, report, DeviceMessage::Report).await? {
            ReportOutcome::Stored => {
                metrics::report_stored(count);
                Ok(())
            }
            ReportOutcome::Replaced => Err(ReportError::Replaced),
        }
    }

    /// Counts faults of a message of the device, and stores those that are due.
    ///
    /// # Errors
    /// A database error. The faults are forgotten; the device should send the message again.
    pub(crate) async fn count_faults(&self, device: &LinkedDevice, faults: Vec<ReportFault>) -> Result<()> {
        if faults.is_empty() {
            return Ok(());
        }
        device.add_faults(faults, self.clock.now());
        self.write_faults(device, Some(Instant::now())).await
    }

    /// Stores the counted faults of the device that are due at this time, or all. The writer logs errors.
    pub(crate) async fn store_faults(&self, device: &LinkedDevice, due_at: Option<Instant>) {
        let _ = self.write_faults(device, due_at).await;
    }

    async fn write_faults(&self, device: &LinkedDevice, due_at: Option<Instant>) -> Result<()> {
        let faults = Self::take_faults(device, due_at);
        if !faults.counts.is_empty() {
            // Of a connection that was replaced, too.
            let report = StoredReport { faults, ..StoredReport::default() };
            self.writer.store(device.id, report, DeviceMessage::Report).await?;
        }
        Ok(())
    }

    fn take_faults(device: &LinkedDevice, due_at: Option<Instant>) -> ReportFaults {
        ReportFaults { counts: device.take_faults(due_at), dsn: device.shared_dsn() }
    }

    /// Stores the device's acknowledgement of a command. Returns when it is on disk.
    ///
    /// # Errors
    /// A database error. Nothing was stored; the device should send the ack again.
    pub(crate) async fn ack(
        &self,
        device: &LinkedDevice,
        command: &str,
        status: i64,
        message: Option<AckMessage>,
    ) -> Result<AckOutcome> {
        if command.contains('\0') {
            return Ok(AckOutcome::Unknown);
        }
        let message = message.map(|message| match message {
            AckMessage::Int(number) => Value::from(number),
            AckMessage::Text(text) => Value::from(text),
        });
        let (generation, properties) = (device.generation(), device.properties());
        let ack = Ack { generation, command: command.to_owned(), status, message, properties };
        let outcome = self.writer.store(device.id, ack, DeviceMessage::Ack).await?;
        metrics::command_acknowledged(outcome.as_str());
        Ok(outcome)
    }

    /// Subscribes to [`NewerConnection`]s of devices at other nodes. After a `Resync`, [`replaced`](Self::replaced) finds those that were
    /// missed.
    pub(crate) fn newer_connections(&self) -> Subscription {
        self.bus.subscribe(CONNECTION_SUBJECT)
    }

    /// Subscribes to notifications about new commands and settings: subject `link.{dsn}`, no payload. On a message, read
    /// [`pending_commands`](Self::pending_commands) and [`settings`](Self::settings) of the device; on a `Resync`, of every
    /// connected device.
    pub(crate) fn commands(&self) -> Subscription {
        self.bus.subscribe(SUBJECT)
    }
}

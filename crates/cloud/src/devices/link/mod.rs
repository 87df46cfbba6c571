//! The service that stores the messages of the device link. Nothing else stores messages of devices.

mod batch;
mod linked_device;
mod message;
mod persist;
mod types;
mod writer;

use jiff::{SignedDuration, Timestamp};
use platform::bus::{Bus, Subscription};
use platform::clock::Clock;
use platform::db::{Db, Result, Tx};
use platform::random::Random;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub(crate) use self::linked_device::LinkedDevice;
use self::message::{Ack, DeviceMessage, Report};
pub(crate) use self::types::{
    AckMessage, AckOutcome, Command, ConnectError, DeviceReport, Generation, ReportError, Settings,
};
use self::writer::Writer;
use super::commands::SUBJECT;
use crate::domain::secret;
use crate::reactions::{Occurrence, OccurrenceKind, Reactions};
use crate::store;
pub(crate) use crate::store::commands::RecentRow;
pub(crate) use crate::store::connections::RevokedRow;
use crate::store::json::json;

/// How far back revocations are read: longer than clocks of nodes differ and a database outage lasts.
const REVOCATION_WINDOW: SignedDuration = SignedDuration::from_mins(15);

/// The cloud's side of the device link. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct LinkService {
    db: Db,
    clock: Clock,
    bus: Bus,
    reactions: Reactions,
    writer: Writer,
}

impl LinkService {
    /// The service and the task of its writer, which ends when `stop` is cancelled and every queued message is stored.
    pub(crate) fn new(
        db: Db,
        clock: Clock,
        random: Random,
        bus: Bus,
        reactions: Reactions,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()>) {
        let (writer, task) = Writer::new(db.clone(), clock.clone(), random, bus.clone(), reactions.clone(), stop);
        (Self { db, clock, bus, reactions, writer }, task)
    }

    /// The device with this dsn, if the key matches and no operator has blocked the device.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn authenticate(&self, dsn: &str, key: &str) -> Result<Option<LinkedDevice>> {
        // PostgreSQL rejects NUL in a text, and no dsn contains one.
        let row = if dsn.contains('\0') { None } else { store::connections::link_key(&self.db, dsn).await? };
        let stored = row.as_ref().map_or("", |row| &row.link_key_hash);
        let matches = secret::matches(key, stored);
        match row.filter(|_| matches) {
            Some(row) => Ok(Some(LinkedDevice::read(&self.db, row.id, dsn, row.revocation).await?)),
            None => Ok(None),
        }
    }

    /// Sets the device Online. Returns the generation to pass to [`disconnected`](Self::disconnected).
    ///
    /// # Errors
    /// [`ConnectError`].
    pub(crate) async fn connected(&self, device: &LinkedDevice) -> std::result::Result<Generation, ConnectError> {
        self.writer.store(device.id, device.revocation(), DeviceMessage::Connected).await?.ok_or(ConnectError::Revoked)
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

    /// Sets every device Offline: no device is connected when a node starts.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn sweep(&self) -> Result<()> {
        let now = self.clock.now();
        let sweep = async |mut tx: Tx| -> Result<()> {
            let swept = store::connections::set_all_offline(&mut tx, now).await?;
            let offline = |device_id| Occurrence { device_id, kind: OccurrenceKind::Connectivity { online: false } };
            self.reactions.react(&mut tx, &swept.into_iter().map(offline).collect::<Vec<_>>(), now).await?;
            tx.commit().await
        };
        self.db.write(sweep).await
    }

    /// The pending commands of the device: the newest per property, oldest first, without expired ones.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn pending_commands(&self, device: &LinkedDevice) -> Result<Vec<Command>> {
        let rows = store::commands::pending(&self.db, device.id, self.clock.now()).await?;
        let command = |row: store::commands::PendingRow| Command {
            value: json(Some(&row.value)),
            created_at: platform::clock::from_micros(row.created_at),
            id: row.id,
            property: row.property,
        };
        Ok(rows.into_iter().map(command).collect())
    }

    /// The pending commands of all devices that were issued after `since`.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn recent_commands(&self, since: Timestamp) -> Result<Vec<RecentRow>> {
        store::commands::recent(&self.db, since, self.clock.now()).await
    }

    /// The time of the node.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The current settings of the device.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn settings(&self, device: &LinkedDevice) -> Result<Settings> {
        let time_zone = store::connections::time_zone(&self.db, device.id).await?;
        Ok(Settings { time_zone, time: self.clock.now() })
    }

    /// Stores a report. Returns when it is on disk. If one value is rejected, nothing is stored.
    ///
    /// # Errors
    /// [`ReportError`].
    pub(crate) async fn report(
        &self,
        device: &LinkedDevice,
        DeviceReport { values, at, info }: DeviceReport,
    ) -> std::result::Result<(), ReportError> {
        let values = device.accept(&self.db, values).await?;
        Ok(self.writer.store(device.id, Report { values, at, info }, DeviceMessage::Report).await?)
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
        let ack = Ack { command: command.to_owned(), status, message, properties: device.properties() };
        self.writer.store(device.id, ack, DeviceMessage::Ack).await
    }

    /// Subscribes to notifications about new commands and settings: subject `link.{dsn}`, no payload. On a message, read
    /// [`pending_commands`](Self::pending_commands) and [`settings`](Self::settings) of the device; on a `Resync`, of every
    /// connected device.
    pub(crate) fn commands(&self) -> Subscription {
        self.bus.subscribe(SUBJECT)
    }
}

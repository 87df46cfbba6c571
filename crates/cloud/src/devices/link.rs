//! The device link's hands on the cloud: whatever a device itself says arrives here, and nowhere else.

use jiff::{SignedDuration, Timestamp};
use platform::bus::{Bus, Subscription};
use platform::clock::Clock;
use platform::db::{Db, Result};
use platform::random::Random;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::commands::SUBJECT;
pub(crate) use super::linked::LinkedDevice;
use super::said::{Ack, Report, Said};
use super::writer::Writer;
use crate::domain::secret;
use crate::reactions::{Occurrence, Reactions, What};
use crate::records::device::DeviceInfo;
use crate::store;
pub(crate) use crate::store::connections::RevokedRow;
use crate::store::properties::json;

/// How long a revocation is looked for: longer than clocks disagree and the database is away.
const REVOKED_LATELY: SignedDuration = SignedDuration::from_mins(15);

/// The cloud's side of the device link. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct LinkService {
    db: Db,
    clock: Clock,
    bus: Bus,
    reactions: Reactions,
    writer: Writer,
}

/// One connection of a device, among those that it has had; the newer, the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Generation(pub(crate) i64);

/// What a device has yet to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    /// The datapoint's id: the ack names it.
    pub(crate) id: String,
    pub(crate) property: String,
    pub(crate) value: Value,
    pub(crate) created_at: Timestamp,
}

/// What a device has to know to follow its schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// A name of the tz database.
    pub(crate) time_zone: Option<String>,
    /// Now.
    pub(crate) time: Timestamp,
}

/// What a device reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DeviceReport {
    /// Values by property.
    pub(crate) values: Vec<(String, Value)>,
    /// When, by the device's own clock.
    pub(crate) at: Option<Timestamp>,
    /// The device itself.
    pub(crate) info: DeviceInfo,
}

/// `message` of a device's ack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AckMessage {
    Int(i64),
    Text(String),
}

/// What became of an ack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AckOutcome {
    /// The command is done.
    Acknowledged,
    /// The device refused the command.
    Failed,
    /// This command was answered before; the first answer stands.
    Repeated,
    /// The device has no such command.
    Unknown,
}

/// Why a device that signed in is not connected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// An operator blocked or removed the device, or gave it another key, since it signed in.
    #[error("revoked since the sign-in")]
    Revoked,
    /// What the database says.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
}

/// Why a report was refused as a whole.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    /// The device has no property of this name.
    #[error("the device has no property {0:?}")]
    UnknownProperty(String),
    /// The value is none of the property's type.
    #[error("{property} {reason}")]
    BadValue { property: String, reason: &'static str },
    /// What the database says; nothing was kept, the device should repeat it.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
}

impl LinkService {
    /// The service and the work of its writer, which ends when `stop` is cancelled and everything said before is kept.
    pub(crate) fn new(
        db: Db,
        clock: Clock,
        random: Random,
        bus: Bus,
        reactions: Reactions,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()>) {
        let (writer, work) = Writer::new(db.clone(), clock.clone(), random, bus.clone(), reactions.clone(), stop);
        (Self { db, clock, bus, reactions, writer }, work)
    }

    /// The device of this dsn, if this is its key and no operator has blocked it.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn authenticate(&self, dsn: &str, key: &str) -> Result<Option<LinkedDevice>> {
        // PostgreSQL takes no NUL in a text, and no dsn has one.
        let row = if dsn.contains('\0') { None } else { store::connections::link_key(&self.db, dsn).await? };
        let stored = row.as_ref().map_or("", |row| &row.link_key_hash);
        let matches = secret::matches(key, stored);
        match row.filter(|_| matches) {
            Some(row) => Ok(Some(LinkedDevice::read(&self.db, row.id, dsn, row.revocation).await?)),
            None => Ok(None),
        }
    }

    /// The device is Online. Answers the generation to hand to [`disconnected`](Self::disconnected).
    ///
    /// # Errors
    /// [`ConnectError`].
    pub(crate) async fn connected(&self, device: &LinkedDevice) -> std::result::Result<Generation, ConnectError> {
        self.writer.keep(device.id, device.revocation(), Said::Hello).await?.ok_or(ConnectError::Revoked)
    }

    /// The devices whose connections an operator revoked lately, perhaps in another process. Those that signed in under a lower
    /// [`revocation`](LinkedDevice::revocation) must end.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn revoked(&self) -> Result<Vec<RevokedRow>> {
        store::connections::revoked(&self.db, self.clock.now() - REVOKED_LATELY).await
    }

    /// The device is Offline, unless a newer connection has taken over.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn disconnected(&self, device: &LinkedDevice, generation: Generation) -> Result<()> {
        self.writer.keep(device.id, generation, Said::Goodbye).await
    }

    /// Sets every device Offline: at start nobody is connected.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn sweep(&self) -> Result<()> {
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let swept = store::connections::sweep(&mut tx, now).await?;
        let lost = |device_id| Occurrence { device_id, what: What::Connectivity { online: false } };
        self.reactions.react(&mut tx, &swept.into_iter().map(lost).collect::<Vec<_>>(), now).await?;
        tx.commit().await
    }

    /// What the device has yet to do: the newest command per property, none that has expired, oldest first.
    ///
    /// # Errors
    /// What the database says.
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

    /// The device's settings as they are now.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn settings(&self, device: &LinkedDevice) -> Result<Settings> {
        let time_zone = store::connections::time_zone(&self.db, device.id).await?;
        Ok(Settings { time_zone, time: self.clock.now() })
    }

    /// Stores a report, or nothing of it when one of its values is refused. It is on disk when this returns.
    ///
    /// # Errors
    /// [`ReportError`].
    pub(crate) async fn report(
        &self,
        device: &LinkedDevice,
        DeviceReport { values, at, info }: DeviceReport,
    ) -> std::result::Result<(), ReportError> {
        let values = device.accept(&self.db, values).await?;
        Ok(self.writer.keep(device.id, Report { values, at, info }, Said::Report).await?)
    }

    /// Keeps the device's answer to a command; it is on disk when this returns.
    ///
    /// # Errors
    /// What the database says; nothing was kept, the device should repeat it.
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
        self.writer.keep(device.id, ack, Said::Ack).await
    }

    /// Tells of new commands and settings: subject `link.{dsn}`, no payload. Read
    /// [`pending_commands`](Self::pending_commands) and [`settings`](Self::settings) then; after a `Resync` read them for
    /// every connected device.
    pub(crate) fn commands(&self) -> Subscription {
        self.bus.subscribe(SUBJECT)
    }
}

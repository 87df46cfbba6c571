//! The device link's hands on the cloud: whatever a device itself says arrives here, and nowhere else.

use jiff::Timestamp;
use platform::bus::{Bus, Subscription};
use platform::clock::Clock;
use platform::db::{Db, Result};
use platform::random::Random;
use serde_json::Value;

use super::commands::SUBJECT;
use crate::domain::secret;
use crate::store;
use crate::store::audience::Origin;
use crate::store::connections::{OFFLINE, ONLINE};
use crate::store::datapoints::NewDatapoint;
use crate::store::properties::json;
use crate::stream::event;

/// The cloud's side of the device link. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct LinkService {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) bus: Bus,
}

/// A device that has proved who it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LinkedDevice {
    id: i64,
    dsn: String,
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

impl LinkedDevice {
    pub(crate) fn dsn(&self) -> &str {
        &self.dsn
    }
}

impl LinkService {
    /// The device of this dsn, if this is its key.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn authenticate(&self, dsn: &str, key: &str) -> Result<Option<LinkedDevice>> {
        // PostgreSQL takes no NUL in a text, and no dsn has one.
        let row = if dsn.contains('\0') { None } else { store::connections::link_key(&self.db, dsn).await? };
        let stored = row.as_ref().map_or("", |row| &row.link_key_hash);
        let matches = secret::matches(key, stored);
        Ok(row.filter(|_| matches).map(|row| LinkedDevice { id: row.id, dsn: dsn.to_owned() }))
    }

    /// The device is Online. Answers the generation to hand to [`disconnected`](Self::disconnected).
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn connected(&self, device: &LinkedDevice) -> Result<Generation> {
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let generation = store::connections::open(&mut tx, device.id, now).await?;
        let origin = store::audience::origin(&mut tx, device.id).await?;
        tx.commit().await?;
        self.tell_connectivity(origin.as_ref(), ONLINE, now);
        Ok(Generation(generation))
    }

    /// The device is Offline, unless a newer connection has taken over.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn disconnected(&self, device: &LinkedDevice, generation: Generation) -> Result<()> {
        let mut tx = self.db.begin().await?;
        if store::connections::close(&mut tx, device.id, generation.0).await? {
            let origin = store::audience::origin(&mut tx, device.id).await?;
            tx.commit().await?;
            self.tell_connectivity(origin.as_ref(), OFFLINE, self.clock.now());
        }
        Ok(())
    }

    /// Sets every device Offline: at start nobody is connected.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn sweep(&self) -> Result<()> {
        store::connections::sweep(&self.db).await
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

    /// Keeps what the device says of its properties: all of it or, when one is refused, nothing. It is on disk when this
    /// returns.
    ///
    /// # Errors
    /// [`ReportError`].
    pub(crate) async fn report(
        &self,
        device: &LinkedDevice,
        values: Vec<(String, Value)>,
        at: Option<Timestamp>,
    ) -> std::result::Result<(), ReportError> {
        let properties = store::properties::of_devices(&self.db, &[device.id]).await?;
        let mut accepted = Vec::with_capacity(values.len());
        for (name, value) in values {
            let Some(property) = properties.iter().find(|property| property.name == name) else {
                return Err(ReportError::UnknownProperty(name));
            };
            let value = property
                .base_type()
                .accept(&value, property.limits())
                .map_err(|reason| ReportError::BadValue { property: name, reason })?;
            accepted.push((property, value));
        }
        // Always in the same order, so that two reports of one device cannot wait for each other.
        accepted.sort_by_key(|(property, _)| property.id);

        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let mut rows = Vec::with_capacity(accepted.len());
        for (property, value) in &accepted {
            store::properties::note_report(&mut tx, property.id, value, now).await?;
            let datapoint = NewDatapoint {
                uuid: self.random.uuid(),
                property_id: property.id,
                value,
                echo: true,
                user_uuid: None,
                metadata: None,
                created_at: now,
                created_at_from_device: at,
            };
            rows.push((property, store::datapoints::insert(&mut tx, &datapoint).await?));
        }
        let origin = store::audience::origin(&mut tx, device.id).await?;
        tx.commit().await?;
        if let Some(origin) = origin {
            for (property, row) in &rows {
                event::datapoint(&origin, property, row).publish(&self.bus);
            }
        }
        Ok(())
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
        let now = self.clock.now();
        let message = message.map(|message| match message {
            AckMessage::Int(number) => Value::from(number),
            AckMessage::Text(text) => Value::from(text),
        });
        let properties = store::properties::of_devices(&self.db, &[device.id]).await?;
        let mut tx = self.db.begin().await?;
        let acked = store::commands::record_ack(&mut tx, device.id, command, status, message.as_ref(), now).await?;
        let Some(acked) = acked else {
            let known = store::commands::exists(&mut tx, device.id, command).await?;
            return Ok(if known { AckOutcome::Repeated } else { AckOutcome::Unknown });
        };
        let good = store::commands::is_good(status);
        if good {
            let value = json(Some(&acked.value));
            store::properties::note_report(&mut tx, acked.property_id, &value, now).await?;
        } else {
            store::properties::settle(&mut tx, acked.property_id).await?;
        }
        let row = store::datapoints::of_command(&mut tx, command).await?;
        let origin = store::audience::origin(&mut tx, device.id).await?;
        tx.commit().await?;
        let property = properties.iter().find(|property| property.id == acked.property_id);
        if let (Some(origin), Some(property)) = (origin, property) {
            event::ack(&origin, property, &row).publish(&self.bus);
        }
        Ok(if good { AckOutcome::Acknowledged } else { AckOutcome::Failed })
    }

    /// Tells of new commands: subject `link.{dsn}`, no payload. Read [`pending_commands`](Self::pending_commands) then;
    /// after a `Resync` read them for every connected device.
    pub(crate) fn commands(&self) -> Subscription {
        self.bus.subscribe(SUBJECT)
    }

    fn tell_connectivity(&self, origin: Option<&Origin>, status: &str, at: Timestamp) {
        if let Some(origin) = origin {
            event::connectivity(origin, status, at).publish(&self.bus);
        }
    }
}

//! A user commands a device, and commands that nobody answered expire.

use std::collections::BTreeSet;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use platform::bus::Bus;
use platform::clock::Clock;
use platform::db::{Db, Result};
use platform::random::Random;
use serde_json::{Map, Value};

use crate::store;
use crate::store::commands::NewCommand;
use crate::store::datapoints::{DatapointRow, NewDatapoint};
use crate::store::properties::PropertyRow;
use crate::stream::event;

/// The bus subjects that tell the device link of new commands begin with this; `link.{dsn}`.
pub(crate) const SUBJECT: &str = "link.";

/// Gives commands. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Commands {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) bus: Bus,
    /// How long a command waits for its device.
    pub(crate) lifetime: SignedDuration,
}

impl Commands {
    /// Creates a datapoint of an `input` property, and the command that brings it to the device. `value` has been
    /// accepted by the property's type.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn give(
        &self,
        user_uuid: &str,
        property: &PropertyRow,
        value: &Value,
        metadata: Option<&Map<String, Value>>,
    ) -> Result<DatapointRow> {
        let (now, uuid) = (self.clock.now(), self.random.uuid());
        let id = uuid.to_string();
        let mut tx = self.db.begin().await?;
        // First the property: its row orders the writers of one property.
        store::properties::show_command(&mut tx, property.id, &id, value, now).await?;
        let datapoint = NewDatapoint {
            uuid,
            property_id: property.id,
            value,
            echo: false,
            user_uuid: Some(user_uuid),
            metadata,
            created_at: now,
            created_at_from_device: None,
        };
        let row = store::datapoints::insert(&mut tx, &datapoint).await?;
        let command = NewCommand {
            id: &id,
            device_id: property.device_id,
            property_id: property.id,
            value,
            created_at: now,
            expires_at: now + self.lifetime,
        };
        store::commands::insert(&mut tx, &command).await?;
        let origin = store::audience::origin(&mut tx, property.device_id).await?;
        tx.commit().await?;
        if let Some(origin) = origin {
            self.bus.publish(format!("{SUBJECT}{}", origin.dsn), Bytes::new());
            event::datapoint(&origin, property, &row).publish(&self.bus);
        }
        Ok(row)
    }

    /// Lets commands expire whose time is over; their properties show again what the device reported.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn expire(&self, now: Timestamp) -> Result<()> {
        loop {
            let mut tx = self.db.begin().await?;
            let properties = store::commands::expire(&mut tx, now).await?;
            // In order, so that it waits for no report that waits for it.
            for property_id in properties.iter().copied().collect::<BTreeSet<_>>() {
                store::properties::settle(&mut tx, property_id).await?;
            }
            tx.commit().await?;
            if properties.is_empty() {
                return Ok(());
            }
        }
    }
}

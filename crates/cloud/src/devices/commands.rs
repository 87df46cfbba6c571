//! A user commands a device, and commands that nobody answered expire.

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use platform::bus::Bus;
use platform::clock::Clock;
use platform::db::{Db, Result};
use platform::random::Random;
use serde_json::{Map, Value};

use crate::store;
use crate::store::chains::Chains;
use crate::store::commands::{ExpiredRow, NewCommand};
use crate::store::datapoints::{DatapointRow, NewDatapoint};
use crate::store::properties::PropertyRow;
use crate::stream::event::{self, Event};

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
        let now = self.clock.now();
        let text = value.to_string();
        let mut tx = self.db.begin().await?;
        let place = Chains::hold(&mut tx, [property.id]).await?.grow(property.id, now, &self.random);
        store::properties::show_command(&mut tx, property.id, &place.id, &text, place.created_at).await?;
        let command = NewCommand {
            id: &place.id,
            device_id: property.device_id,
            property_id: property.id,
            value: &text,
            created_at: place.created_at,
            expires_at: now + self.lifetime,
        };
        store::commands::insert(&mut tx, &command).await?;
        let datapoint = [NewDatapoint {
            property_id: property.id,
            place,
            value: text,
            echo: false,
            user_uuid: Some(user_uuid.to_owned()),
            metadata: metadata.map(|metadata| Value::Object(metadata.clone()).to_string()),
            created_at_from_device: None,
        }];
        store::datapoints::insert(&mut tx, &datapoint).await?;
        let origin = store::audience::origins(&mut tx, &[property.device_id]).await?.remove(&property.device_id);
        tx.commit().await?;
        let [datapoint] = datapoint;
        let row = DatapointRow::from(datapoint);
        if let Some(origin) = origin {
            self.bus.publish(format!("{SUBJECT}{}", origin.dsn), Bytes::new());
            event::publish(&self.bus, &[event::datapoint(&origin, &property.described(), &row)]);
        }
        Ok(row)
    }

    /// Lets commands expire whose time is over; their properties show again what the device reported. The stream
    /// tells of each as of an answer that never came: a `datapointack` without `acked_at`.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn expire(&self, now: Timestamp) -> Result<()> {
        loop {
            let mut tx = self.db.begin().await?;
            let expired = store::commands::expire(&mut tx, now).await?;
            if expired.is_empty() {
                return Ok(());
            }
            Chains::hold(&mut tx, expired.iter().map(|command| command.property_id)).await?;
            let mut rows = Vec::with_capacity(expired.len());
            for command in &expired {
                store::properties::show_reported(&mut tx, command.property_id).await?;
                rows.push(store::datapoints::of_command(&mut tx, &command.id).await?);
            }
            let mut devices: Vec<i64> = expired.iter().map(|command| command.device_id).collect();
            devices.dedup();
            let origins = store::audience::origins(&mut tx, &devices).await?;
            tx.commit().await?;
            let properties = store::properties::of_devices(&self.db, &devices).await?;
            let event = |(command, row): (&ExpiredRow, &Option<DatapointRow>)| {
                let property = properties.iter().find(|property| property.id == command.property_id)?;
                Some(event::ack(origins.get(&command.device_id)?, &property.described(), row.as_ref()?))
            };
            let events: Vec<Event> = expired.iter().zip(&rows).filter_map(event).collect();
            event::publish(&self.bus, &events);
        }
    }
}

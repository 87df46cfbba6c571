//! A user commands a device, and commands that nobody answered expire.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use platform::bus::Bus;
use platform::clock::Clock;
use platform::db::{Db, Result, Tx};
use platform::random::Random;
use serde_json::{Map, Value};

use crate::reactions::{Occurrence, OccurrenceKind, Reactions};
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
    pub(crate) reactions: Reactions,
    /// How long a command waits for its device.
    pub(crate) lifetime: SignedDuration,
}

/// What a user wants of a property.
#[derive(Clone, Debug)]
pub(crate) struct CommandInput<'a> {
    pub(crate) property: &'a PropertyRow,
    /// Accepted by the property's type.
    pub(crate) value: Value,
    pub(crate) metadata: Option<&'a Map<String, Value>>,
}

/// What was issued within a transaction, and has to be told once it is committed.
#[must_use]
#[derive(Debug, Default)]
pub(crate) struct IssuedCommands {
    rows: Vec<DatapointRow>,
    events: Vec<Event>,
    dsns: Vec<String>,
}

impl CommandInput<'_> {
    /// That it became this datapoint.
    fn issued<'a>(&'a self, datapoint: &'a DatapointRow, chains: &Chains) -> Occurrence<'a> {
        let PropertyRow { id, device_id, .. } = *self.property;
        let (property, interest) = (self.property.description(), chains.interest(id));
        let kind = OccurrenceKind::Datapoint { property_id: id, property, datapoint, interest };
        Occurrence { device_id, kind }
    }
}

impl Commands {
    /// Creates datapoints of `input` properties, and the commands that bring them to their devices: in one transaction and a
    /// few statements. Returns the datapoints in the order of the inputs; of several inputs of one property the last counts.
    ///
    /// # Errors
    /// A database error; nothing has changed then.
    pub(crate) async fn issue(&self, user_uuid: &str, inputs: &[CommandInput<'_>]) -> Result<Vec<DatapointRow>> {
        let mut tx = self.db.begin().await?;
        let issued = self.issue_within(&mut tx, Some(user_uuid), inputs).await?;
        tx.commit().await?;
        Ok(self.publish(issued))
    }

    /// The same as the last part of a transaction of the caller's, perhaps without a user;
    /// [`tell`](Self::tell) when it is committed.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn issue_within(
        &self,
        tx: &mut Tx,
        user_uuid: Option<&str>,
        inputs: &[CommandInput<'_>],
    ) -> Result<IssuedCommands> {
        if inputs.is_empty() {
            return Ok(IssuedCommands::default());
        }
        let now = self.clock.now();
        let mut chains = Chains::lock_rows(tx, inputs.iter().map(|input| input.property.id)).await?;
        let datapoints: Vec<NewDatapoint> = inputs
            .iter()
            .map(|input| NewDatapoint {
                property_id: input.property.id,
                position: chains.next_position(input.property.id, now, &self.random),
                value: input.value.to_string(),
                echo: false,
                user_uuid: user_uuid.map(str::to_owned),
                metadata: input.metadata.map(|metadata| Value::Object(metadata.clone()).to_string()),
                created_at_from_device: None,
            })
            .collect();
        let commands: Vec<NewCommand<'_>> = inputs
            .iter()
            .zip(&datapoints)
            .map(|(input, datapoint)| NewCommand {
                id: &datapoint.position.id,
                device_id: input.property.device_id,
                property_id: input.property.id,
                value: &datapoint.value,
                created_at: datapoint.position.created_at,
                expires_at: now + self.lifetime,
            })
            .collect();
        let last: BTreeMap<i64, &NewDatapoint> =
            datapoints.iter().map(|datapoint| (datapoint.property_id, datapoint)).collect();
        store::properties::show_commands(tx, &last.into_values().collect::<Vec<_>>()).await?;
        store::commands::insert(tx, &commands).await?;
        store::datapoints::insert(tx, &datapoints).await?;
        let devices: BTreeSet<i64> = inputs.iter().map(|input| input.property.device_id).collect();
        let origins = store::audience::origins(tx, &devices.into_iter().collect::<Vec<_>>()).await?;
        let rows: Vec<DatapointRow> = datapoints.into_iter().map(DatapointRow::from).collect();
        let happened: Vec<Occurrence<'_>> =
            inputs.iter().zip(&rows).map(|(input, row)| input.issued(row, &chains)).collect();
        self.reactions.react(tx, &happened, now).await?;
        let event = |(input, row): (&CommandInput<'_>, &DatapointRow)| {
            Some(event::datapoint(origins.get(&input.property.device_id)?, &input.property.description(), row))
        };
        let events = inputs.iter().zip(&rows).filter_map(event).collect();
        Ok(IssuedCommands { rows, events, dsns: origins.into_values().map(|origin| origin.dsn).collect() })
    }

    /// Tells the device link and the stream of what was issued. Returns the datapoints.
    pub(crate) fn publish(&self, IssuedCommands { rows, events, dsns }: IssuedCommands) -> Vec<DatapointRow> {
        for dsn in dsns {
            self.bus.publish(format!("{SUBJECT}{dsn}"), Bytes::new());
        }
        event::publish(&self.bus, &events);
        rows
    }

    /// The same commands when so many rules led to them.
    pub(crate) fn after_rules(&self, depth: i64) -> Self {
        Self { reactions: self.reactions.after_rules(depth), ..self.clone() }
    }

    /// Lets commands expire whose time is over; their properties show again what the device reported. The stream
    /// tells of each as of an answer that never came: a `datapointack` without `acked_at`.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn expire(&self, now: Timestamp) -> Result<()> {
        loop {
            let mut tx = self.db.begin().await?;
            let expired = store::commands::expire(&mut tx, now).await?;
            if expired.is_empty() {
                return Ok(());
            }
            Chains::lock_rows(&mut tx, expired.iter().map(|command| command.property_id)).await?;
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
                Some(event::ack(origins.get(&command.device_id)?, &property.description(), row.as_ref()?))
            };
            let events: Vec<Event> = expired.iter().zip(&rows).filter_map(event).collect();
            event::publish(&self.bus, &events);
        }
    }
}

//! Issues and expires commands.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use platform::bus::Bus;
use platform::db::{Db, Result, Tx};
use platform::run::clock::Clock;
use platform::run::random::Random;
use serde_json::{Map, Value};

use crate::metrics;
use crate::reactions::{Occurrence, OccurrenceKind, Reactions};
use crate::store;
use crate::store::chains::Chains;
use crate::store::commands::{ExpiredRow, NewCommand};
use crate::store::datapoints::{DatapointRow, NewDatapoint};
use crate::store::properties::PropertyRow;
use crate::stream::event::{self, Event};

/// Prefix of the bus subjects that notify the device link of new commands: `link.{dsn}`.
pub(crate) const SUBJECT: &str = "link.";

/// Issues commands. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Commands {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) bus: Bus,
    pub(crate) reactions: Reactions,
    /// Time until a command expires.
    pub(crate) lifetime: SignedDuration,
}

/// A value that a user sets.
#[derive(Clone, Debug)]
pub(crate) struct CommandInput<'a> {
    pub(crate) property: &'a PropertyRow,
    /// Accepted by the property's type.
    pub(crate) value: Value,
    pub(crate) metadata: Option<&'a Map<String, Value>>,
}

/// Commands issued within a transaction; pass them to [`Commands::publish`] after the commit.
#[must_use]
#[derive(Debug, Default)]
pub(crate) struct IssuedCommands {
    rows: Vec<DatapointRow>,
    events: Vec<Event>,
    dsns: Vec<String>,
}

impl CommandInput<'_> {
    /// The occurrence of this input's datapoint.
    fn issued<'a>(&'a self, datapoint: &'a DatapointRow, chains: &Chains) -> Occurrence<'a> {
        let PropertyRow { id, device_id, .. } = *self.property;
        let (property, interest) = (self.property.description(), chains.interest(id));
        let kind = OccurrenceKind::Datapoint { property_id: id, property, datapoint, interest };
        Occurrence { device_id, kind }
    }
}

impl Commands {
    /// Creates datapoints of `input` properties and the commands that deliver them, in one transaction and a few
    /// statements. Returns the datapoints in the order of `inputs`. If a property occurs more than once, its last value
    /// wins.
    ///
    /// # Errors
    /// A database error; nothing has changed then.
    pub(crate) async fn issue(&self, user_uuid: &str, inputs: &[CommandInput<'_>]) -> Result<Vec<DatapointRow>> {
        let issue = async |mut tx: Tx| -> Result<IssuedCommands> {
            let issued = self.issue_within(&mut tx, Some(user_uuid), inputs).await?;
            tx.commit().await?;
            Ok(issued)
        };
        Ok(self.publish(self.db.write(issue).await?))
    }

    /// Issues commands as the last part of the caller's transaction, possibly without a user. Call
    /// [`publish`](Self::publish) after the commit.
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
        let occurrences: Vec<Occurrence<'_>> =
            inputs.iter().zip(&rows).map(|(input, row)| input.issued(row, &chains)).collect();
        self.reactions.react(tx, &occurrences, now).await?;
        let event = |(input, row): (&CommandInput<'_>, &DatapointRow)| {
            Some(event::datapoint(origins.get(&input.property.device_id)?, &input.property.description(), row))
        };
        let events = inputs.iter().zip(&rows).filter_map(event).collect();
        Ok(IssuedCommands { rows, events, dsns: origins.into_values().map(|origin| origin.dsn).collect() })
    }

    /// Notifies the device link and publishes the events. Returns the datapoints.
    pub(crate) fn publish(&self, IssuedCommands { rows, events, dsns }: IssuedCommands) -> Vec<DatapointRow> {
        metrics::commands_issued(rows.len());
        for dsn in dsns {
            self.bus.publish(format!("{SUBJECT}{dsn}"), Bytes::new());
        }
        event::publish(&self.bus, &events);
        rows
    }

    /// The same service for commands that `depth` chained rules led to.
    pub(crate) fn after_rules(&self, depth: i64) -> Self {
        Self { reactions: self.reactions.after_rules(depth), ..self.clone() }
    }

    /// Expires commands whose lifetime is over. Their properties show the reported value again. The stream
    /// receives a `datapointack` without `acked_at` for each.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn expire(&self, now: Timestamp) -> Result<()> {
        let expire = async |mut tx: Tx| -> Result<_> {
            let expired = store::commands::expire(&mut tx, now).await?;
            if expired.is_empty() {
                return Ok(None);
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
            Ok(Some((expired, rows, devices, origins)))
        };
        while let Some((expired, rows, devices, origins)) = self.db.write(&expire).await? {
            metrics::commands_expired(expired.len());
            let properties = store::properties::of_devices(&self.db, &devices).await?;
            let event = |(command, row): (&ExpiredRow, &Option<DatapointRow>)| {
                let property = properties.iter().find(|property| property.id == command.property_id)?;
                Some(event::ack(origins.get(&command.device_id)?, &property.description(), row.as_ref()?))
            };
            let events: Vec<Event> = expired.iter().zip(&rows).filter_map(event).collect();
            event::publish(&self.bus, &events);
        }
        Ok(())
    }
}

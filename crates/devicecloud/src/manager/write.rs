use std::collections::BTreeMap;
use std::time::Duration;

use crate::api::{AckPolling, PropertyRef};
use crate::debug::debug_only;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result, required};
use crate::manager::ManagedProperty;
use crate::manager::merge::DatapointKind;
use crate::model::{Ack, DataSource, Datapoint, PropertyValue};

impl ManagedProperty {
    /// Writes a value, and waits for the acknowledgement if the property uses them.
    /// `POST apiv1/properties/{key}/datapoints.json`, then
    /// `GET apiv1/devices/{key}/properties/{name}/datapoints/{id}.json`
    ///
    /// ```no_run
    /// # async fn run(property: devicecloud::manager::ManagedProperty) -> devicecloud::Result<()> {
    /// use devicecloud::api::DEFAULT_ACK_WAIT;
    ///
    /// let datapoint = property.create_datapoint(30).ack_wait(DEFAULT_ACK_WAIT).send().await?;
    /// println!("the device answered: {:?}", datapoint.ack());
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_datapoint(&self, value: impl Into<PropertyValue>) -> WriteProperty {
        WriteProperty { property: self.clone(), value: value.into(), metadata: BTreeMap::new(), ack_wait: None }
    }
}

/// Builder for writing a value; returned by [`ManagedProperty::create_datapoint`].
#[derive(Clone)]
#[must_use]
pub struct WriteProperty {
    property: ManagedProperty,
    value: PropertyValue,
    metadata: BTreeMap<String, String>,
    ack_wait: Option<Duration>,
}

debug_only!(WriteProperty { property, value, ack_wait });

impl WriteProperty {
    /// Adds a metadata entry to the datapoint; clouds allow 10.
    pub fn metadata(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), text.into());
        self
    }

    /// How long to wait for the acknowledgement, in place of the property's own number of polls. The property is polled
    /// at its interval, and at the end of this time. [`send`](Self::send) waits no longer than this and one request.
    pub fn ack_wait(self, ack_wait: Duration) -> Self {
        Self { ack_wait: Some(ack_wait), ..self }
    }

    /// Writes the value. If the property uses acknowledgements, polls until the device has answered, updates the
    /// property, and returns the acknowledged datapoint. If the device rejected the value ([`Datapoint::ack`] is
    /// `Refused`), the property keeps its value and is read again. Without acknowledgements the property is updated at
    /// once.
    ///
    /// Dropping the future while it polls does not undo the write.
    ///
    /// # Errors
    /// `Precondition` 'No owner for this property', 'No device manager' or 'Session is not active'; `InvalidArgument`
    /// 'Device {dsn} does not have a key' if the acknowledgement could not be polled; otherwise as
    /// [`CreateDatapoint::send`](crate::api::CreateDatapoint::send). After the write the outcome is
    /// [`Done`](crate::Outcome::Done) and the error carries the [`datapoint`](Error::datapoint): `Timeout` 'Ack enable
    /// property polling time out', in which case the value may still be acknowledged; `Json` if the response to the write
    /// lacks the id of the datapoint; errors of polling that are not temporary.
    pub async fn send(&self) -> Result<Datapoint> {
        let precondition = |message| Error::new(ErrorKind::Precondition, message);
        let owner = self.property.owner.upgrade().ok_or_else(|| precondition(messages::NO_OWNER))?;
        let manager = owner.state().manager.upgrade().ok_or_else(|| precondition(messages::NO_DEVICE_MANAGER))?;
        let client = manager.client.clone();
        // Waiting for an acknowledgement must not keep the manager alive.
        drop(manager);
        client.require_session(messages::SESSION_NOT_ACTIVE).await?;
        let property = self.property.snapshot().ok_or_else(|| precondition(messages::NO_OWNER))?;
        let device_key = owner.state().device.key.clone();
        if property.ack_enabled {
            required(device_key.is_blank(), &messages::device_without_key(owner.dsn.as_str()))?;
        }
        let call = client.datapoints().create_by_key(&property.key, self.value.clone());
        let call = self.metadata.iter().fold(call, |call, (name, text)| call.metadata(name, text));
        let written = call.send().await?;
        if !property.ack_enabled {
            owner.apply_datapoint(&property.name, &written, DatapointKind::Value, DataSource::Cloud);
            return Ok(written);
        }
        let interval = Duration::from_millis(property.ack_polling_interval_ms);
        let polling = match self.ack_wait {
            Some(ack_wait) => AckPolling::within(ack_wait, interval),
            None => AckPolling::times(property.ack_polling_max_count, interval),
        };
        let polled = PropertyRef::Device(device_key, property.name.clone());
        let acked = client.datapoints().await_ack(&polled, written, polling).await?;
        owner.apply_datapoint(&property.name, &acked, DatapointKind::Ack, DataSource::Cloud);
        let manager = owner.state().manager.upgrade().filter(|_| acked.ack() != Ack::Accepted);
        manager.iter().for_each(|manager| manager.request_read(&owner.dsn));
        Ok(acked)
    }
}

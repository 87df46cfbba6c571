use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::client::Client;
use crate::debug::debug_only;
use crate::error::{Error, ErrorKind, Result, required};
use crate::manager::ManagedProperty;
use crate::manager::ack::{AckPolling, Step};
use crate::manager::core::record::DeviceRecord;
use crate::manager::merge::DatapointKind;
use crate::messages;
use crate::model::{Ack, DataSource, Datapoint, DatapointId, DeviceKey, Property, PropertyValue};

impl ManagedProperty {
    /// Writes a value, and waits for the acknowledgement if the property uses them.
    /// `POST apiv1/properties/{key}/datapoints.json`, then
    /// `GET apiv1/devices/{key}/properties/{name}/datapoints/{id}.json`
    ///
    /// ```no_run
    /// # async fn run(property: devicecloud::manager::ManagedProperty) -> devicecloud::Result<()> {
    /// use devicecloud::manager::DEFAULT_ACK_WAIT_SECS;
    ///
    /// let datapoint = property.create_datapoint(30).ack_timeout(DEFAULT_ACK_WAIT_SECS).send().await?;
    /// println!("acknowledged at {:?}", datapoint.acked_at);
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_datapoint(&self, value: impl Into<PropertyValue>) -> WriteProperty {
        WriteProperty { property: self.clone(), value: value.into(), metadata: BTreeMap::new(), ack_timeout: None }
    }
}

/// Builder for writing a value; returned by [`ManagedProperty::create_datapoint`].
#[derive(Clone)]
#[must_use]
pub struct WriteProperty {
    property: ManagedProperty,
    value: PropertyValue,
    metadata: BTreeMap<String, String>,
    ack_timeout: Option<u32>,
}

debug_only!(WriteProperty { property, value, ack_timeout });

impl WriteProperty {
    /// Adds a metadata entry to the datapoint; clouds allow 10.
    pub fn metadata(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), text.into());
        self
    }

    /// How many times to poll for the acknowledgement, in place of the property's own setting. At the default interval
    /// of one second this is the timeout in seconds.
    pub fn ack_timeout(self, secs: u32) -> Self {
        Self { ack_timeout: Some(secs), ..self }
    }

    /// Writes the value. If the property uses acknowledgements, polls until the device has acknowledged, updates the
    /// property, and returns the acknowledged datapoint. If the device rejected the value (`ack_status` is neither 0
    /// nor 200), the property keeps its value and is read again. Without acknowledgements the property is updated at
    /// once. If the response to the write is empty or has an unknown shape, the acknowledgement cannot be polled: the
    /// returned datapoint has the value and a blank id.
    ///
    /// Dropping the future while it polls does not undo the write.
    ///
    /// # Errors
    /// `Precondition` 'No owner for this property', 'No device manager' or 'Session is not active'; `InvalidArgument`
    /// 'Device {dsn} does not have a key' if the acknowledgement could not be polled; `Timeout` 'Ack enable property
    /// polling time out', in which case the value is written and may still be acknowledged; otherwise as
    /// [`CreateDatapoint::send`](crate::api::CreateDatapoint::send).
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
        if written.id.is_blank() {
            return Ok(written);
        }
        let polling = AckPolling::new(property.ack_polling_max_count, self.ack_timeout);
        await_ack(&client, &owner, &device_key, &property, &written.id, polling).await
    }
}

async fn await_ack(
    client: &Client,
    owner: &Arc<DeviceRecord>,
    device_key: &DeviceKey,
    property: &Property,
    id: &DatapointId,
    mut polling: AckPolling,
) -> Result<Datapoint> {
    loop {
        tokio::time::sleep(Duration::from_millis(property.ack_polling_interval_ms)).await;
        polling = match polling.next() {
            Step::Poll(next) => next,
            Step::GiveUp => return Err(Error::new(ErrorKind::Timeout, messages::ACK_TIMED_OUT)),
        };
        // Not retried, because the next poll follows.
        match client.datapoints().without_retry().get(device_key, &property.name, id).await {
            Ok(datapoint) if datapoint.acked_at.is_some() => {
                owner.apply_datapoint(&property.name, &datapoint, DatapointKind::Ack, DataSource::Cloud);
                let manager = owner.state().manager.upgrade().filter(|_| datapoint.ack() != Ack::Accepted);
                manager.iter().for_each(|manager| manager.request_read(&owner.dsn));
                return Ok(datapoint);
            }
            Ok(_) => {}
            Err(error) if error.is_retryable() => {}
            Err(error) => return Err(error),
        }
    }
}

//! Calls on a device. Preconditions are checked in the specified order: manager, session, arguments.

use std::sync::Arc;

use tokio::time::Instant;

use crate::error::messages;
use crate::error::{Result, required};
use crate::manager::ManagedDevice;
use crate::manager::core::shared::Shared;
use crate::manager::device_manager::manager_unavailable;
use crate::manager::merge::DatapointKind;
use crate::manager::state_machine::Event;
use crate::model::{DataSource, Datapoint, Datum, Notification, Property, PropertyValue, RoleLabel};

impl ManagedDevice {
    /// Fetches properties now, all or those with these `names`, and sends events for changes.
    /// `GET apiv1/dsns/{dsn}/properties.json`
    ///
    /// ```no_run
    /// # async fn run(device: devicecloud::manager::ManagedDevice) -> devicecloud::Result<()> {
    /// for property in device.fetch_properties(&["intensity"]).await? {
    ///     if let Some(value) = property.value {
    ///         println!("{} = {value}", property.name);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'Session is not active'; `InvalidArgument` 'Device {dsn} does not have
    /// a key'; see [`Client`](crate::Client) for errors of all calls.
    pub async fn fetch_properties(&self, names: &[&str]) -> Result<Vec<Property>> {
        let manager = self.manager()?;
        manager.client.require_session(messages::SESSION_NOT_ACTIVE).await?;
        let keyless = self.0.state().device.key.is_blank();
        required(keyless, &messages::device_without_key(self.dsn().as_str()))?;
        let started_at = Instant::now();
        let fetched = manager.client.properties().list(self.dsn()).names(names.iter().copied()).send().await?;
        self.0.update_properties(fetched.clone(), started_at);
        Ok(fetched)
    }

    /// Writes a value to a property and returns once the cloud has stored it. A property without acknowledgements has
    /// the new value immediately; others after the next poll, or after the acknowledgement arrived by the stream. To
    /// wait for the acknowledgement use
    /// [`ManagedProperty::create_datapoint`](crate::manager::ManagedProperty::create_datapoint).
    /// `POST apiv1/dsns/{dsn}/properties/{name}/datapoints`
    ///
    /// ```no_run
    /// # async fn run(device: devicecloud::manager::ManagedDevice) -> devicecloud::Result<()> {
    /// device.update_property("intensity", 30).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'Session is not active'; otherwise as
    /// [`CreateDatapoint::send`](crate::api::CreateDatapoint::send).
    pub async fn update_property(&self, name: &str, value: impl Into<PropertyValue>) -> Result<Datapoint> {
        let manager = self.manager()?;
        let written = manager.client.datapoints().create(self.dsn(), name, value).send().await?;
        let property = self.property(name).and_then(|property| property.snapshot());
        if property.is_some_and(|property| !property.ack_enabled) {
            self.0.apply_datapoint(name, &written, DatapointKind::Value, DataSource::Cloud);
        }
        Ok(written)
    }

    /// Sets the display name of the device. `PUT apiv1/devices/{key}.json`
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'No session is active'; `InvalidArgument` 'Display name is requried';
    /// otherwise as [`Devices::rename`](crate::api::Devices::rename).
    pub async fn rename(&self, display_name: &str) -> Result<()> {
        let manager = self.require_session().await?;
        required(display_name.trim().is_empty(), messages::DISPLAY_NAME_REQUIRED)?;
        let key = self.0.state().device.key.clone();
        manager.client.devices().rename(key, display_name).await?;
        self.0.change_device(|device| {
            device.product_name = Some(display_name.to_owned());
            device.last_update_source = DataSource::Cloud;
        });
        Ok(())
    }

    /// Sets the location of the device, in degrees. The device is updated locally, with an event, before the request is
    /// sent. If the cloud rejects it, the next device list restores the old location.
    /// `POST apiv1/devices/{key}/locations.json`
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'No session is active'; `InvalidArgument` 'Display key not found';
    /// otherwise as [`SetLocation::send`](crate::api::SetLocation::send).
    pub async fn update_location(&self, lat: f64, lng: f64) -> Result<()> {
        let manager = self.require_session().await?;
        let key = self.0.state().device.key.clone();
        let call = manager.client.devices().set_location(key, lat, lng);
        call.check()?;
        self.0.change_device(|device| {
            device.lat = Some(lat);
            device.lng = Some(lng);
            device.last_update_source = DataSource::Cloud;
        });
        call.send().await.map(drop)
    }

    /// Resets the device to its factory state and fetches the list again, because nodes behind the device become
    /// unregistered. `PUT apiv1/devices/{key}/cmds/factory_reset.json`
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'No session is active'; otherwise as
    /// [`Devices::factory_reset`](crate::api::Devices::factory_reset).
    pub async fn factory_reset(&self) -> Result<()> {
        let manager = self.require_session().await?;
        let key = self.0.state().device.key.clone();
        manager.client.devices().factory_reset(key).await?;
        manager.change(|core| core.handle(Event::Refresh));
        Ok(())
    }

    /// Fetches the role labels. `GET apiv1/devices/{key}/role_labels.json`
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'No session is active'; otherwise as
    /// [`Devices::role_labels`](crate::api::Devices::role_labels).
    pub async fn fetch_role_labels(&self) -> Result<Vec<RoleLabel>> {
        let manager = self.require_session().await?;
        let key = self.0.state().device.key.clone();
        let labels = manager.client.devices().role_labels(key).await?;
        self.0.update_role_labels(labels.clone());
        Ok(labels)
    }

    /// Fetches the notifications. `GET apiv1/devices/{key}/notifications/all`
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'No session is active'; otherwise as
    /// [`Notifications::list`](crate::api::Notifications::list).
    pub async fn fetch_notifications(&self) -> Result<Vec<Notification>> {
        let manager = self.require_session().await?;
        let key = self.0.state().device.key.clone();
        let notifications = manager.client.notifications().list(key).await?;
        self.0.update_notifications(notifications.clone());
        Ok(notifications)
    }

    /// Fetches the key/value data. `GET apiv1/dsns/{dsn}/data.json`
    ///
    /// # Errors
    /// `Precondition` 'No device manager is available' or 'No session is active'; otherwise as
    /// [`DeviceData::list`](crate::api::DeviceData::list).
    pub async fn fetch_datums(&self) -> Result<Vec<Datum>> {
        let manager = self.require_session().await?;
        let data = manager.client.devices().data(self.dsn()).list().send().await?;
        self.0.update_data(data.clone());
        Ok(data)
    }

    fn manager(&self) -> Result<Arc<Shared>> {
        self.shared().ok_or_else(manager_unavailable)
    }

    pub(super) async fn require_session(&self) -> Result<Arc<Shared>> {
        let manager = self.manager()?;
        manager.client.require_session(messages::NO_SESSION_ACTIVE).await?;
        Ok(manager)
    }
}

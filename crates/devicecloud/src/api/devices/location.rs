use http::Method;
use serde_json::json;

use super::Devices;
use super::update::device_request;
use crate::config::endpoints::Service;
use crate::debug::debug_only;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::Request;
use crate::model::{Address, DeviceKey, Location, LocationProvider, TimeZone, read};

const TIME_ZONES: &str = "apiv1/devices/{}/time_zones.json";
const ADDR: &str = "apiv1/devices/{}/addr";

impl Devices {
    /// The postal address of a device. `GET apiv1/devices/{key}/addr`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Device key is required'; `Server` with status 404 if
    /// the device does not exist or is not visible to you; see [`Client`](crate::Client) for errors of all calls.
    pub async fn address(&self, key: impl Into<DeviceKey>) -> Result<Address> {
        self.device_call(device_request(Method::GET, ADDR, &key.into())).await?.read(read::one)
    }

    /// Replaces the postal address of a device: parts that are `None` are cleared. `PUT apiv1/devices/{key}/addr`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// let device = client.devices().get("AC000W000000001").send().await?;
    /// let mut address = client.devices().address(&device.key).await?;
    /// address.city = Some("Paris".into());
    /// client.devices().set_address(&device.key, &address).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`address`](Self::address); `Server` with status 403 if you may not change the device, 422 if a part is too
    /// long.
    pub async fn set_address(&self, key: impl Into<DeviceKey>, address: &Address) -> Result<()> {
        let Address { street, city, state, country, zip } = address;
        let addr = json!({"street": street, "city": city, "state": state, "country": country, "zip": zip});
        let request = device_request(Method::PUT, ADDR, &key.into());
        self.device_call(request.map(|request| request.body(json!({"addr": addr})))).await.map(drop)
    }

    /// The time zone of a device. `GET apiv1/devices/{key}/time_zones.json`
    ///
    /// # Errors
    /// As [`address`](Self::address).
    pub async fn time_zone(&self, key: impl Into<DeviceKey>) -> Result<TimeZone> {
        self.device_call(device_request(Method::GET, TIME_ZONES, &key.into())).await?.read(read::one)
    }

    /// Sets the time zone of a device by its name in the tz database, such as `Europe/Paris`. If the response is empty
    /// or has an unknown shape, the returned zone has only its name. `PUT apiv1/devices/{key}/time_zones.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// let device = client.devices().get("AC000W000000001").send().await?;
    /// let zone = client.devices().set_time_zone(&device.key, "Europe/Paris").await?;
    /// println!("{:?}", zone.utc_offset);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`address`](Self::address), and `InvalidArgument` 'Time zone is required'; `Server` with status 403 if you
    /// may not change the device, 422 if the cloud does not know the zone.
    pub async fn set_time_zone(&self, key: impl Into<DeviceKey>, tz_id: impl Into<String>) -> Result<TimeZone> {
        let tz_id = tz_id.into();
        let response = self.device_call(set_time_zone(&key.into(), &tz_id)).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| TimeZone::named(tz_id)))
    }

    /// Sets the location of a device, in degrees: latitude from -90 to 90 (north), longitude from -180 to 180 (east).
    /// `POST apiv1/devices/{key}/locations.json`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// let device = client.devices().get("AC000W000000001").send().await?;
    /// client.devices().set_location(&device.key, 48.864716, 2.349014).send().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_location(&self, key: impl Into<DeviceKey>, lat: f64, lng: f64) -> SetLocation {
        SetLocation { devices: self.clone(), key: key.into(), lat, lng, provider: LocationProvider::UserBased }
    }
}

fn set_time_zone(key: &DeviceKey, tz_id: &str) -> Result<Request> {
    let request = device_request(Method::PUT, TIME_ZONES, key)?;
    required(tz_id.trim().is_empty(), messages::TIME_ZONE_REQUIRED)?;
    Ok(request.body(json!({"tz_id": tz_id})))
}

/// Builder for setting the location of a device; returned by [`Devices::set_location`].
#[derive(Clone)]
#[must_use]
pub struct SetLocation {
    devices: Devices,
    key: DeviceKey,
    lat: f64,
    lng: f64,
    provider: LocationProvider,
}

debug_only!(SetLocation { key, provider });

impl SetLocation {
    /// How the location was determined; `user-based` by default.
    pub fn provider(self, provider: LocationProvider) -> Self {
        Self { provider, ..self }
    }

    /// Sets the location with six decimal places (about 10 cm). If the response is empty or has an unknown shape,
    /// returns the location as it was sent. Never retried, because a cloud may keep every location that it receives.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Display key not found' for a blank key, 'Invalid
    /// location' for degrees out of range; `Server` with status 404 if the device does not exist or is not visible to
    /// you, 403 if you may not change it; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Location> {
        let response = self.devices.device_call(self.request()).await?;
        Ok(response
            .read_if_possible(read::one)
            .unwrap_or_else(|| Location::as_sent(self.lat, self.lng, &self.provider)))
    }

    /// Checks the arguments without sending anything.
    pub(crate) fn check(&self) -> Result<()> {
        self.request().map(drop)
    }

    fn request(&self) -> Result<Request> {
        required(self.key.is_blank(), messages::DISPLAY_KEY_NOT_FOUND)?;
        let fits = (-90.0..=90.0).contains(&self.lat) && (-180.0..=180.0).contains(&self.lng);
        required(!fits, messages::INVALID_LOCATION)?;
        let degrees = |value: f64| format!("{value:.6}");
        let location = json!({"lat": degrees(self.lat), "long": degrees(self.lng), "provider": self.provider.as_str()});
        let route = "apiv1/devices/{}/locations.json";
        let request = Request::new(Method::POST, Service::Device, route, &[self.key.as_str()])?;
        Ok(request.body(json!({"location": location})))
    }
}

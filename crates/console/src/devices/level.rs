//! The fragrance level of a device, and the forecast that follows from it.

use devicecloud::{Client, Device, Dsn};
use diffuser::properties;
use platform::db::{Db, Result};

use super::writes::{DeviceValue, value};
use crate::base::Base;
use crate::fragrances;
use crate::http::error::ApiResult;
use crate::index::forecasts::{DeviceFacts, PresentForecast};
use crate::limits::write_lock::{LockedRecord, locked};
use crate::policy::Actor;
use crate::records::{
    Catalogue, DerivedValues, DeviceRecord, ReadDevice, cloud_device, computed_level, level_to_store,
};
use crate::state::CoreState;

pub(super) const REMAINING: DeviceValue =
    value("fragranceRemaining", "Fragrance remaining", properties::FRAGRANCE_REMAINING);

/// The metadata of a value that notifies nobody (docs/wire.md).
const QUIET: (&str, &str) = ("quiet", "true");

/// The current level and forecast, without storing them. If fragrance, flow rate, configuration or hours are unknown, the
/// level is the one that the device stores, if any.
pub(super) async fn derived_values(db: &Db, device: &ReadDevice) -> Result<DerivedValues> {
    let record = DeviceRecord::of(device);
    let catalogue = catalogue(db, &record).await?;
    let level = computed_level(device, &record, &catalogue).or(record.state.fragrance_remaining);
    let present = PresentForecast::read(db, DeviceFacts::of(device, &record, &catalogue, device.began)).await?;
    let sku = record.fragrance.as_ref().and_then(|name| catalogue.get(name)).map(|it| it.sku.clone());
    Ok(DerivedValues { level, outlook: present.outlook(), sku })
}

/// What the forecast of a device follows from. Does not check permissions; the caller must.
pub(super) async fn present_forecast(db: &Db, device: &ReadDevice) -> Result<PresentForecast> {
    let record = DeviceRecord::of(device);
    let catalogue = catalogue(db, &record).await?;
    PresentForecast::read(db, DeviceFacts::of(device, &record, &catalogue, device.began)).await
}

/// Stores the level of an edited device. If this fails or the device is stale, the next pass schedules it again.
pub(crate) async fn store_after_edit(state: &CoreState, actor: &Actor, device: &ReadDevice) {
    if device.is_stale {
        return;
    }
    let cloud = state.sessions.cloud(&actor.session);
    if let Err(error) = store_computed_level(&state.base, &cloud, device).await {
        tracing::warn!(device.dsn = %device.dsn, %error, "the level of a device was not stored");
    }
}

/// Stores the computed level of a device while no request writes the device: between the writes of a reset the hours are those of a
/// new cartridge, and the level is not.
///
/// # Errors
/// 409 if the write before takes too long; database or cloud errors.
pub(crate) async fn store_between_writes(base: &Base, cloud: &Client, dsn: &Dsn) -> ApiResult<()> {
    let store = async {
        let device = cloud_device::read(cloud, dsn.as_str()).await?;
        store_computed_level(base, cloud, &device).await
    };
    locked(base, LockedRecord::Device(dsn.as_str()), store).await
}

/// Stores the computed level, if the device stores another one. Without a message to anybody if it follows from an import.
async fn store_computed_level(base: &Base, cloud: &Client, device: &Device) -> ApiResult<()> {
    let (db, record) = (&base.db, DeviceRecord::of(device));
    let Some(level) = level_to_store(device, &record, &catalogue(db, &record).await?) else { return Ok(()) };
    let dsn = device.dsn.as_str();
    let datapoint = cloud.datapoints().create(&device.dsn, REMAINING.property, level);
    match fragrances::recomputed_at(db, dsn, base.clock.now()).await? {
        Some(changed_at) => {
            datapoint.metadata(QUIET.0, QUIET.1).send().await?;
            fragrances::remove_stored(db, dsn, changed_at).await?;
        }
        None => {
            datapoint.send().await?;
        }
    }
    Ok(())
}

/// The part of the catalogue that this device needs.
pub(crate) async fn catalogue(db: &Db, record: &DeviceRecord) -> Result<Catalogue> {
    let Some(name) = &record.fragrance else { return Ok(Catalogue::new()) };
    Ok(fragrances::find(db, name).await?.map(|it| (it.name.clone(), it)).into_iter().collect())
}

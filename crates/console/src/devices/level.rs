//! How much of a cartridge is left: computed from what has run since it was changed, for whoever looks. Nothing is
//! written here.

use devicecloud::{Device, PropertyValue};
use diffuser::{SystemConfiguration, properties, remaining_percent};
use platform::db::{Db, Result};

use super::record::{DeviceRecord, property};
use crate::fragrances;

/// In percent. What the device stores, when fragrance, flow, configuration or hours are unknown; `None` when that is
/// missing too.
pub(super) async fn remaining(db: &Db, device: &Device) -> Result<Option<i64>> {
    let record = DeviceRecord::of(device);
    Ok(computed(db, device, &record).await?.map_or(record.state.fragrance_remaining, |percent| Some(percent.into())))
}

async fn computed(db: &Db, device: &Device, record: &DeviceRecord) -> Result<Option<u8>> {
    let life = property(device, properties::CARTRIDGE_LIFE).and_then(|life| life.value.as_ref());
    let hours = life.and_then(PropertyValue::as_f64);
    let (Some(hours), Some(configuration), Some(name)) = (hours, &record.system_configuration, &record.fragrance)
    else {
        return Ok(None);
    };
    let fragrance = fragrances::find(db, name).await?;
    let configuration = SystemConfiguration::from(configuration.as_str());
    Ok(fragrance.and_then(|fragrance| remaining_percent(&configuration, &fragrance, hours)))
}

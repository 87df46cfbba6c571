//! The fragrance level that follows from a device's values.

use std::collections::HashMap;

use devicecloud::Device;
use diffuser::{Fragrance, SystemConfiguration, properties, remaining_percent};

use super::{DeviceRecord, property};

/// Fragrances by name.
pub(crate) type Catalogue = HashMap<String, Fragrance>;

/// The level in percent; `None` if fragrance, flow rate, system configuration or hours are unknown.
pub(crate) fn computed_level(device: &Device, record: &DeviceRecord, catalogue: &Catalogue) -> Option<i64> {
    let life = property(device, properties::CARTRIDGE_LIFE)?.value.as_ref()?;
    level_after(record.system_configuration.as_deref()?, record.fragrance.as_deref()?, life.as_f64()?, catalogue)
}

/// The level in percent of a cartridge that has run for `life` hours; `None` as for [`computed_level`].
pub(crate) fn level_after(configuration: &str, fragrance: &str, life: f64, catalogue: &Catalogue) -> Option<i64> {
    remaining_percent(&SystemConfiguration::from(configuration), catalogue.get(fragrance)?, life).map(i64::from)
}

/// The level to store, if the device stores another one.
pub(crate) fn level_to_store(device: &Device, record: &DeviceRecord, catalogue: &Catalogue) -> Option<i64> {
    computed_level(device, record, catalogue).filter(|level| record.state.fragrance_remaining != Some(*level))
}

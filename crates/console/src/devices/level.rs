//! How much of a cartridge is left, and starting anew with a full one.

use devicecloud::{Device, PropertyValue};
use diffuser::{SystemConfiguration, properties, remaining_percent};
use platform::db::{Db, Result};

use super::record::{DeviceRecord, property};
use super::service;
use super::writes::{Value, write};
use crate::error::ApiResult;
use crate::fragrances;
use crate::policy::{self, Action, Actor, Target};
use crate::state::AppState;

const LIFE: Value = Value { field: "cartridgeLife", label: "Cartridge life", property: properties::CARTRIDGE_LIFE };
const REMAINING: Value =
    Value { field: "fragranceRemaining", label: "Fragrance remaining", property: properties::FRAGRANCE_REMAINING };

/// Says that the cartridge is a full one that has not run.
///
/// # Errors
/// 404 or 403; when the cloud refuses one of the two values, its refusal.
pub(super) async fn reset(state: &AppState, actor: &Actor, dsn: &str) -> ApiResult<Device> {
    let device = service::read(state, actor, dsn).await?;
    let csp = DeviceRecord::of(&device).csp;
    policy::can(actor, Action::Edit, Target::Device { csp: csp.as_deref() }).require()?;
    write(state, actor, dsn, &[(LIFE, 0), (REMAINING, 100)]).await
}

/// What is left in percent, computed for whoever looks; nothing is written. It is what the device stores when fragrance, flow, configuration or hours are unknown; `None` when that is
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

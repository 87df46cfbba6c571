//! Resets the fragrance level for a new cartridge, and undoes the reset: within a short time, and later as long as
//! the device has reported nothing new.
//!
//! Both send cartridge life and level as commands. The values for the undo are in the database, so it works from any
//! browser and node, and after a restart.

mod store;

use devicecloud::{Device, PropertyValue};
use diffuser::properties;
use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use self::store::{PreviousValues, ResetCommands, StoredReset};
use super::writes::{self, DeviceValue, value, write};
use super::{level, service};
use crate::audit::{self, Change, Operation};
use crate::base::Base;
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::records::{DeviceRecord, ReadDevice, UndoableReset, property};
use crate::state::CoreState;

const LIFE: DeviceValue = value("cartridgeLife", "Cartridge life", properties::CARTRIDGE_LIFE);
const REMAINING: DeviceValue = level::REMAINING;
/// What a reset writes, in the order in which the device must apply it.
const AFTER_RESET: [(DeviceValue, i32); 2] = [(LIFE, 0), (REMAINING, 100)];

/// How long a reset can be undone although the device has reported new values since.
const UNDO_PERIOD: SignedDuration = SignedDuration::from_secs(30);
/// How long a reset is stored for its undo, as long as the cloud keeps the values of devices.
const RETENTION: SignedDuration = SignedDuration::from_hours(400 * 24);

/// The values before a reset.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LevelReset {
    /// Operating hours of the cartridge before the reset.
    #[schema(required)]
    cartridge_life: Option<f64>,
    /// Level in percent before the reset.
    #[schema(required)]
    fragrance_remaining: Option<i64>,
    /// Null if one of the values was unknown and cannot be restored.
    #[schema(required)]
    undo: Option<LevelResetUndo>,
}

/// The undo of a reset.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LevelResetUndo {
    /// Id of the reset.
    id: Uuid,
    /// Until then it can be undone whatever the device reports.
    #[schema(value_type = String, format = DateTime)]
    until: Timestamp,
}

/// Resets the level: the device has a new, full cartridge. Returns the device after it, and the values before.
///
/// # Errors
/// 404 or 403; the cloud's error if it rejects one of the values.
pub(super) async fn reset(state: &CoreState, actor: &Actor, dsn: &str) -> ApiResult<(ReadDevice, LevelReset)> {
    let device = service::read(state, actor, dsn).await?;
    editable(actor, &device)?;
    let base = &state.base;
    let life = property(&device, LIFE.property).and_then(|life| life.value.as_ref()?.as_f64());
    let remaining = level::derived_values(&base.db, &device).await?.level;

    let id = base.random.uuid_at(base.clock.now());
    let undoable = match life.zip(remaining) {
        Some((cartridge_life, fragrance_remaining)) => {
            let (before, now) = (PreviousValues { cartridge_life, fragrance_remaining }, base.clock.now());
            let previous = store::find(&base.db, dsn).await?;
            let is_repeated = previous.is_some_and(|previous| undo_refusal(&previous, &device, now).is_none());
            Some(store::begin(&base.db, dsn, id, before, now, now + UNDO_PERIOD, is_repeated).await?)
        }
        None => None,
    };
    let values = AFTER_RESET.map(|(value, written)| (value, written.into()));
    let device = write_all(state, actor, &device, Operation::ResetFragranceLevel, &values).await?;
    let undo = match undoable {
        // Without the commands of the reset, later changes could not be told from it.
        Some(_) if !device.is_stale => {
            let until = base.clock.now() + UNDO_PERIOD;
            store::complete(&base.db, dsn, id, &ResetCommands::to(&device), until).await?;
            Some(LevelResetUndo { id, until })
        }
        Some(_) | None => None,
    };
    let reset = LevelReset {
        cartridge_life: undoable.map_or(life, |before| Some(before.cartridge_life)),
        fragrance_remaining: undoable.map_or(remaining, |before| Some(before.fragrance_remaining)),
        undo,
    };
    Ok((device, reset))
}

/// Restores cartridge life and level from before a reset.
///
/// # Errors
/// 404 or 403; 409 if the reset was already undone, the values have changed since, or the undo period is over and the
/// device has reported new ones; the cloud's error if it rejects one of the values, in which case the undo can be retried.
pub(super) async fn undo(state: &CoreState, actor: &Actor, dsn: &str, id: Uuid) -> ApiResult<ReadDevice> {
    let device = service::read(state, actor, dsn).await?;
    editable(actor, &device)?;
    let base = &state.base;
    let reset = store::find(&base.db, dsn).await?.ok_or(ApiError::NotFound)?;
    if reset.id != id {
        return Err(ApiError::Conflict("The fragrance level was reset again since.".to_owned()));
    }
    if let Some(undo_refusal) = undo_refusal(&reset, &device, base.clock.now()) {
        return Err(ApiError::Conflict(undo_refusal.to_owned()));
    }
    let values = reset.before.values();
    let device = write_all(state, actor, &device, Operation::UndoFragranceLevelReset, &values).await?;
    store::set_undone(&base.db, dsn, id, base.clock.now()).await?;
    Ok(device)
}

/// The newest reset of the device, if it can still be undone. Does not check permissions; the caller must.
///
/// # Errors
/// Database errors.
pub(super) async fn undoable(base: &Base, device: &Device) -> Result<Option<UndoableReset>> {
    let newest = store::find(&base.db, device.dsn.as_str()).await?;
    let undoable = newest.filter(|newest| undo_refusal(newest, device, base.clock.now()).is_none());
    Ok(undoable.map(|StoredReset { id, before, .. }| UndoableReset {
        id,
        cartridge_life: before.cartridge_life,
        fragrance_remaining: before.fragrance_remaining,
    }))
}

/// Deletes old resets.
pub(crate) async fn delete_old_resets(db: &Db, now: Timestamp) -> Result<()> {
    store::clear(db, now - RETENTION).await?;
    Ok(())
}

/// # Errors
/// 404 or 403.
fn editable(actor: &Actor, device: &Device) -> ApiResult<()> {
    let csp = DeviceRecord::of(device).csp;
    policy::can(actor, Action::Edit, Target::Device { csp: csp.as_deref() }).require()
}

async fn write_all(
    state: &CoreState,
    actor: &Actor,
    device: &Device,
    operation: Operation,
    values: &[(DeviceValue, PropertyValue)],
) -> ApiResult<ReadDevice> {
    let target = audit::AuditTarget::device(device.dsn.as_str(), DeviceRecord::of(device).csp.as_deref());
    write(state, actor, &Change { operation, target, fields: writes::changes(device, values) }, device, values).await
}

/// Why the newest reset of the device cannot be undone.
fn undo_refusal(newest: &StoredReset, device: &Device, now: Timestamp) -> Option<&'static str> {
    if newest.is_undone {
        return Some("This reset has been undone already.");
    }
    // A value that this undo restores was already written by an interrupted attempt.
    let is_ours = |value: &DeviceValue, written: &Option<String>, restored: &PropertyValue| {
        let command = property(device, value.property).and_then(|property| property.command.as_ref());
        command.is_none_or(|command| {
            Some(command.id.as_str()) == written.as_deref() || command.value.as_ref() == Some(restored)
        })
    };
    let restored = newest.before.values();
    let [life, remaining] = &restored;
    let is_unchanged = is_ours(&life.0, &newest.written.cartridge_life, &life.1)
        && is_ours(&remaining.0, &newest.written.fragrance_remaining, &remaining.1);
    if !is_unchanged {
        return Some("The fragrance level was changed since. Undo would overwrite that.");
    }
    let has_reported_nothing = || {
        AFTER_RESET.into_iter().zip(&restored).all(|((value, written), (_, restored))| {
            let present = property(device, value.property).and_then(|property| property.value.as_ref()?.as_f64());
            present.is_none_or(|present| [Some(f64::from(written)), restored.as_f64()].contains(&Some(present)))
        })
    };
    (now >= newest.undo_until && !has_reported_nothing())
        .then_some("The device has reported new values since the reset. Undo would overwrite them.")
}

impl PreviousValues {
    /// In the order in which the device must apply them.
    fn values(self) -> [(DeviceValue, PropertyValue); 2] {
        [(LIFE, self.cartridge_life.into()), (REMAINING, self.fragrance_remaining.into())]
    }
}

impl ResetCommands {
    /// The newest commands of a device after a reset.
    fn to(device: &Device) -> Self {
        let id = |name: &str| Some(property(device, name)?.command.as_ref()?.id.as_str().to_owned());
        Self { cartridge_life: id(LIFE.property), fragrance_remaining: id(REMAINING.property) }
    }
}

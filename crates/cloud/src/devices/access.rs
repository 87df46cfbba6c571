//! Checks whether a caller may act on a device. Services check again within the transaction of a change: the caller may have
//! lost the device since the request was read.

use jiff::Timestamp;
use platform::db::{self, Db, Tx};

use crate::domain::policy::{self, Action};
use crate::domain::principal::Principal;
use crate::store::device_edits;
use crate::store::devices::{self, DeviceRef, DeviceRow};

/// Why a caller may not act on a device.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AccessError {
    /// The device is not in the caller's scope.
    #[error("there is no such device")]
    NotFound,
    /// The caller sees the device but may not perform the action.
    #[error("the caller is not allowed to do this with the device")]
    Forbidden,
    /// The device is in factory stock.
    #[error("the device is not registered")]
    Unregistered,
    /// A database error.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// The device, if the caller may perform the action on it.
///
/// # Errors
/// [`AccessError`].
pub(crate) async fn find(
    db: &Db,
    caller: &Principal,
    device: DeviceRef<'_>,
    action: Action,
    now: Timestamp,
) -> Result<DeviceRow, AccessError> {
    allowed(devices::find(db, &policy::device_scope(caller, now), device).await?, caller, action)
}

/// Like [`find`], within a transaction.
///
/// # Errors
/// [`AccessError`].
pub(crate) async fn check(
    tx: &mut Tx,
    caller: &Principal,
    device_id: i64,
    action: Action,
    now: Timestamp,
) -> Result<DeviceRow, AccessError> {
    allowed(devices::find_within(tx, &policy::device_scope(caller, now), device_id).await?, caller, action)
}

/// Like [`check`], and locks the device until the end of the transaction. While it is locked, nobody can return it to stock.
///
/// # Errors
/// [`AccessError`].
pub(crate) async fn lock(
    tx: &mut Tx,
    caller: &Principal,
    device_id: i64,
    action: Action,
    now: Timestamp,
) -> Result<DeviceRow, AccessError> {
    match device_edits::lock_rows(tx, caller.oem_id, device_id).await? {
        Some(true) => check(tx, caller, device_id, action, now).await,
        Some(false) | None => Err(AccessError::Unregistered),
    }
}

fn allowed(device: Option<DeviceRow>, caller: &Principal, action: Action) -> Result<DeviceRow, AccessError> {
    let device = device.ok_or(AccessError::NotFound)?;
    if device.allows(caller.kind, action) { Ok(device) } else { Err(AccessError::Forbidden) }
}

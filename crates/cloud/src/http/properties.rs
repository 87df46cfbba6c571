//! Device service: properties (docs/wire.md#properties).

use axum::Json;
use axum::extract::State;

use super::error::{Error, Result};
use super::extract::Caller;
use super::path::{Path, key};
use super::query::{Query, is_named};
use crate::app::App;
use crate::domain::policy::Action;
use crate::store;
use crate::store::devices::{DeviceRef, DeviceRow};
use crate::store::properties::PropertyRow;
use crate::wire::property::PropertyWrapper;

/// How a path names a property.
pub(super) enum PropertyRef<'a> {
    Named(DeviceRef<'a>, &'a str),
    Key(i64),
}

impl<'a> PropertyRef<'a> {
    /// By the device's key and the property's name.
    pub(super) fn of_device(device: &str, name: &'a str) -> Result<Self> {
        Ok(Self::Named(DeviceRef::Key(key(device, Error::DEVICE_NOT_FOUND)?), name))
    }

    /// By the property's key.
    pub(super) fn of_key(property: &str) -> Result<Self> {
        Ok(Self::Key(key(property, Error::PROPERTY_NOT_FOUND)?))
    }

    /// The property and its device.
    ///
    /// # Errors
    /// 404 when the device is not in the caller's scope, 403 when the caller may not do this, 404 when the device has no
    /// such property.
    pub(super) async fn find(self, app: &App, caller: &Caller, action: Action) -> Result<(DeviceRow, PropertyRow)> {
        let device = match self {
            Self::Named(device, _) => device,
            Self::Key(key) => DeviceRef::OfProperty(key),
        };
        let device = caller.device(app, device, action).await?;
        let property = match self {
            Self::Named(_, name) => store::properties::by_name(&app.db, device.id, name).await?,
            Self::Key(key) => store::properties::by_key(&app.db, device.id, key).await?,
        };
        Ok((device, property.ok_or(Error::PROPERTY_NOT_FOUND)?))
    }
}

/// GET apiv1/dsns/{dsn}/properties.
pub(super) async fn list_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path(dsn): Path<String>,
    query: Query,
) -> Result<Json<Vec<PropertyWrapper>>> {
    list(&app, &caller, DeviceRef::Dsn(&dsn), &query).await
}

/// GET apiv1/devices/{key}/properties.
pub(super) async fn list_by_device(
    State(app): State<App>,
    caller: Caller,
    Path(device): Path<String>,
    query: Query,
) -> Result<Json<Vec<PropertyWrapper>>> {
    list(&app, &caller, DeviceRef::Key(key(&device, Error::DEVICE_NOT_FOUND)?), &query).await
}

/// GET apiv1/dsns/{dsn}/properties/{name}.
pub(super) async fn get_by_dsn(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, name)): Path<(String, String)>,
) -> Result<Json<PropertyWrapper>> {
    get(&app, &caller, PropertyRef::Named(DeviceRef::Dsn(&dsn), &name)).await
}

/// GET apiv1/devices/{key}/properties/{name}.
pub(super) async fn get_by_device(
    State(app): State<App>,
    caller: Caller,
    Path((device, name)): Path<(String, String)>,
) -> Result<Json<PropertyWrapper>> {
    get(&app, &caller, PropertyRef::of_device(&device, &name)?).await
}

/// GET apiv1/properties/{key}.
pub(super) async fn get_by_key(
    State(app): State<App>,
    caller: Caller,
    Path(property): Path<String>,
) -> Result<Json<PropertyWrapper>> {
    get(&app, &caller, PropertyRef::of_key(&property)?).await
}

async fn list(app: &App, caller: &Caller, device: DeviceRef<'_>, query: &Query) -> Result<Json<Vec<PropertyWrapper>>> {
    let device = caller.device(app, device, Action::ReadDevice).await?;
    let names = query.all("names");
    let properties = store::properties::of_devices(&app.db, &[device.id]).await?;
    let properties = properties.into_iter().filter(|row| names.is_empty() || is_named(&names, &row.name));
    Ok(Json(properties.map(|row| PropertyWrapper::new(row, &device.product_name)).collect()))
}

async fn get(app: &App, caller: &Caller, property: PropertyRef<'_>) -> Result<Json<PropertyWrapper>> {
    let (device, row) = property.find(app, caller, Action::ReadDevice).await?;
    Ok(Json(PropertyWrapper::new(row, &device.product_name)))
}

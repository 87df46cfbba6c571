//! Device service: key/value data of a device (docs/wire.md#device-data).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use super::body::Body;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::path::{OfDevice, Path};
use super::query::{Query, is_named};
use crate::app::App;
use crate::devices::data::DatumError;
use crate::domain::policy::Action;
use crate::domain::principal::Principal;
use crate::store;
use crate::store::data::Owner;
use crate::store::devices::DeviceRef;
use crate::wire::datum::DatumWrapper;

/// Maximum length of a key, in characters.
pub(super) const KEY: usize = 255;
/// Maximum length of a value, in characters: lists contain the data of a hundred devices.
pub(super) const VALUE: usize = 16 * 1024;
/// Storing a value counts as another request for each so many bytes of it.
const COUNTED_SIZE: usize = 4 * 1024;

/// GET apiv1/dsns/{dsn}/data: all data, or those with the keys in `keys`.
pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    query: Query,
) -> Result<Json<Vec<DatumWrapper>>> {
    let device = caller.device(&app, device.reference(), Action::ReadDevice).await?;
    let keys = query.all("keys");
    let data = store::data::all(&app.db, Owner::Device(device.id)).await?;
    let data = data.into_iter().filter(|row| keys.is_empty() || is_named(&keys, &row.key));
    Ok(Json(data.map(|row| DatumWrapper::of_device(row, &device.dsn)).collect()))
}

/// POST apiv1/dsns/{dsn}/data.
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    Body(body): Body,
) -> Result<(StatusCode, Json<DatumWrapper>)> {
    let device = caller.device(&app, device.reference(), Action::EditDevice).await?;
    let mut form = Form::under(&body, "datum")?;
    let (key, value) = (form.required("key", KEY), form.any_text("value", VALUE));
    form.check()?;
    count_size(&app, &caller.0, value)?;
    let row = app.data().create(Owner::Device(device.id), key, value).await?;
    Ok((StatusCode::CREATED, Json(DatumWrapper::of_device(row, &device.dsn))))
}

/// GET apiv1/dsns/{dsn}/data/{key}.
pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, key)): Path<(String, String)>,
) -> Result<Json<DatumWrapper>> {
    let device = caller.device(&app, DeviceRef::Dsn(&dsn), Action::ReadDevice).await?;
    let row = store::data::find(&app.db, Owner::Device(device.id), &key).await?.ok_or(Error::DATUM_NOT_FOUND)?;
    Ok(Json(DatumWrapper::of_device(row, &device.dsn)))
}

/// PUT apiv1/dsns/{dsn}/data/{key}.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, key)): Path<(String, String)>,
    Body(body): Body,
) -> Result<Json<DatumWrapper>> {
    let device = caller.device(&app, DeviceRef::Dsn(&dsn), Action::EditDevice).await?;
    let mut form = Form::under(&body, "datum")?;
    let value = form.any_text("value", VALUE);
    form.check()?;
    count_size(&app, &caller.0, value)?;
    let row = app.data().update(Owner::Device(device.id), &key, value).await?;
    Ok(Json(DatumWrapper::of_device(row, &device.dsn)))
}

/// DELETE apiv1/dsns/{dsn}/data/{key}.
pub(super) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path((dsn, key)): Path<(String, String)>,
) -> Result<StatusCode> {
    let device = caller.device(&app, DeviceRef::Dsn(&dsn), Action::EditDevice).await?;
    app.data().delete(Owner::Device(device.id), &key).await?;
    Ok(StatusCode::OK)
}

/// Counts a large value as several requests of the user, because its size determines the work of storing it.
pub(super) fn count_size(app: &App, user: &Principal, value: &str) -> Result<()> {
    Ok(app.limits.count_user(user, value.len() / COUNTED_SIZE)?)
}

impl From<DatumError> for Error {
    fn from(error: DatumError) -> Self {
        match error {
            DatumError::NotFound => Self::DATUM_NOT_FOUND,
            DatumError::KeyTaken => Self::invalid("key", "has already been taken"),
            DatumError::TooMany { max } => Self::invalid("base", format!("has too many data (max: {max})")),
            DatumError::TooLarge { max } => Self::invalid("base", format!("has too much data (max: {max} bytes)")),
            DatumError::Database(error) => error.into(),
        }
    }
}

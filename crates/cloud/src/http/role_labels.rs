//! Device service: role labels (docs/wire.md#roles, A-95). A-46 defines who may write them and how a label registers a device.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use super::body::Body;
use super::devices;
use super::error::{Error, Result};
use super::extract::Caller;
use super::form::Form;
use super::include::Include;
use super::path::{OfDevice, Path, key};
use super::query::Query;
use crate::app::App;
use crate::devices::labels::{LabelAuthor, LabelError};
use crate::domain::policy::{self, Action, ClaimError};
use crate::store;
use crate::store::device_columns;
use crate::store::devices::{DeviceList, DeviceRef, DeviceRow, Listing};
use crate::store::labels::{LabelRow, NewLabel};
use crate::store::roles::RoleRow;
use crate::wire::device::RoleLabelWrapper;

/// Maximum lengths, in characters.
const NAME: usize = 255;
const DESCRIPTION: usize = 1024;
const SETUP_CODE: usize = 255;

/// GET apiv1/devices/{key}/role_labels.
pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
) -> Result<Json<Vec<RoleLabelWrapper>>> {
    let device = caller.device(&app, device.reference(), Action::ReadDevice).await?;
    let labels = store::labels::of_devices(&app.db, &[device.id]).await?;
    Ok(Json(labels.into_iter().map(RoleLabelWrapper::from).collect()))
}

/// POST apiv1/devices/{key}/role_labels.
pub(super) async fn enable(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    Body(body): Body,
) -> Result<(StatusCode, Json<RoleLabelWrapper>)> {
    let device = caller.device(&app, device.reference(), Action::LabelDevice).await?;
    let input = LabelInput::wrapped(&app, &caller, &body).await?;
    let put = app.labels().put(&caller.0, device.id, &input.label(), LabelAuthor::Manufacturer).await?;
    let status = if put.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(read(&app, put.id).await?.into())))
}

/// PUT apiv1/devices/{key}/role_labels/associate: by a user who may label the device, or by a partner who claims it.
pub(super) async fn associate(
    State(app): State<App>,
    caller: Caller,
    Path(device): Path<String>,
    Body(body): Body,
) -> Result<Json<RoleLabelWrapper>> {
    let device = key(&device, Error::DEVICE_NOT_FOUND)?;
    let may_label = caller.device(&app, DeviceRef::Key(device), Action::LabelDevice).await.map(drop);
    if !policy::may_claim(caller.0.kind) {
        may_label?;
        return put(&app, &caller, device, &LabelInput::flat(&app, &caller, &body).await?, LabelAuthor::Manufacturer)
            .await;
    }
    let input = LabelInput::flat(&app, &caller, &body).await?;
    if policy::is_own_label(&caller.0, &input.label().wanted()) {
        let by = LabelAuthor::Partner { setup_code: input.setup_code.as_deref() };
        return put(&app, &caller, device, &input, by).await;
    }
    may_label?;
    Err(Error::FORBIDDEN)
}

async fn put(
    app: &App,
    caller: &Caller,
    device: i64,
    input: &LabelInput,
    by: LabelAuthor<'_>,
) -> Result<Json<RoleLabelWrapper>> {
    let put = app.labels().put(&caller.0, device, &input.label(), by).await?;
    Ok(Json(read(app, put.id).await?.into()))
}

/// PUT apiv1/devices/{key}/role_labels/disassociate.
pub(super) async fn disassociate(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    Body(body): Body,
) -> Result<Json<RoleLabelWrapper>> {
    let device = caller.device(&app, device.reference(), Action::LabelDevice).await?;
    let input = LabelInput::flat(&app, &caller, &body).await?;
    let is_meant = |label: &LabelRow| {
        label.role_id == input.role.id && label.label_key == input.key && label.label_value == input.value
    };
    let labels = store::labels::of_devices(&app.db, &[device.id]).await?;
    let label = labels.into_iter().find(is_meant).ok_or(Error::ROLE_LABEL_NOT_FOUND)?;
    app.labels().remove(&caller.0, device.id, label.id).await?;
    Ok(Json(label.into()))
}

/// GET apiv1/role_labels/{id}.
pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<RoleLabelWrapper>> {
    let (device, label) = find(&app, &caller, &id, Action::ReadDevice).await?;
    let mut labels = store::labels::of_devices(&app.db, &[device.id]).await?;
    labels.retain(|other| other.role_id == label.role_id);
    Ok(Json(RoleLabelWrapper::with_tags(label, &labels)))
}

/// PUT apiv1/role_labels/{id}.
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<Json<RoleLabelWrapper>> {
    let (device, label) = find(&app, &caller, &id, Action::LabelDevice).await?;
    let input = LabelInput::wrapped(&app, &caller, &body).await?;
    app.labels().change(&caller.0, device.id, label.id, &input.label()).await?;
    Ok(Json(read(&app, label.id).await?.into()))
}

/// DELETE apiv1/role_labels/{id}.
pub(super) async fn disable(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<StatusCode> {
    let (device, label) = find(&app, &caller, &id, Action::LabelDevice).await?;
    app.labels().remove(&caller.0, device.id, label.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// GET apiv1/devices/find_by_role_label: the devices in the caller's scope that carry the label.
pub(super) async fn find_devices(State(app): State<App>, caller: Caller, query: Query) -> Result<Response> {
    if !policy::may_search_labels(caller.0.kind) {
        return Err(Error::FORBIDDEN);
    }
    let role = query.get("role").ok_or_else(|| Error::invalid("role", "can't be blank"))?;
    let Some(role) = store::roles::find(&app.db, caller.0.oem_id, role).await? else {
        return Ok(Json([(); 0]).into_response());
    };
    let carried = store::labels::carried(role.id, query.get("key"), query.get("value"));
    let listing =
        Listing { filters: vec![carried], key_after: None, order_by: device_columns::key(), descending: false };
    let list = DeviceList { scope: caller.scope(&app), listing };
    devices::all(&app, &caller, list, Include::default()).await
}

/// The label and its device.
///
/// # Errors
/// 404 if the device is not in the caller's scope, 403 if the caller may not perform the action.
async fn find(app: &App, caller: &Caller, id: &str, action: Action) -> Result<(DeviceRow, LabelRow)> {
    let id = key(id, Error::ROLE_LABEL_NOT_FOUND)?;
    let device = caller.device(app, DeviceRef::OfLabel(id), action).await;
    let device = device.map_err(|error| match error {
        Error::Text(StatusCode::NOT_FOUND, _) => Error::ROLE_LABEL_NOT_FOUND,
        other => other,
    })?;
    Ok((device, read(app, id).await?))
}

async fn read(app: &App, id: i64) -> Result<LabelRow> {
    store::labels::find(&app.db, id).await?.ok_or(Error::ROLE_LABEL_NOT_FOUND)
}

/// A validated label of a request.
struct LabelInput {
    role: RoleRow,
    key: String,
    value: String,
    description: Option<String>,
    /// The code printed on the device.
    setup_code: Option<String>,
}

impl LabelInput {
    /// Reads the label under `role_label`.
    async fn wrapped(app: &App, caller: &Caller, body: &Map<String, Value>) -> Result<Self> {
        match body.get("role_label") {
            None | Some(Value::Null) => Self::flat(app, caller, &Map::new()).await,
            Some(Value::Object(members)) => Self::flat(app, caller, members).await,
            Some(_) => Err(Error::invalid("role_label", "is not an object")),
        }
    }

    /// Reads a label whose key and value are beside the other members or under `label`. They are given together or not at all.
    async fn flat(app: &App, caller: &Caller, body: &Map<String, Value>) -> Result<Self> {
        let mut members = body.clone();
        match body.get("label") {
            None | Some(Value::Null) => {}
            Some(Value::Object(label)) => members.extend(label.clone()),
            Some(_) => return Err(Error::invalid("label", "is not an object")),
        }
        let mut form = Form::of(&members);
        let role_name = form.required("role_name", NAME);
        let description = form.text("description", DESCRIPTION).map(str::to_owned);
        let setup_code = form.text("setup_code", SETUP_CODE).map(str::to_owned);
        let is_there = |name| form.value(name).is_some_and(|value| *value != "");
        let (key, value) = if is_there("key") || is_there("value") {
            (form.required("key", NAME), form.required_line("value", NAME))
        } else {
            ("", String::new())
        };
        form.check()?;
        let role = store::roles::find(&app.db, caller.0.oem_id, role_name).await?;
        let role = role.ok_or_else(|| Error::invalid("role_name", "not found"))?;
        Ok(Self { role, key: key.to_owned(), value, description, setup_code })
    }

    fn label(&self) -> NewLabel<'_> {
        let Self { role, key, value, description, .. } = self;
        NewLabel { role, key, value, description: description.as_deref() }
    }
}

impl From<LabelError> for Error {
    fn from(error: LabelError) -> Self {
        match error {
            LabelError::NoDevice => Self::DEVICE_NOT_FOUND,
            LabelError::NoLabel => Self::ROLE_LABEL_NOT_FOUND,
            LabelError::OtherValue => Self::Text(StatusCode::CONFLICT, "The device carries another label of this role"),
            LabelError::Unclaimable(ClaimError::Taken) => {
                Self::Text(StatusCode::CONFLICT, "The device is already registered")
            }
            LabelError::Unclaimable(ClaimError::InUse) => Self::FORBIDDEN,
            LabelError::NoSetupCode => Self::invalid("setup_code", "can't be blank"),
            LabelError::WrongSetupCode => Self::invalid("setup_code", "is invalid"),
            LabelError::TooManyClaims { retry_after } => Self::TooManyRequests {
                text: "Too many devices were registered or tried; try again later",
                retry_after,
            },
            LabelError::Database(error) => error.into(),
        }
    }
}

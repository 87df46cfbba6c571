//! Device service: what hangs on a device, each by its own call (wire-facts 3 and 4.2).

use axum::Json;
use axum::extract::State;

use super::error::Result;
use super::extract::Caller;
use super::path::Path;
use super::query::Query;
use crate::app::App;
use crate::domain::policy::Action;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::wire::device::DatumWrapper;

/// GET apiv1/dsns/{dsn}/data, all or those of some `keys`.
pub(super) async fn data(
    State(app): State<App>,
    caller: Caller,
    Path(dsn): Path<String>,
    query: Query,
) -> Result<Json<Vec<DatumWrapper>>> {
    let device = caller.device(&app, DeviceRef::Dsn(&dsn), Action::ReadDevice).await?;
    let keys = query.all("keys");
    let data = store::data::of_devices(&app.db, &[device.id]).await?;
    let data = data.into_iter().filter(|row| keys.is_empty() || keys.contains(&&*row.key));
    Ok(Json(data.map(|row| DatumWrapper::new(row, &device.dsn)).collect()))
}

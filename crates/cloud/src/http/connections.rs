//! Device service: the connection history of a device. An extension, modelled on datapoints.

use axum::Json;
use axum::extract::State;

use super::error::Result;
use super::extract::Caller;
use super::path::OfDevice;
use super::query::Query;
use crate::app::App;
use crate::domain::policy::Action;
use crate::store;
use crate::wire::connection::ConnectionWrapper;

/// Maximum and default number of changes in a response.
const MAX_LIMIT: i64 = 1_000;

/// GET apiv1/devices/{key}/connection_history, apiv1/dsns/{dsn}/connection_history: the newest changes within the span,
/// oldest first, after the state at the start of the span if the limit allows.
pub(super) async fn history(
    State(app): State<App>,
    caller: Caller,
    device: OfDevice,
    query: Query,
) -> Result<Json<Vec<ConnectionWrapper>>> {
    let device = caller.device(&app, device.reference(), Action::ReadDevice).await?;
    let (span, limit) = (query.span()?, query.limit("limit", MAX_LIMIT)?);
    let changes = store::connection_history::newest(&app.db, device.id, span, limit).await?;
    Ok(Json(changes.into_iter().map(ConnectionWrapper::from).collect()))
}

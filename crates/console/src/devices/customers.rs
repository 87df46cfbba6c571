//! `/api/devices/customers`: names of customers for suggestions.

use axum::Json;
use axum::extract::State;

use super::counts::require_index;
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::policy::{Actor, Scope};
use crate::state::CoreState;

/// Maximum number of names in a response.
const MAX_NAMES: usize = 20;

/// Returns the customers of the caller's devices by name, at most 20. Of names that differ only in case or accents, one is returned.
#[utoipa::path(
    get, path = "/api/devices/customers", tag = "devices",
    security(("token" = ["devices_read"])),
    params((
        "text" = Option<String>, Query, max_length = 64,
        description = "Only customers whose name matches, regardless of case and accents: one or two characters match its beginning, three or \
                       more any part of it. Names that begin with the text come first"
    )),
    responses((status = 200, description = "The names", body = [String]), ApiError)
)]
pub(super) async fn list_customers(
    State(state): State<CoreState>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<Vec<String>>> {
    let mut reader = QueryReader::new(&query);
    let text = reader.text("text");
    let text = reader.end(text)?;
    if actor.scope() == Scope::Nothing {
        return Ok(Json(Vec::new()));
    }
    require_index(&state).await?;
    let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    Ok(Json(state.device_lists.customers(&actor, text, MAX_NAMES).await?))
}

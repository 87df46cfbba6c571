//! `/api/time-zones`: the zones that a device can be in.

use std::sync::LazyLock;

use axum::Json;
use jiff::tz::TimeZoneDatabase;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::error::ApiError;
use crate::policy::Actor;
use crate::state::AppState;

/// The same on every machine, whatever zones it has itself.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut names: Vec<String> = TimeZoneDatabase::bundled().available().map(|name| name.to_string()).collect();
    names.sort();
    names
});

pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list_time_zones))
}

/// The names of the tz database (IANA), in alphabetical order.
#[utoipa::path(
    get, path = "/api/time-zones", tag = "time-zones",
    responses((status = 200, description = "The names, such as America/Chicago", body = [String]), ApiError)
)]
async fn list_time_zones(_: Actor) -> Json<&'static [String]> {
    Json(&NAMES)
}

//! `/api/time-zones`: the time zones that can be chosen for a device.

use std::sync::LazyLock;

use axum::Json;
use axum::extract::FromRef;
use jiff::tz::TimeZoneDatabase;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::core_state::CoreState;
use crate::error::ApiError;
use crate::policy::Actor;

/// The tz database's placeholder for machines whose time zone is not set; no place has this time zone.
const NOT_SET: &str = "Factory";

/// Sorted. Read from the bundled database, so that the list is the same on every machine.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let all = TimeZoneDatabase::bundled();
    let mut names: Vec<String> = all.available().map(|name| name.to_string()).filter(|name| name != NOT_SET).collect();
    names.sort();
    names
});

/// Whether `/api/time-zones` lists this name, in this spelling.
pub(crate) fn is_listed(name: &str) -> bool {
    NAMES.binary_search_by(|listed| listed.as_str().cmp(name)).is_ok()
}

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(list_time_zones))
}

/// Returns the names of the tz database (IANA), in alphabetical order.
#[utoipa::path(
    get, path = "/api/time-zones", tag = "time-zones",
    responses((status = 200, description = "The names, such as America/Chicago", body = [String]), ApiError)
)]
async fn list_time_zones(_: Actor) -> Json<&'static [String]> {
    Json(&NAMES)
}

//! `/api/time-zones`: the time zones that can be chosen for a device.

use axum::Json;
use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::error::ApiError;
use crate::policy::Actor;
use crate::records::zone_names::NAMES;
use crate::state::CoreState;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(list_time_zones))
}

/// Returns the names of the tz database (IANA), in alphabetical order; of several names of a zone the present one.
#[utoipa::path(
    get, path = "/api/time-zones", tag = "time-zones",
    security(("token" = ["devices_read"])),
    responses((status = 200, description = "The names, such as America/Chicago", body = [String]), ApiError)
)]
async fn list_time_zones(_: Actor) -> Json<&'static [String]> {
    Json(&NAMES)
}

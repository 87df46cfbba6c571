//! `/api/places`: the time zone, country and state of a position. The boundaries are compiled in, so that no position leaves
//! the console.

use std::net::SocketAddr;
use std::sync::LazyLock;

use axum::Json;
use axum::extract::{ConnectInfo, FromRef, State};
use country_boundaries::{BOUNDARIES_ODBL_60X30, CountryBoundaries, LatLon};
use serde::Serialize;
use tzf_rs::EmbeddedFinder;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::policy::Actor;
use crate::records::zone_names;
use crate::state::CoreState;

/// Reads the zones in place: the other finder of the crate expands them to 27 MB.
static ZONES: LazyLock<EmbeddedFinder> = LazyLock::new(EmbeddedFinder::new);
/// The coarsest raster: 1 MB of memory instead of 8, and as precise as the others.
static BOUNDARIES: LazyLock<CountryBoundaries> =
    LazyLock::new(|| CountryBoundaries::from_reader(BOUNDARIES_ODBL_60X30).expect("the crate's own data are valid"));

/// Codes that ISO 3166-1 reserves for parts of a country, such as IC for the Canary Islands. Lists of countries lack them.
const PARTS_OF_COUNTRIES: [&str; 6] = ["AC", "CP", "DG", "EA", "IC", "TA"];

/// The time zone, country and state of a position.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Place {
    /// A name from `/api/time-zones`; null if the position has none, as at sea.
    time_zone: Option<String>,
    /// ISO 3166-1 alpha-2; null at sea.
    country_code: Option<String>,
    /// The ISO 3166-2 code without the country, such as WI of US-WI; null where states are unknown, as in most countries.
    state_code: Option<String>,
}

impl Place {
    /// Looks up a position: `latitude` from -90 to 90, `longitude` from -180 to 180.
    fn at(latitude: f64, longitude: f64) -> Self {
        let time_zone = Some(ZONES.get_tz_name(longitude, latitude)).filter(|name| zone_names::is_listed(name));
        let time_zone = time_zone.and_then(zone_names::present_name);
        let areas = LatLon::new(latitude, longitude).map(|position| BOUNDARIES.ids(position)).unwrap_or_default();
        // Smaller areas come first: US-WI before US, and PR before US.
        let area = areas.into_iter().find(|code| !PARTS_OF_COUNTRIES.contains(code));
        let (country, state) = match area {
            Some(code) => {
                code.split_once('-').map_or((Some(code), None), |(country, state)| (Some(country), Some(state)))
            }
            None => (None, None),
        };
        Self {
            time_zone: time_zone.map(str::to_owned),
            country_code: country.map(str::to_owned),
            state_code: state.map(str::to_owned),
        }
    }
}

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(get_place))
}

/// Returns the time zone, country and state of a position. Within about 100 m of a border they can be those of the other side.
#[utoipa::path(
    get, path = "/api/places", tag = "places",
    security(("token" = ["devices_read"])),
    params(
        ("latitude" = f64, Query, minimum = -90, maximum = 90, description = "Degrees"),
        ("longitude" = f64, Query, minimum = -180, maximum = 180, description = "Degrees"),
    ),
    responses((status = 200, description = "The known values for the position", body = Place), ApiError)
)]
async fn get_place(
    State(state): State<CoreState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    actor: Actor,
    query: QueryPairs,
) -> ApiResult<Json<Place>> {
    let (latitude, longitude) = read_position(&query)?;
    state.limiters.places.check(peer.ip(), &actor.user.to_string())?;
    Ok(Json(Place::at(latitude, longitude)))
}

fn read_position(query: &QueryPairs) -> ApiResult<(f64, f64)> {
    let degrees = |most: f64| move |text: &str| text.parse().ok().filter(|degrees| (-most..=most).contains(degrees));
    let mut reader = QueryReader::new(query);
    let latitude = reader.required("latitude", "must be between -90 and 90", degrees(90.0));
    let longitude = reader.required("longitude", "must be between -180 and 180", degrees(180.0));
    reader.end((latitude, longitude))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(latitude: f64, longitude: f64) -> (Option<String>, Option<String>, Option<String>) {
        let place = Place::at(latitude, longitude);
        (place.time_zone, place.country_code, place.state_code)
    }

    fn known(zone: &str, country: &str, state: Option<&str>) -> (Option<String>, Option<String>, Option<String>) {
        (Some(zone.to_owned()), Some(country.to_owned()), state.map(str::to_owned))
    }

    #[test]
    fn smallest_area_decides_country_and_state() {
        for (place, latitude, longitude, expected) in [
            ("Paris", 48.8566, 2.3522, known("Europe/Paris", "FR", None)),
            ("Milwaukee", 43.0389, -87.9065, known("America/Chicago", "US", Some("WI"))),
            ("Tokyo", 35.6812, 139.7671, known("Asia/Tokyo", "JP", None)),
            ("Toronto", 43.6532, -79.3832, known("America/Toronto", "CA", Some("ON"))),
            ("Sydney", -33.8688, 151.2093, known("Australia/Sydney", "AU", Some("NSW"))),
            ("Kyiv", 50.4501, 30.5234, known("Europe/Kyiv", "UA", None)),
            ("San Juan, of Puerto Rico", 18.4655, -66.1057, known("America/Puerto_Rico", "PR", None)),
            ("Hong Kong", 22.3193, 114.1694, known("Asia/Hong_Kong", "HK", None)),
            ("Las Palmas, on the Canary Islands", 28.1235, -15.4363, known("Atlantic/Canary", "ES", None)),
            (
                "Indianapolis, in a zone of its state",
                39.7684,
                -86.1581,
                known("America/Indiana/Indianapolis", "US", Some("IN")),
            ),
        ] {
            assert_eq!(at(latitude, longitude), expected, "{place}");
        }
    }

    #[test]
    fn position_at_sea_has_neither_time_zone_nor_country() {
        for (latitude, longitude) in [(0.0, -140.0), (90.0, 180.0), (0.0, -180.0)] {
            assert_eq!(at(latitude, longitude), (None, None, None));
        }
    }

    #[test]
    fn every_zone_of_the_boundaries_on_land_is_a_listed_time_zone() {
        let names = ZONES.timezonenames().into_iter().filter(|name| !name.starts_with("Etc/"));
        let unknown: Vec<_> = names.filter(|name| !zone_names::is_listed(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

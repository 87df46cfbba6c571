//! `GET /api/devices/facets`: the values of a filter, with the number of devices that each leaves.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr};
use utoipa::ToSchema;

use super::counts::require_index;
use super::list_query::{self, ExcludeDsnParam, FilterParams};
use crate::http::error::{ApiError, ApiResult};
use crate::http::etag::{KnownTag, KnownTags};
use crate::http::query_reader::{PageSize, QueryReader};
use crate::http::request::QueryPairs;
use crate::index::{FILTERS, ValueCount};
use crate::policy::{Actor, Scope};
use crate::state::CoreState;

const PAGE_SIZE: u64 = 25;

/// A filter whose values can be counted, by its name in the query string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, ToSchema)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum DeviceFacetField {
    Customer,
    ServiceArea,
    /// Only for people who see all CSPs.
    Csp,
    Model,
    Fragrance,
    Network,
    City,
    StateProvince,
    Country,
    ConnectionStatus,
    Mode,
}

/// One page of the values.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeviceFacets {
    values: Vec<DeviceFacet>,
    /// Number of values on all pages.
    total: u64,
    /// The number of this page: the last page if a later one was requested.
    current_page_number: u64,
}

/// A value of a filter.
#[derive(Debug, Serialize, ToSchema)]
struct DeviceFacet {
    /// The value as devices have it. Of values that differ only in case or accents, one.
    value: String,
    /// The text of the filter that finds exactly the devices with this value.
    filter: String,
    /// How many devices the list has with this filter besides the others.
    devices: u64,
}

/// Returns the values by which the caller's devices can be filtered, each with the number of devices that it leaves under the other
/// filters. The most frequent come first; values that devices have, but none under the other filters, come last.
#[utoipa::path(
    get, path = "/api/devices/facets", tag = "devices",
    security(("token" = ["devices_read"])),
    params(
        ("field" = DeviceFacetField, Query, description = "The filter whose values are counted. Its own text is ignored"),
        ("text" = Option<String>, Query, max_length = 64, description = "Only values that contain this text, regardless of case and accents"),
        ("page" = Option<u64>, Query, minimum = 1, description = "Page number, 1 by default; past the last page: the last one"),
        ("pageSize" = Option<PageSize>, Query, description = "Values on a page; 25 by default"),
        FilterParams, ExcludeDsnParam, KnownTag,
    ),
    responses(
        (
            status = 200, description = "The values", body = DeviceFacets,
            headers(("etag" = String, description = "Identifies the values"))
        ),
        (status = 304, description = "The client has the values already"),
        ApiError
    )
)]
pub(super) async fn list_facets(
    State(state): State<CoreState>,
    actor: Actor,
    known: KnownTags,
    pairs: QueryPairs,
) -> ApiResult<Response> {
    let mut reader = QueryReader::new(&pairs);
    let is_allowed = |field: &DeviceFacetField| *field != DeviceFacetField::Csp || actor.scope() == Scope::Everything;
    let field = |name: &str| name.parse().ok().filter(is_allowed).map(<&str>::from);
    let field = |name: &str| field(name).and_then(|name| FILTERS.iter().find(|filter| filter.name == name));
    let field = reader.value("field", "must be the name of a filter whose values can be counted", field);
    let text = reader.text("text");
    let (number, size) = (reader.page(), reader.page_size(PAGE_SIZE));
    let filter = list_query::filter(&mut reader, state.base.clock.now());
    let (field, text, number, size, filter) = reader.end((field, text, number, size, filter))?;
    let Some(field) = field else { return Err(ApiError::invalid("field", "is required")) };
    if actor.scope() != Scope::Nothing {
        require_index(&state).await?;
    }
    let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let values = state.device_lists.values(&actor, &filter, field, text).await?;
    let facets = page(values, number, size);
    Ok(known.respond(&facets, &facets))
}

fn page(values: Vec<ValueCount>, number: u64, size: u64) -> DeviceFacets {
    let total = values.len() as u64;
    let number = Ord::min(number, Ord::max(total.div_ceil(size), 1));
    let skip = usize::try_from((number - 1) * size).unwrap_or(usize::MAX);
    let values = values.into_iter().skip(skip).take(usize::try_from(size).unwrap_or(usize::MAX));
    let facet = |ValueCount { value, filter, devices }| DeviceFacet { value, filter, devices };
    DeviceFacets { values: values.map(facet).collect(), total, current_page_number: number }
}

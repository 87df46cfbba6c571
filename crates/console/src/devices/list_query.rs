//! Parses the query string of the device list.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{KnownFormat, ObjectBuilder, Required, SchemaFormat, Type};

use crate::http::error::ApiResult;
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::index::{
    Comparison, DeviceFilter, DeviceSort, FILTERS, FilterColumn, ListQuery, Near, OfflineFor, RunsDryWithin,
    whole_minute,
};
use crate::records::Position;

/// Default page size.
const PAGE_SIZE: u64 = 5;

/// Maximum number of words in a search.
const MAX_WORDS: usize = 5;
/// Default radius in kilometres.
const RADIUS: u16 = 25;
const MAX_RADIUS: u16 = 500;
/// Maximum of `offlinehours`: one year.
const MAX_OFFLINE_HOURS: u16 = 8760;
/// Maximum of `runsdrydays`: one year.
const MAX_RUNS_DRY_DAYS: u16 = 365;
/// Maximum length of a place.
const MAX_PLACE: usize = 64;

/// Documents the filters of the list, its report, counts and selections; [`read_filter`] parses them.
pub(super) struct FilterParams;

impl IntoParams for FilterParams {
    fn into_params(parameter_in: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let of_column = |filter: &FilterColumn| {
            let schema = ObjectBuilder::new().schema_type(Type::String).title(Some(filter.label));
            let choices = filter.choices();
            let schema = if filter.is_date() {
                schema.format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)))
            } else if choices.is_empty() {
                schema.max_length(Some(filter.max_chars()))
            } else {
                schema.enum_values(Some(choices.iter().map(|choice| choice.name)))
            };
            ParameterBuilder::new()
                .name(filter.name)
                .parameter_in(ParameterIn::Query)
                .required(Required::False)
                .description(Some(filter.description))
                .schema(Some(schema))
                .build()
        };
        FILTERS.iter().map(of_column).chain(StateAndPlaceParams::into_params(parameter_in)).collect()
    }
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "documents the parameters and is never built as a value")]
struct StateAndPlaceParams {
    /// Only devices with a known level of at most this percentage
    #[param(maximum = 100)]
    maxremaining: Option<u8>,
    /// Only devices that connected at some time and have been offline for more than this many hours, as far as known
    #[param(minimum = 1, maximum = 8760)]
    offlinehours: Option<u16>,
    /// Only devices in need: empty ones, those that are expected to run dry within this many days, those that were so while they
    /// have been offline, and those at 20 percent or less without a forecast
    #[param(minimum = 1, maximum = 365)]
    runsdrydays: Option<u16>,
    /// As runsdrydays, with those that are expected to run dry before this day of UTC
    #[param(value_type = Option<String>, format = Date)]
    runsdrybefore: Option<Date>,
    /// Only devices near this place, given as latitude and longitude in decimal degrees (`59.91,10.75`); devices
    /// without a known position never match
    #[param(max_length = 64)]
    near: Option<String>,
    /// Maximum distance from the place in kilometres; 25 by default
    #[param(minimum = 1, maximum = 500)]
    radius: Option<u16>,
}

/// Documents the excluded device for OpenAPI.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "documents the parameter and is never built as a value")]
pub(super) struct ExcludeDsnParam {
    /// Excludes the device with exactly this DSN, for example from the targets of a copy
    #[param(max_length = 64, rename = "excludeDsn")]
    exclude_dsn: Option<String>,
}

/// Parses the query of the list at `now`.
///
/// # Errors
/// 422 with a message for each repeated or invalid parameter.
pub(crate) fn parse(pairs: &QueryPairs, now: Timestamp) -> ApiResult<ListQuery> {
    let mut reader = QueryReader::new(pairs);
    let mut query = read(&mut reader, now);
    query.filter.exclude_dsn = exclude_dsn(&mut reader);
    reader.end(query)
}

/// Parses only the filters, for counts and selections.
///
/// # Errors
/// As [`parse`].
pub(super) fn parse_filter(pairs: &QueryPairs, now: Timestamp) -> ApiResult<DeviceFilter> {
    let mut reader = QueryReader::new(pairs);
    let filter = filter(&mut reader, now);
    reader.end(filter)
}

/// Parses only the filters, besides other parameters.
pub(super) fn filter(reader: &mut QueryReader<'_>, now: Timestamp) -> DeviceFilter {
    DeviceFilter { exclude_dsn: exclude_dsn(reader), ..read_filter(reader, now) }
}

/// Parses the filters of a job from a query string. Unknown parameters are refused: a misspelt filter would choose all devices.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_job_filter(query: &str, now: Timestamp) -> ApiResult<DeviceFilter> {
    let pairs = QueryPairs::read(query);
    let mut reader = QueryReader::new(&pairs);
    let filter = filter(&mut reader, now);
    let known = FilterParams::into_params(|| Some(ParameterIn::Query));
    let known = known.into_iter().chain(ExcludeDsnParam::into_params(|| Some(ParameterIn::Query)));
    let known: Vec<String> = known.map(|parameter| parameter.name).collect();
    for name in pairs.names().filter(|name| known.iter().all(|known| known != name)) {
        reader.refuse(name, "is no filter");
    }
    reader.end(filter)
}

/// Parses the parameters that the list and its report share.
pub(super) fn read(reader: &mut QueryReader<'_>, now: Timestamp) -> ListQuery {
    let sort =
        reader.value("orderBy", "is no column to sort by", |name| name.parse().ok()).unwrap_or(DeviceSort::CreatedAt);
    let query = ListQuery {
        page: reader.page(),
        page_size: reader.page_size(PAGE_SIZE),
        order: reader.order(sort.default_order()),
        sort,
        filter: read_filter(reader, now),
    };
    if query.sort == DeviceSort::Distance {
        reader.only_with("orderBy", "near");
    }
    query
}

/// Only for selecting devices; reports do not exclude one.
fn exclude_dsn(reader: &mut QueryReader<'_>) -> Option<String> {
    reader.text("excludeDsn")
}

pub(super) fn read_filter(reader: &mut QueryReader<'_>, now: Timestamp) -> DeviceFilter {
    DeviceFilter {
        texts: FILTERS.iter().filter_map(|filter| Some((filter.name, read_text(reader, filter)?))).collect(),
        max_remaining: reader.value("maxremaining", "must be a whole number from 0 to 100", |text| {
            text.parse().ok().filter(|percent| *percent <= 100)
        }),
        offline_for: offline_for(reader, now),
        runs_dry_within: runs_dry_within(reader, now),
        runs_dry_before: date(reader, "runsdrybefore"),
        near: near(reader),
        exclude_dsn: None,
    }
}

fn read_text(reader: &mut QueryReader<'_>, filter: &FilterColumn) -> Option<String> {
    if filter.is_date() {
        return date(reader, filter.name).map(|date| date.to_string());
    }
    let choices = filter.choices();
    if !choices.is_empty() {
        let choice = reader.text(filter.name)?;
        if choices.iter().all(|known| known.name != choice) {
            let names: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
            reader.refuse(filter.name, &format!("must be one of {}", names.join(", ")));
        }
        return Some(choice);
    }
    let text = reader.text_up_to(filter.max_chars(), filter.name)?;
    if filter.comparison == Comparison::Words {
        if text.split_whitespace().count() > MAX_WORDS {
            reader.refuse(filter.name, "must have at most 5 words");
        }
        return Some(text).filter(|text| !text.trim().is_empty());
    }
    Some(text)
}

fn date(reader: &mut QueryReader<'_>, name: &'static str) -> Option<Date> {
    let date = |text: &str| text.parse::<Date>().ok().filter(|date| date.to_string() == text);
    reader.value(name, "must be a date like 2026-11-20", date)
}

fn runs_dry_within(reader: &mut QueryReader<'_>, now: Timestamp) -> Option<RunsDryWithin> {
    let days = reader.value("runsdrydays", "must be a whole number from 1 to 365", |text| {
        text.parse().ok().filter(|days| (1..=MAX_RUNS_DRY_DAYS).contains(days))
    })?;
    Some(RunsDryWithin::new(days, now))
}

fn offline_for(reader: &mut QueryReader<'_>, now: Timestamp) -> Option<OfflineFor> {
    let hours: u16 = reader.value("offlinehours", "must be a whole number from 1 to 8760", |text| {
        text.parse().ok().filter(|hours| (1..=MAX_OFFLINE_HOURS).contains(hours))
    })?;
    Some(OfflineFor { hours, before: whole_minute(now - SignedDuration::from_hours(hours.into())) })
}

fn near(reader: &mut QueryReader<'_>) -> Option<Near> {
    let refusal = "must be a latitude and a longitude in decimal degrees, like 59.91,10.75";
    let place = reader.value("near", refusal, |text| Some((text.to_owned(), centre(text)?)));
    let radius = reader.value("radius", "must be a whole number from 1 to 500", |text| {
        text.parse().ok().filter(|kilometres| (1..=MAX_RADIUS).contains(kilometres))
    });
    if radius.is_some() {
        reader.only_with("radius", "near");
    }
    let (place, centre) = place?;
    Some(Near { place, centre, kilometres: radius.unwrap_or(RADIUS) })
}

fn centre(text: &str) -> Option<Position> {
    let is_decimal = |character: char| character.is_ascii_digit() || matches!(character, '.' | '-');
    let degrees = |text: &str| text.parse().ok().filter(|_| text.chars().all(is_decimal));
    let (latitude, longitude) = text.split_once(',').filter(|_| text.len() <= MAX_PLACE)?;
    Position::of(degrees(latitude)?, degrees(longitude)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::http::error::ApiError;
    use crate::http::query_reader::checks::{assert_invalid, assert_text, invalid_parameters};
    use crate::http::sort_order::SortOrder;

    const NOW: &str = "2026-11-20T12:34:56Z";

    fn parsed(query: &str) -> ApiResult<ListQuery> {
        parse(&QueryPairs::read(query), NOW.parse().unwrap())
    }

    #[test]
    fn omitted_parameters_get_their_defaults() {
        let expected = ListQuery {
            page: 1,
            page_size: 5,
            order: SortOrder::Desc,
            sort: DeviceSort::CreatedAt,
            filter: DeviceFilter::default(),
        };
        for query in ["", "page=&pageSize=&order=&orderBy=&connectionstatus=&dsn=&csp=", "somethingelse=1"] {
            assert_eq!(parsed(query).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn every_parameter_is_parsed() {
        let query = parsed(
            "page=3&pageSize=50&order=asc&orderBy=stateprovince&connectionstatus=Online&dsn=SC%25&csp=North&network=LAN\
             &servicearea=Lobby&model=AQ290&serialnumber=4711&customer=Hotel+Aurora&customerid=C-1005&storenumber=224&city=K%C3%B8benhavn&country=DK\
             &stateprovince=S&installedfrom=2026-11-01&installedthrough=2026-11-30&excludeDsn=SC-1&q=%20hotel++12&maxremaining=20&offlinehours=24&runsdrydays=14&runsdrybefore=2026-12-24&near=59.91,-10.75&radius=10",
        );
        let expected = ListQuery {
            page: 3,
            page_size: 50,
            order: SortOrder::Asc,
            sort: DeviceSort::StateProvince,
            filter: DeviceFilter {
                texts: BTreeMap::from([
                    ("connectionstatus", "Online".to_owned()),
                    ("csp", "North".to_owned()),
                    ("dsn", "SC%".to_owned()),
                    ("network", "LAN".to_owned()),
                    ("servicearea", "Lobby".to_owned()),
                    ("model", "AQ290".to_owned()),
                    ("serialnumber", "4711".to_owned()),
                    ("customer", "Hotel Aurora".to_owned()),
                    ("customerid", "C-1005".to_owned()),
                    ("storenumber", "224".to_owned()),
                    ("city", "København".to_owned()),
                    ("country", "DK".to_owned()),
                    ("stateprovince", "S".to_owned()),
                    ("installedfrom", "2026-11-01".to_owned()),
                    ("installedthrough", "2026-11-30".to_owned()),
                    ("q", " hotel  12".to_owned()),
                ]),
                max_remaining: Some(20),
                offline_for: Some(OfflineFor { hours: 24, before: "2026-11-19T12:34:00Z".parse().unwrap() }),
                runs_dry_within: Some(RunsDryWithin { days: 14, before: "2026-12-04T12:34:00Z".parse().unwrap() }),
                runs_dry_before: Some("2026-12-24".parse().unwrap()),
                near: Some(Near {
                    place: "59.91,-10.75".to_owned(),
                    centre: Position::of(59.91, -10.75).unwrap(),
                    kilometres: 10,
                }),
                exclude_dsn: Some("SC-1".to_owned()),
            },
        };
        assert_eq!(query.unwrap(), expected);
    }

    #[test]
    fn every_invalid_value_is_reported() {
        let all = invalid_parameters(parsed("page=0&pageSize=6&order=up&orderBy=password&connectionstatus=online"));
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["connectionstatus", "order", "orderBy", "page", "pageSize"]);
        for query in ["page=-1", "page=1.5", "page=x", "page=99999999999999999999999", "page=1&page=1"] {
            assert_invalid(parsed, query, "page");
        }
    }

    #[test]
    fn filter_of_a_job_has_only_known_parameters() {
        let parsed = |query: &str| parse_job_filter(query, NOW.parse().unwrap());
        assert_eq!(parsed("").unwrap(), DeviceFilter::default());
        let filter = parsed("csp=North&connectionstatus=Online&near=59.91,10.75&radius=3&excludeDsn=SC-1").unwrap();
        assert_eq!((filter.texts["csp"].as_str(), filter.exclude_dsn.as_deref()), ("North", Some("SC-1")));
        for (query, name) in [("scp=North", "scp"), ("page=2", "page"), ("=x", ""), ("csp=a&csp=b", "csp")] {
            let Err(ApiError::Invalid(errors)) = parsed(query) else { panic!("{query}") };
            assert_eq!(errors.keys().collect::<Vec<_>>(), [name], "{query}");
        }
    }

    #[test]
    fn text_that_is_not_a_date_is_rejected() {
        for name in ["installedfrom", "installedthrough", "runsdrybefore"] {
            for text in ["2026-02-30", "20261120", "2026-11-20T00:00:00Z", "20.11.2026", "yesterday"] {
                let expected = [(name.to_owned(), vec!["must be a date like 2026-11-20".to_owned()])];
                assert_eq!(invalid_parameters(parsed(&format!("{name}={text}"))), expected, "{text}");
            }
        }
    }

    #[test]
    fn overlong_or_repeated_text_is_rejected() {
        let own = ["dsn", "serialnumber", "customerid", "storenumber", "excludeDsn"].map(|name| (name, 64));
        // A value between double quotes.
        let shared = ["network", "servicearea", "fragrance", "model", "customer", "city", "country", "stateprovince"];
        for (name, max) in own.into_iter().chain(shared.map(|name| (name, 257))).chain([("csp", 255)]) {
            assert_text(parsed, name, max);
        }
    }
}

//! The query strings of the fleet over time.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};
use utoipa::IntoParams;

use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::index::fleet_days::{DaySelection, Dimension, StoreSelection, beginning, day_of};
use crate::index::forecasts::HistoriesOf;
use crate::policy::{Actor, Scope};
use crate::reports::FilterUsed;

/// The periods in days.
const PERIODS: [u16; 4] = [7, 28, 90, 365];
const DEFAULT_PERIOD: u16 = 28;
const MAX_NAME: usize = 255;
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Documents the period; [`read`] parses it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "documents the parameters and is never built as a value")]
pub(super) struct PeriodParams {
    /// The number of days up to today: 7, 28, 90 or 365; 28 by default
    #[param(minimum = 7, maximum = 365)]
    days: Option<u16>,
    /// A month of UTC like 2026-11 instead
    #[param(min_length = 7, max_length = 7)]
    month: Option<String>,
}

/// Documents the filter; [`read`] parses it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "documents the parameters and is never built as a value")]
pub(super) struct FleetParams {
    /// Only devices of this CSP. Ignored for CSP roles
    #[param(max_length = 255)]
    csp: Option<String>,
    /// Only devices of this customer, whose name is written exactly so
    #[param(max_length = 255)]
    customer: Option<String>,
    /// Only devices with this fragrance, whose name is written exactly so. Not together with `customer`
    #[param(max_length = 255)]
    fragrance: Option<String>,
}

/// The days that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Period {
    /// This number of days up to today.
    Days(u16),
    /// The month that begins on this day.
    Month(Date),
}

/// The parsed query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FleetQuery {
    pub(super) period: Period,
    pub(super) csp: Option<String>,
    pub(super) customer: Option<String>,
    pub(super) fragrance: Option<String>,
}

/// Reads the parameters; the reader records what is invalid.
pub(super) fn read(reader: &mut QueryReader<'_>) -> FleetQuery {
    let days = |text: &str| text.parse().ok().filter(|days| PERIODS.contains(days));
    let days = reader.value("days", "must be 7, 28, 90 or 365", days);
    let month = reader.value("month", "must be a month like 2026-11", read_month);
    if days.is_some() && month.is_some() {
        reader.refuse("month", "is not possible together with days");
    }
    let query = FleetQuery {
        period: month.map_or(Period::Days(days.unwrap_or(DEFAULT_PERIOD)), Period::Month),
        csp: reader.text_up_to(MAX_NAME, "csp"),
        customer: reader.text_up_to(MAX_NAME, "customer"),
        fragrance: reader.text_up_to(MAX_NAME, "fragrance"),
    };
    if query.customer.is_some() && query.fragrance.is_some() {
        reader.refuse("fragrance", "is not possible together with customer: sums are kept for each of them alone");
    }
    query
}

/// The first day of a month.
fn read_month(text: &str) -> Option<Date> {
    let first: Date = format!("{text}-01").parse().ok()?;
    (month_text(first) == text).then_some(first)
}

/// For example 2026-11.
fn month_text(first: Date) -> String {
    first.strftime("%Y-%m").to_string()
}

/// The time in which the days of a period begin, up to today.
fn span(period: Period, now: Timestamp) -> ApiResult<(Timestamp, Timestamp)> {
    let until = day_of(now) + DAY;
    match period {
        Period::Days(days) => Ok((until - DAY * i32::from(days), until)),
        Period::Month(first) if beginning(first) >= until => {
            Err(ApiError::invalid("month", "must not be in the future"))
        }
        Period::Month(first) => Ok((beginning(first), until.min(beginning(first.saturating_add(1.month()))))),
    }
}

impl FleetQuery {
    /// The days within the actor's scope, up to today; of all groups unless a customer or fragrance is named.
    ///
    /// # Errors
    /// 403 for an actor without a scope.
    pub(super) fn selection(&self, actor: &Actor, now: Timestamp) -> ApiResult<DaySelection> {
        let (from, until) = span(self.period, now)?;
        Ok(DaySelection { csp: self.csp(actor)?, group: self.group(), from, until })
    }

    /// The days to compare the first `days` days of the selection with: as many before it, or of the month before.
    pub(super) fn before(&self, selection: &DaySelection, days: i32) -> DaySelection {
        let (from, end) = match self.period {
            Period::Days(days) => (selection.from - DAY * i32::from(days), selection.from),
            Period::Month(first) => (beginning(first.saturating_sub(1.month())), selection.from),
        };
        DaySelection { from, until: end.min(from + DAY * days), ..selection.clone() }
    }

    /// The stores within the actor's scope.
    ///
    /// # Errors
    /// 403 for an actor without a scope.
    pub(super) fn stores(&self, actor: &Actor) -> ApiResult<StoreSelection> {
        let (customer, fragrance) = (self.customer.clone(), self.fragrance.clone());
        Ok(StoreSelection { csp: self.csp(actor)?, customer, fragrance })
    }

    /// The devices of a selection of this query.
    pub(super) fn histories<'a>(&'a self, selection: &'a DaySelection) -> HistoriesOf<'a> {
        HistoriesOf {
            csp: selection.csp.as_deref(),
            customer: self.customer.as_deref(),
            fragrance: self.fragrance.as_deref(),
        }
    }

    fn csp(&self, actor: &Actor) -> ApiResult<Option<String>> {
        match actor.scope() {
            Scope::Everything => Ok(self.csp.clone()),
            Scope::Csp(own) => Ok(Some(own.to_owned())),
            Scope::Nothing => Err(ApiError::Forbidden),
        }
    }

    fn group(&self) -> Option<(Dimension, String)> {
        let customer = self.customer.clone().map(|customer| (Dimension::Customer, customer));
        customer.or_else(|| Some((Dimension::Fragrance, self.fragrance.clone()?)))
    }

    /// The filters that apply for this actor.
    pub(super) fn filters(&self, actor: &Actor) -> Vec<FilterUsed> {
        let period = match self.period {
            Period::Days(days) => {
                FilterUsed { name: "days", value: days.to_string(), label: "Period", display: format!("{days} days") }
            }
            Period::Month(first) => {
                FilterUsed { name: "month", value: month_text(first), label: "Month", display: month_name(first) }
            }
        };
        let csp = self.csp.as_ref().filter(|_| actor.scope() == Scope::Everything);
        let texts = [
            FilterUsed::text("csp", "CSP", csp),
            FilterUsed::text("customer", "Customer", self.customer.as_ref()),
            FilterUsed::text("fragrance", "Fragrance", self.fragrance.as_ref()),
        ];
        [period].into_iter().chain(texts.into_iter().flatten()).collect()
    }
}

/// For example November 2026.
pub(super) fn month_name(first: Date) -> String {
    first.strftime("%B %Y").to_string()
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::http::query_reader::checks::{assert_invalid, assert_text};
    use crate::http::request::QueryPairs;

    fn parsed(query: &str) -> ApiResult<FleetQuery> {
        let pairs = QueryPairs::read(query);
        let mut reader = QueryReader::new(&pairs);
        let query = read(&mut reader);
        reader.end(query)
    }

    #[test]
    fn parameters_are_parsed() {
        let default = FleetQuery { period: Period::Days(28), csp: None, customer: None, fragrance: None };
        for query in ["", "days=&csp=&customer=&fragrance=", "other=1"] {
            assert_eq!(parsed(query).unwrap(), default, "{query}");
        }
        let north = FleetQuery { period: Period::Days(365), csp: Some("North".to_owned()), ..default };
        let hotel = FleetQuery { customer: Some("Hotel & Bar".to_owned()), ..north.clone() };
        assert_eq!(parsed("days=365&csp=North&customer=Hotel+%26+Bar").unwrap(), hotel);
        let february = FleetQuery { period: Period::Month(jiff::civil::date(2024, 2, 1)), ..north.clone() };
        assert_eq!(parsed("month=2024-02&csp=North").unwrap(), february);
        let fig = FleetQuery { fragrance: Some("Fig".to_owned()), ..north };
        assert_eq!(parsed("days=365&csp=North&fragrance=Fig").unwrap(), fig);
    }

    #[test]
    fn month_ends_with_its_last_day_or_today_and_is_compared_with_as_many_days_of_the_month_before() {
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        let days = |month: &str, known: i32| {
            let query = parsed(&format!("month={month}")).unwrap();
            let (from, until) = span(query.period, now)?;
            let selection = DaySelection { csp: None, group: None, from, until };
            let before = query.before(&selection, known);
            Ok([from, until, before.from, before.until].map(|day| day.to_zoned(TimeZone::UTC).date().to_string()))
        };
        for (month, known, expected) in [
            ("2026-11", 19, ["2026-11-01", "2026-11-21", "2026-10-01", "2026-10-20"]),
            ("2026-10", 31, ["2026-10-01", "2026-11-01", "2026-09-01", "2026-10-01"]),
            ("2026-03", 31, ["2026-03-01", "2026-04-01", "2026-02-01", "2026-03-01"]),
        ] {
            assert_eq!(days(month, known).unwrap(), expected, "{month}");
        }
        let Err(ApiError::Invalid(errors)) = days("2026-12", 1) else { panic!("it is in the future") };
        assert_eq!(errors.keys().collect::<Vec<_>>(), ["month"]);
        let week = parsed("days=7").unwrap();
        let (from, until) = span(week.period, now).unwrap();
        let before = week.before(&DaySelection { csp: None, group: None, from, until }, 6);
        assert_eq!((before.from, before.until), (from - DAY * 7, from - DAY));
    }

    #[test]
    fn every_invalid_value_is_reported() {
        let rows = [
            ("days=0", "days"),
            ("days=30", "days"),
            ("days=-7", "days"),
            ("days=7&days=7", "days"),
            ("days=99999999999", "days"),
            ("customer=Hotel&fragrance=Fig", "fragrance"),
            ("month=2026-13", "month"),
            ("month=2026-1", "month"),
            ("month=2026-11-01", "month"),
            ("month=2026-11&month=2026-11", "month"),
            ("month=2026-11&days=28", "month"),
        ];
        for (query, field) in rows {
            assert_invalid(parsed, query, field);
        }
        for name in ["csp", "customer", "fragrance"] {
            assert_text(parsed, name, MAX_NAME);
        }
    }
}

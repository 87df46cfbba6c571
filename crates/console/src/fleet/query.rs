//! The query strings of the fleet over time.

use jiff::{SignedDuration, Timestamp};
use utoipa::IntoParams;

use crate::error::{ApiError, ApiResult};
use crate::fleet_days::{DaySelection, Dimension, day_of};
use crate::policy::{Actor, Scope};
use crate::query_reader::QueryReader;
use crate::reports::FilterUsed;

/// The periods in days.
const PERIODS: [u16; 4] = [7, 28, 90, 365];
const DEFAULT_PERIOD: u16 = 28;
const MAX_NAME: usize = 255;

/// Documents the filter; [`read`] parses it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "documents the parameters and is never built as a value")]
pub(super) struct FleetParams {
    /// The number of days up to today: 7, 28, 90 or 365; 28 by default
    #[param(minimum = 7, maximum = 365)]
    days: Option<u16>,
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

/// The parsed query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FleetQuery {
    pub(super) days: u16,
    pub(super) csp: Option<String>,
    pub(super) customer: Option<String>,
    pub(super) fragrance: Option<String>,
}

/// Reads the parameters; the reader records what is invalid.
pub(super) fn read(reader: &mut QueryReader<'_>) -> FleetQuery {
    let period = |text: &str| text.parse().ok().filter(|days| PERIODS.contains(days));
    let query = FleetQuery {
        days: reader.value("days", "must be 7, 28, 90 or 365", period).unwrap_or(DEFAULT_PERIOD),
        csp: reader.text_up_to(MAX_NAME, "csp"),
        customer: reader.text_up_to(MAX_NAME, "customer"),
        fragrance: reader.text_up_to(MAX_NAME, "fragrance"),
    };
    if query.customer.is_some() && query.fragrance.is_some() {
        reader.refuse("fragrance", "is not possible together with customer: sums are kept for each of them alone");
    }
    query
}

impl FleetQuery {
    /// The days within the actor's scope, up to today; of all groups unless a customer or fragrance is named.
    ///
    /// # Errors
    /// 403 for an actor without a scope.
    pub(super) fn selection(&self, actor: &Actor, now: Timestamp) -> ApiResult<DaySelection> {
        let day = SignedDuration::from_hours(24);
        let until = day_of(now) + day;
        let csp = match actor.scope() {
            Scope::Everything => self.csp.clone(),
            Scope::Csp(own) => Some(own.to_owned()),
            Scope::Nothing => return Err(ApiError::Forbidden),
        };
        Ok(DaySelection { csp, group: self.group(), from: until - day * i32::from(self.days), until })
    }

    fn group(&self) -> Option<(Dimension, String)> {
        let customer = self.customer.clone().map(|customer| (Dimension::Customer, customer));
        customer.or_else(|| Some((Dimension::Fragrance, self.fragrance.clone()?)))
    }

    /// The filters that apply for this actor.
    pub(super) fn filters(&self, actor: &Actor) -> Vec<FilterUsed> {
        let days = FilterUsed {
            name: "days",
            value: self.days.to_string(),
            label: "Period",
            display: format!("{} days", self.days),
        };
        let csp = self.csp.as_ref().filter(|_| actor.scope() == Scope::Everything);
        let texts = [
            FilterUsed::text("csp", "CSP", csp),
            FilterUsed::text("customer", "Customer", self.customer.as_ref()),
            FilterUsed::text("fragrance", "Fragrance", self.fragrance.as_ref()),
        ];
        [days].into_iter().chain(texts.into_iter().flatten()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_reader::checks::{assert_invalid, assert_text};
    use crate::request::QueryPairs;

    fn parsed(query: &str) -> ApiResult<FleetQuery> {
        let pairs = QueryPairs::read(query);
        let mut reader = QueryReader::new(&pairs);
        let query = read(&mut reader);
        reader.end(query)
    }

    #[test]
    fn parameters_are_parsed() {
        let default = FleetQuery { days: 28, csp: None, customer: None, fragrance: None };
        for query in ["", "days=&csp=&customer=&fragrance=", "other=1"] {
            assert_eq!(parsed(query).unwrap(), default, "{query}");
        }
        let north = FleetQuery { days: 365, csp: Some("North".to_owned()), ..default };
        let hotel = FleetQuery { customer: Some("Hotel & Bar".to_owned()), ..north.clone() };
        assert_eq!(parsed("days=365&csp=North&customer=Hotel+%26+Bar").unwrap(), hotel);
        let fig = FleetQuery { fragrance: Some("Fig".to_owned()), ..north };
        assert_eq!(parsed("days=365&csp=North&fragrance=Fig").unwrap(), fig);
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
        ];
        for (query, field) in rows {
            assert_invalid(parsed, query, field);
        }
        for name in ["csp", "customer", "fragrance"] {
            assert_text(parsed, name, MAX_NAME);
        }
    }
}

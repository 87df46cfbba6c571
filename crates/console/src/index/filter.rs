//! The filters of the list.

use sea_query::{Condition, Expr, ExprTrait, LikeExpr};

use super::fold::fold;
use super::schema::{IdxDeviceState, IdxDevices};
use crate::devices::record::{ConnectionStatus, LAN};
use crate::policy::{Actor, Scope};

/// Shorter texts match the beginning only.
const CONTAINS_FROM_CHARS: usize = 3;

/// Conditions, all of which must hold. Texts match in any case; `csp` and `model` match exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeviceFilter {
    /// Counts only for those who see the devices of every CSP.
    pub(crate) csp: Option<String>,
    pub(crate) dsn: Option<String>,
    /// `LAN`, or a part of the SSID.
    pub(crate) network: Option<String>,
    pub(crate) service_area: Option<String>,
    /// The stored name of the system configuration.
    pub(crate) model: Option<String>,
    pub(crate) serial_number: Option<String>,
    pub(crate) connection_status: Option<ConnectionStatus>,
    pub(crate) customer: Option<String>,
    pub(crate) city: Option<String>,
    pub(crate) country: Option<String>,
    pub(crate) state_province: Option<String>,
}

impl DeviceFilter {
    /// As a condition on the rows that `actor` sees anyway: it can only narrow them.
    pub(super) fn condition(&self, actor: &Actor) -> Condition {
        let devices = |column| Expr::col((IdxDevices::Table, column));
        let csp = self.csp.as_deref().filter(|_| actor.scope() == Scope::Everything);
        let exact = [(csp, IdxDevices::Csp), (self.model.as_deref(), IdxDevices::SystemConfiguration)];
        let texts = [
            (&self.dsn, IdxDevices::DsnFolded),
            (&self.service_area, IdxDevices::ServiceAreaFolded),
            (&self.serial_number, IdxDevices::SerialNumberFolded),
            (&self.customer, IdxDevices::CustomerFolded),
            (&self.city, IdxDevices::CityFolded),
            (&self.country, IdxDevices::CountryFolded),
            (&self.state_province, IdxDevices::StateProvinceFolded),
        ];
        let status = self
            .connection_status
            .map(|status| Expr::col((IdxDeviceState::Table, IdxDeviceState::ConnectionStatus)).eq(status.name()));
        let exact = exact.into_iter().filter_map(|(value, column)| Some(devices(column).eq(value?)));
        let texts = texts.into_iter().filter_map(|(value, column)| Some(matches(column, value.as_deref()?)));
        let network = self.network.as_deref().map(|text| match fold(text) == fold(LAN) {
            true => devices(IdxDevices::Network).eq(LAN),
            false => matches(IdxDevices::SsidFolded, text),
        });
        exact.chain(texts).chain(network).chain(status).fold(Condition::all(), Condition::add)
    }
}

/// Whether a folded column contains `text`, or begins with it when it is short.
fn matches(column: IdxDevices, text: &str) -> Expr {
    let column = Expr::col((IdxDevices::Table, column));
    let folded = fold(text);
    if text.chars().count() >= CONTAINS_FROM_CHARS {
        return column.like(contains(&folded));
    }
    // As a range, which an index can serve on both databases.
    let from = column.clone().gte(folded.clone());
    match after_prefix(&folded) {
        Some(end) => from.and(column.lt(end)),
        None => from,
    }
}

fn contains(folded: &str) -> LikeExpr {
    let mut pattern = String::from("%");
    for character in folded.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    LikeExpr::new(pattern).escape('\\')
}

/// The least text above all that begin with `prefix`, in the order of code points; `None` when there is none.
fn after_prefix(prefix: &str) -> Option<String> {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        // The range steps over the surrogates, which are no characters.
        if let Some(next) = (last..=char::MAX).nth(1) {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_where_the_next_character_begins() {
        let rows = [
            ("s", Some("t")),
            ("sc", Some("sd")),
            ("z", Some("{")),
            ("a\u{d7ff}", Some("a\u{e000}")),
            ("a\u{10ffff}", Some("b")),
            ("\u{10ffff}\u{10ffff}", None),
        ];
        for (prefix, expected) in rows {
            assert_eq!(after_prefix(prefix).as_deref(), expected, "{prefix:?}");
        }
    }
}

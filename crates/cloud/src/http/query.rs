//! The parameters of a query, in the spellings that clients use (docs/wire.md#requests, A-98).

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use jiff::Timestamp;

use super::error::Error;
use crate::store::datapoints::Span;

/// Maximum length of a parameter, in bytes. Lists of names have to fit.
const LONGEST: usize = 4096;

/// The parameters of a query, in their order.
pub(super) struct Query(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let axum::extract::Query::<Vec<(String, String)>>(pairs) = axum::extract::Query::try_from_uri(&parts.uri)?;
        if pairs.iter().any(|(_, value)| value.len() > LONGEST) {
            return Err(Error::Text(StatusCode::BAD_REQUEST, "A parameter of the query is too long (max: 4096 bytes)"));
        }
        Ok(Self(pairs))
    }
}

impl Query {
    /// The last value of `name`, unless it is blank.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().rev().find(|(known, _)| known == name)?;
        (!value.is_empty()).then_some(value)
    }

    /// `filter[name]`, or `name` itself.
    pub(super) fn get_filtered(&self, name: &str) -> Option<&str> {
        self.get(&format!("filter[{name}]")).or_else(|| self.get(name))
    }

    /// Every `filter[NAME]` that is not blank.
    pub(super) fn filters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter(|(_, value)| !value.is_empty()).filter_map(|(name, value)| {
            let name = name.strip_prefix("filter[")?.strip_suffix(']')?;
            Some((name, value.as_str()))
        })
    }

    /// All values of `name` and `name[]`, each of which may be a list with commas.
    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        self.0
            .iter()
            .filter(|(known, _)| known.strip_suffix("[]").unwrap_or(known) == name)
            .flat_map(|(_, value)| value.split(','))
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .collect()
    }

    /// Whether `name` is `true` or `1`.
    pub(super) fn is_set(&self, name: &str) -> bool {
        matches!(self.get(name), Some("true" | "1"))
    }

    /// A whole number.
    ///
    /// # Errors
    /// 422 if it is not a number.
    pub(super) fn number(&self, name: &'static str) -> Result<Option<i64>, Error> {
        self.get(name).map(|text| text.parse().map_err(|_| Error::invalid(name, "is not a number"))).transpose()
    }

    /// The number of items to return, from 1 to `max`. `max` if it is missing or out of range.
    ///
    /// # Errors
    /// 422 if it is not a number.
    pub(super) fn limit(&self, name: &'static str, max: i64) -> Result<i64, Error> {
        Ok(self.number(name)?.filter(|limit| (1..=max).contains(limit)).unwrap_or(max))
    }

    /// The span from `filter[created_at_since_date]` to `filter[created_at_end_date]`. A missing bound is open.
    ///
    /// # Errors
    /// 422 if a bound is not a time.
    pub(super) fn span(&self) -> Result<Span, Error> {
        Ok(Span {
            since: self.time("created_at_since_date")?.unwrap_or(Timestamp::MIN),
            until: self.time("created_at_end_date")?.unwrap_or(Timestamp::MAX),
        })
    }

    /// `filter[order]` or `order`: whether the list is in descending order.
    ///
    /// # Errors
    /// 422 if it is neither `asc` nor `desc`.
    pub(super) fn descending(&self) -> Result<bool, Error> {
        match self.get_filtered("order").map(str::to_ascii_lowercase).as_deref() {
            None | Some("asc") => Ok(false),
            Some("desc") => Ok(true),
            Some(_) => Err(Error::invalid("order", "is not asc or desc")),
        }
    }

    /// `filter[key_after]` or `key_after`: the key after which the list continues.
    ///
    /// # Errors
    /// 422 if it is not a number.
    pub(super) fn key_after(&self) -> Result<Option<i64>, Error> {
        let key = self.get_filtered("key_after").map(str::parse).transpose();
        key.map_err(|_| Error::invalid("key_after", "is not a number"))
    }

    /// `filter[name]` or `name`, a time in ISO 8601 format.
    ///
    /// # Errors
    /// 422 if it is not a time.
    fn time(&self, name: &'static str) -> Result<Option<Timestamp>, Error> {
        self.get_filtered(name).map(|text| text.parse().map_err(|_| Error::invalid(name, "is not a time"))).transpose()
    }
}

/// Whether `name` is one of `patterns`, in which `%` stands for any text.
pub(super) fn is_named(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| {
        let inner = pattern.trim_matches('%');
        match (pattern.starts_with('%'), pattern.ends_with('%')) {
            (true, true) => name.contains(inner),
            (true, false) => name.ends_with(inner),
            (false, true) => name.starts_with(inner),
            (false, false) => name == inner,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(pairs: &[(&str, &str)]) -> Query {
        Query(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn lists_can_be_repeated_bracketed_or_separated_by_commas() {
        let query = query(&[("names", "a"), ("names[]", "b"), ("names", "c,d"), ("name", "x")]);
        assert_eq!(query.all("names"), ["a", "b", "c", "d"]);
    }

    #[test]
    fn last_filter_of_a_name_counts() {
        let query = query(&[("filter[order]", "asc"), ("page", "1"), ("page", "2"), ("per_page", "")]);
        assert_eq!(query.get_filtered("order"), Some("asc"));
        assert_eq!(query.get_filtered("page"), Some("2"));
        assert_eq!(query.get("per_page"), None);
        assert_eq!(query.filters().collect::<Vec<_>>(), [("order", "asc")]);
    }

    #[test]
    fn invalid_numbers_and_times_are_rejected() {
        let query = query(&[("page", "x"), ("since", "yesterday"), ("until", "2026-11-20T10:00:00Z")]);
        assert!(query.number("page").is_err());
        assert_eq!(query.number("other").unwrap(), None);
        assert!(query.limit("page", 9).is_err());
        assert!(query.time("since").is_err());
        assert!(query.time("until").unwrap().is_some());
    }

    #[test]
    fn limit_out_of_range_becomes_the_maximum() {
        for (text, expected) in [("1", 1), ("9", 9), ("10", 9), ("0", 9), ("-1", 9), ("", 9)] {
            assert_eq!(query(&[("limit", text)]).limit("limit", 9).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn percent_sign_matches_any_text() {
        for (pattern, expected) in
            [("fan", true), ("f%", true), ("%n", true), ("%a%", true), ("%", true), ("a%", false)]
        {
            assert_eq!(is_named(&[pattern], "fan"), expected, "{pattern}");
        }
    }
}

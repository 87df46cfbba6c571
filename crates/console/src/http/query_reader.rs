//! Reads the parameters of a query string and reports all invalid ones at once.

use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::error::{ApiError, ApiResult, FieldErrors};
use super::request::QueryPairs;
use super::sort_order::SortOrder;

/// Maximum length of a filter text in characters.
const MAX_TEXT: usize = 64;
/// The allowed page sizes.
const PAGE_SIZES: [u64; 3] = [5, 25, 50];

/// An allowed page size; only for the OpenAPI document.
pub(crate) struct PageSize;

/// Whether this page size is allowed.
pub(crate) fn is_page_size(size: u64) -> bool {
    PAGE_SIZES.contains(&size)
}

impl PartialSchema for PageSize {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::Type(Type::Integer)).enum_values(Some(PAGE_SIZES)).into()
    }
}

impl ToSchema for PageSize {}

/// Reads parameters of a query string and collects their errors.
pub(crate) struct QueryReader<'a> {
    pairs: &'a QueryPairs,
    errors: FieldErrors,
}

impl<'a> QueryReader<'a> {
    pub(crate) fn new(pairs: &'a QueryPairs) -> Self {
        Self { pairs, errors: FieldErrors::new() }
    }

    /// Returns `query` if all parameters were valid.
    ///
    /// # Errors
    /// 422 with a text for each repeated or invalid parameter.
    pub(crate) fn end<T>(self, query: T) -> ApiResult<T> {
        if self.errors.is_empty() { Ok(query) } else { Err(ApiError::Invalid(self.errors)) }
    }

    /// The value of one parameter. Records `refusal` if `read` returns `None`.
    pub(crate) fn value<T>(
        &mut self,
        name: &str,
        refusal: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        self.read(name, |text| read(text).ok_or(refusal))
    }

    /// As [`Self::value`], for a required parameter. Returns a placeholder for an invalid one; [`Self::end`] then fails.
    pub(crate) fn required<T: Default>(
        &mut self,
        name: &str,
        refusal: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> T {
        let value = self.value(name, refusal, read);
        if value.is_none() {
            self.errors.entry(name.to_owned()).or_insert_with(|| vec!["is required".to_owned()]);
        }
        value.unwrap_or_default()
    }

    /// Records an error that does not depend on the parameter alone.
    pub(crate) fn refuse(&mut self, name: &str, refusal: &str) {
        self.errors.entry(name.to_owned()).or_insert_with(|| vec![refusal.to_owned()]);
    }

    /// Records an error unless the parameter `other` is present.
    pub(crate) fn only_with(&mut self, name: &str, other: &str) {
        if self.pairs.all(other).all(str::is_empty) {
            self.refuse(name, &format!("is only possible with {other}"));
        }
    }

    /// Reads the page number, counted from 1.
    pub(crate) fn page(&mut self) -> u64 {
        let page = |text: &str| text.parse().ok().filter(|page| *page >= 1);
        self.value("page", "must be a whole number from 1", page).unwrap_or(1)
    }

    /// Reads the page size.
    pub(crate) fn page_size(&mut self, default: u64) -> u64 {
        let size = |text: &str| text.parse().ok().filter(|size| is_page_size(*size));
        self.value("pageSize", "must be 5, 25 or 50", size).unwrap_or(default)
    }

    /// Reads the sort order.
    pub(crate) fn order(&mut self, default: SortOrder) -> SortOrder {
        self.value("order", "must be asc or desc", SortOrder::from_name).unwrap_or(default)
    }

    /// Reads a filter text.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        self.text_up_to(MAX_TEXT, name)
    }

    pub(crate) fn text_up_to(&mut self, max_chars: usize, name: &str) -> Option<String> {
        self.read(name, |text| match text {
            _ if text.chars().count() > max_chars => Err("is too long"),
            // PostgreSQL cannot store NUL in a text.
            _ if text.contains(char::is_control) => Err("must not contain control characters"),
            _ => Ok(text.to_owned()),
        })
    }

    /// An empty parameter counts as omitted, because a cleared filter is sent as one.
    fn read<T>(&mut self, name: &str, read: impl FnOnce(&str) -> Result<T, &'static str>) -> Option<T> {
        let mut values = self.pairs.all(name);
        let outcome = match (values.next(), values.next()) {
            (_, Some(_)) => Err("must be given once"),
            (None | Some(""), None) => return None,
            (Some(text), None) => read(text),
        };
        match outcome {
            Ok(value) => Some(value),
            Err(text) => {
                self.errors.insert(name.to_owned(), vec![text.to_owned()]);
                None
            }
        }
    }
}

/// Checks of query strings in the tests of lists.
#[cfg(test)]
pub(crate) mod checks {
    use std::fmt::Debug;

    use crate::http::error::{ApiError, ApiResult};

    /// The names of the invalid parameters, with the reasons.
    pub(crate) fn invalid_parameters<T: Debug>(parsed: ApiResult<T>) -> Vec<(String, Vec<String>)> {
        match parsed {
            Err(ApiError::Invalid(errors)) => errors.into_iter().collect(),
            other => panic!("{other:?}"),
        }
    }

    /// Asserts that exactly this parameter of the query is invalid.
    pub(crate) fn assert_invalid<T: Debug>(parse: impl Fn(&str) -> ApiResult<T>, query: &str, name: &str) {
        let invalid = invalid_parameters(parse(query));
        assert_eq!(invalid.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), [name], "{query}");
    }

    /// Asserts that a text is rejected if it is too long, repeated or contains a control character.
    pub(crate) fn assert_text<T: Debug>(parse: impl Fn(&str) -> ApiResult<T>, name: &str, max_chars: usize) {
        assert!(parse(&format!("{name}={}", "Ä".repeat(max_chars))).is_ok(), "{name}");
        for (query, reason) in [
            (format!("{name}={}", "Ä".repeat(max_chars + 1)), "is too long"),
            (format!("{name}=a&{name}=b"), "must be given once"),
            (format!("{name}=a%00"), "must not contain control characters"),
        ] {
            assert_eq!(invalid_parameters(parse(&query)), [(name.to_owned(), vec![reason.to_owned()])], "{query}");
        }
    }
}

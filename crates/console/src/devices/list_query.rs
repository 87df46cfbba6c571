//! The query string of the list: names and values of.

use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::record::ConnectionStatus;
use crate::error::{ApiError, ApiResult, FieldErrors};
use crate::index::{DeviceFilter, DeviceSort, ListQuery, SortOrder};
use crate::request::QueryPairs;

/// The sizes that a page may have (c:27).
const PAGE_SIZES: [u64; 3] = [5, 25, 50];
/// Longer than any serial number.
const MAX_DSN: usize = 64;

/// One of the sizes that a page may have; for the document only.
pub(crate) struct PageSize;

impl PartialSchema for PageSize {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::Type(Type::Integer)).enum_values(Some(PAGE_SIZES)).into()
    }
}

impl ToSchema for PageSize {}

/// Reads the query.
///
/// # Errors
/// 422 with a text for each parameter that is repeated or has no such value.
pub(super) fn parse(pairs: &QueryPairs) -> ApiResult<ListQuery> {
    let mut reader = Reader { pairs, errors: FieldErrors::new() };
    let query = ListQuery {
        page: reader
            .value("page", "must be a whole number from 1", |text| text.parse().ok().filter(|page| *page >= 1))
            .unwrap_or(1),
        page_size: reader
            .value("pageSize", "must be 5, 25 or 50", |text| text.parse().ok().filter(|size| PAGE_SIZES.contains(size)))
            .unwrap_or(PAGE_SIZES[0]),
        order: reader.value("order", "must be asc or desc", SortOrder::from_name).unwrap_or(SortOrder::Desc),
        sort: reader
            .value("orderBy", "is no column to sort by", DeviceSort::from_name)
            .unwrap_or(DeviceSort::CreatedAt),
        filter: DeviceFilter {
            connection_status: reader.value(
                "connectionstatus",
                "must be Online or Offline",
                ConnectionStatus::from_name,
            ),
            dsn: reader.value("dsn", "is too long", |text| (text.len() <= MAX_DSN).then(|| text.to_owned())),
        },
    };
    if reader.errors.is_empty() { Ok(query) } else { Err(ApiError::Invalid(reader.errors)) }
}

struct Reader<'a> {
    pairs: &'a QueryPairs,
    errors: FieldErrors,
}

impl Reader<'_> {
    /// The value of one parameter. An empty one counts as left out: that is how a cleared filter looks.
    fn value<T>(&mut self, name: &str, refusal: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let mut values = self.pairs.all(name);
        let outcome = match (values.next(), values.next()) {
            (_, Some(_)) => Err("must be given once"),
            (None | Some(""), None) => return None,
            (Some(text), None) => read(text).ok_or(refusal),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> ApiResult<ListQuery> {
        parse(&QueryPairs::read(query))
    }

    fn refused(query: &str) -> Vec<(String, Vec<String>)> {
        match read(query) {
            Err(ApiError::Invalid(errors)) => errors.into_iter().collect(),
            other => panic!("{query}: {other:?}"),
        }
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let expected = ListQuery {
            page: 1,
            page_size: 5,
            order: SortOrder::Desc,
            sort: DeviceSort::CreatedAt,
            filter: DeviceFilter { connection_status: None, dsn: None },
        };
        for query in ["", "page=&pageSize=&order=&orderBy=&connectionstatus=&dsn=", "somethingelse=1"] {
            assert_eq!(read(query).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn every_parameter_is_read() {
        let query =
            read("page=3&pageSize=50&order=asc&orderBy=stateprovince&connectionstatus=Online&dsn=SC%25").unwrap();
        let expected = ListQuery {
            page: 3,
            page_size: 50,
            order: SortOrder::Asc,
            sort: DeviceSort::State,
            filter: DeviceFilter { connection_status: Some(ConnectionStatus::Online), dsn: Some("SC%".to_owned()) },
        };
        assert_eq!(query, expected);
    }

    #[test]
    fn every_bad_value_is_named() {
        let all = refused("page=0&pageSize=6&order=up&orderBy=password&connectionstatus=online");
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["connectionstatus", "order", "orderBy", "page", "pageSize"]);
        for query in ["page=-1", "page=1.5", "page=x", "page=99999999999999999999999", "page=1&page=1", "dsn=a&dsn=b"] {
            assert_eq!(refused(query).len(), 1, "{query}");
        }
        assert_eq!(refused(&format!("dsn={}", "x".repeat(65))), [("dsn".to_owned(), vec!["is too long".to_owned()])]);
    }
}

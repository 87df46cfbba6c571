//! The query string of `GET /api/csps`.

use utoipa::IntoParams;

use super::dto::CspSort;
use super::list::ListQuery;
use crate::http::error::ApiResult;
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::http::sort_order::SortOrder;

/// The default page size.
const PAGE_SIZE: u64 = 25;

/// Documents the filter of the list and its report; [`read`] parses it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "documents the parameter and is never built as a value")]
pub(super) struct CspFilterParams {
    /// Only CSPs whose name matches, regardless of case and accents: one or two characters match its beginning, three or more any
    /// part of it
    #[param(max_length = 64)]
    name: Option<String>,
}

/// # Errors
/// 422 with a text for each repeated or invalid parameter.
pub(super) fn parse(pairs: &QueryPairs) -> ApiResult<ListQuery> {
    let mut reader = QueryReader::new(pairs);
    let query = read(&mut reader);
    reader.end(query)
}

/// Reads the parameters that the list and its report share.
pub(super) fn read(reader: &mut QueryReader<'_>) -> ListQuery {
    // The name is the only column to sort by.
    reader.value("orderBy", "is no column to sort by", CspSort::from_name);
    ListQuery {
        page: reader.page(),
        page_size: reader.page_size(PAGE_SIZE),
        order: reader.order(SortOrder::Asc),
        name: reader.text("name"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::query_reader::checks::{assert_invalid, assert_text};

    fn parsed(query: &str) -> ApiResult<ListQuery> {
        parse(&QueryPairs::read(query))
    }

    #[test]
    fn omitted_parameters_get_their_defaults() {
        let expected = ListQuery { page: 1, page_size: 25, order: SortOrder::Asc, name: None };
        for query in ["", "page=&pageSize=&order=&orderBy=&name=", "orderBy=name", "order=asc", "csp=North"] {
            assert_eq!(parsed(query).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn every_parameter_is_parsed() {
        let expected = ListQuery { page: 3, page_size: 5, order: SortOrder::Desc, name: Some("A & B".to_owned()) };
        assert_eq!(parsed("page=3&pageSize=5&order=desc&orderBy=name&name=A+%26+B").unwrap(), expected);
    }

    #[test]
    fn every_invalid_value_is_reported() {
        let rows = [
            ("page=0", "page"),
            ("page=x", "page"),
            ("pageSize=24", "pageSize"),
            ("order=up", "order"),
            ("orderBy=Name", "orderBy"),
            ("orderBy=deviceCount", "orderBy"),
        ];
        for (query, field) in rows {
            assert_invalid(parsed, query, field);
        }
        assert_text(parsed, "name", 64);
    }
}

//! Documents the query parameters that all lists and reports share. [`QueryReader`](crate::http::query_reader::QueryReader)
//! reads them.

use std::marker::PhantomData;

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{Ref, Required};
use utoipa::{IntoParams, ToSchema};

use super::ReportFormat;
use crate::http::query_reader::PageSize;
use crate::http::sort_order::SortOrder;

#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "documents the parameters and is never built as a value")]
pub(crate) struct PageParams {
    /// Page number, 1 by default; past the last page: the last one
    #[param(minimum = 1)]
    page: Option<u64>,
    /// Rows on a page
    page_size: Option<PageSize>,
}

/// Implemented by hand because the derive would repeat the columns in every list instead of referring to their schema.
pub(crate) struct SortParams<Column>(PhantomData<Column>);

impl<Column: ToSchema> IntoParams for SortParams<Column> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let reference = |name: &str, description: &str, schema: &str| {
            ParameterBuilder::new()
                .name(name)
                .parameter_in(ParameterIn::Query)
                .required(Required::False)
                .description(Some(description))
                .schema(Some(Ref::from_schema_name(schema)))
                .build()
        };
        vec![reference("order", "Direction", &SortOrder::name()), reference("orderBy", "Sort column", &Column::name())]
    }
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "documents the parameters and is never built as a value")]
pub(crate) struct ReportParams {
    /// Format of the report; by default the best match of Accept
    r#type: Option<ReportFormat>,
    /// Zone of the times in files for people, such as Europe/Oslo; UTC by default. JSON always has UTC
    time_zone: Option<String>,
}

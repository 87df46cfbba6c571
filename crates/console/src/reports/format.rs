//! Chooses the format of a report: by `?type=`, otherwise by `Accept`.

use axum::http::{HeaderMap, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::query_reader::QueryReader;

/// The content type of workbooks.
pub(crate) const XLSX_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ReportType)]
pub(crate) enum ReportFormat {
    /// JSON, for programs.
    Json,
    /// CSV, for spreadsheets.
    Csv,
    /// A workbook of Excel, in which texts, numbers and dates have their types.
    Xlsx,
    /// A self-contained HTML page for printing.
    Printable,
}

impl ReportFormat {
    /// Chooses the format for a request.
    pub(super) fn read(reader: &mut QueryReader<'_>, headers: &HeaderMap) -> Self {
        let wanted = reader.value("type", "must be json, csv, xlsx or printable", Self::from_name);
        let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
        wanted.or_else(|| Self::accepted(accept?)).unwrap_or(Self::Json)
    }

    /// Parses the name in the query string.
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "json" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            "xlsx" => Some(Self::Xlsx),
            "printable" => Some(Self::Printable),
            _ => None,
        }
    }

    /// The name in the query string.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
            Self::Printable => "printable",
        }
    }

    fn from_range(range: &str) -> Option<Self> {
        match range {
            "application/json" | "application/*" | "*/*" => Some(Self::Json),
            "text/csv" => Some(Self::Csv),
            XLSX_TYPE => Some(Self::Xlsx),
            "text/html" | "text/*" => Some(Self::Printable),
            _ => None,
        }
    }

    /// The format with the highest quality; the first one in a tie.
    fn accepted(accept: &str) -> Option<Self> {
        let ranges = accept.split(',').filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let format = Self::from_range(&parts.next()?.to_ascii_lowercase())?;
            let quality = parts.find_map(|part| part.strip_prefix("q="));
            let quality: f32 = quality.map_or(Some(1.0), |quality| quality.parse().ok())?;
            (quality > 0.0).then_some((format, quality))
        });
        let best = ranges.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(format, _)| format)
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Xlsx => XLSX_TYPE,
            Self::Printable => "text/html; charset=utf-8",
        }
    }

    /// The file name of a download.
    pub(super) fn file_name(self) -> Option<&'static str> {
        match self {
            Self::Json => None,
            Self::Csv => Some("report.csv"),
            Self::Xlsx => Some("report.xlsx"),
            Self::Printable => Some("report.html"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::error::ApiError;
    use crate::http::request::QueryPairs;

    fn read(query: &str, accept: Option<&str>) -> Result<ReportFormat, ApiError> {
        let pairs = QueryPairs::read(query);
        let mut reader = QueryReader::new(&pairs);
        let headers = accept.map(|accept| (header::ACCEPT, accept.parse().unwrap())).into_iter().collect();
        let format = ReportFormat::read(&mut reader, &headers);
        reader.end(format)
    }

    #[test]
    fn preferred_accept_type_is_chosen() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let rows = [
            (None, ReportFormat::Json),
            (Some("*/*"), ReportFormat::Json),
            (Some("application/json, text/plain"), ReportFormat::Json),
            (Some("Text/CSV"), ReportFormat::Csv),
            (Some(browser), ReportFormat::Printable),
            (Some("text/csv;q=0.5, text/html;level=1;q=0.7, application/json;q=0.6"), ReportFormat::Printable),
            (Some("text/csv, text/html"), ReportFormat::Csv),
            (Some(XLSX_TYPE), ReportFormat::Xlsx),
            (Some("text/csv;q=0, */*;q=0.1"), ReportFormat::Json),
            (Some("text/csv;q=much, image/png"), ReportFormat::Json),
            (Some(""), ReportFormat::Json),
        ];
        for (accept, expected) in rows {
            assert_eq!(read("", accept).unwrap(), expected, "{accept:?}");
        }
    }

    #[test]
    fn query_type_overrides_accept() {
        for (query, expected) in [
            ("type=json", ReportFormat::Json),
            ("type=csv", ReportFormat::Csv),
            ("type=xlsx", ReportFormat::Xlsx),
            ("type=printable", ReportFormat::Printable),
            ("type=", ReportFormat::Printable),
        ] {
            assert_eq!(read(query, Some("text/html")).unwrap(), expected, "{query}");
        }
        for query in ["type=html", "type=CSV", "type=csv&type=csv"] {
            let Err(ApiError::Invalid(errors)) = read(query, None) else { panic!("{query}") };
            assert_eq!(errors.keys().collect::<Vec<_>>(), ["type"], "{query}");
        }
    }
}

//! Which form a report takes: what `?type=` says, or what the caller likes best of what `Accept` names.

use axum::http::{HeaderMap, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::query_reader::QueryReader;

/// The forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ReportType)]
pub(crate) enum Form {
    /// For programs.
    Json,
    /// For spreadsheets.
    Csv,
    /// A page that stands for itself.
    Printable,
}

impl Form {
    /// Of a request.
    pub(crate) fn read(reader: &mut QueryReader<'_>, headers: &HeaderMap) -> Self {
        let wanted = reader.value("type", "must be json, csv or printable", Self::from_name);
        let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
        wanted.or_else(|| Self::accepted(accept?)).unwrap_or(Self::Json)
    }

    /// By its name in the query string.
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "json" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            "printable" => Some(Self::Printable),
            _ => None,
        }
    }

    fn from_range(range: &str) -> Option<Self> {
        match range {
            "application/json" | "application/*" | "*/*" => Some(Self::Json),
            "text/csv" => Some(Self::Csv),
            "text/html" | "text/*" => Some(Self::Printable),
            _ => None,
        }
    }

    /// The one of the highest quality, of several the first.
    fn accepted(accept: &str) -> Option<Self> {
        let ranges = accept.split(',').filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let form = Self::from_range(&parts.next()?.to_ascii_lowercase())?;
            let quality = parts.find_map(|part| part.strip_prefix("q="));
            let quality: f32 = quality.map_or(Some(1.0), |quality| quality.parse().ok())?;
            (quality > 0.0).then_some((form, quality))
        });
        let best = ranges.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(form, _)| form)
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Printable => "text/html; charset=utf-8",
        }
    }

    /// Under which name a browser keeps it.
    pub(super) fn file_name(self) -> Option<&'static str> {
        match self {
            Self::Json => None,
            Self::Csv => Some("report.csv"),
            Self::Printable => Some("report.html"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ApiError;
    use crate::request::QueryPairs;

    fn read(query: &str, accept: Option<&str>) -> Result<Form, ApiError> {
        let pairs = QueryPairs::read(query);
        let mut reader = QueryReader::new(&pairs);
        let headers = accept.map(|accept| (header::ACCEPT, accept.parse().unwrap())).into_iter().collect();
        let form = Form::read(&mut reader, &headers);
        reader.end(form)
    }

    #[test]
    fn the_caller_gets_what_they_like_best() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let rows = [
            (None, Form::Json),
            (Some("*/*"), Form::Json),
            (Some("application/json, text/plain"), Form::Json),
            (Some("Text/CSV"), Form::Csv),
            (Some(browser), Form::Printable),
            (Some("text/csv;q=0.5, text/html;level=1;q=0.7, application/json;q=0.6"), Form::Printable),
            (Some("text/csv, text/html"), Form::Csv),
            (Some("text/csv;q=0, */*;q=0.1"), Form::Json),
            (Some("text/csv;q=much, image/png"), Form::Json),
            (Some(""), Form::Json),
        ];
        for (accept, expected) in rows {
            assert_eq!(read("", accept).unwrap(), expected, "{accept:?}");
        }
    }

    #[test]
    fn a_type_in_the_query_comes_first() {
        for (query, expected) in [
            ("type=json", Form::Json),
            ("type=csv", Form::Csv),
            ("type=printable", Form::Printable),
            ("type=", Form::Printable),
        ] {
            assert_eq!(read(query, Some("text/html")).unwrap(), expected, "{query}");
        }
        for query in ["type=html", "type=CSV", "type=csv&type=csv"] {
            let Err(ApiError::Invalid(errors)) = read(query, None) else { panic!("{query}") };
            assert_eq!(errors.keys().collect::<Vec<_>>(), ["type"], "{query}");
        }
    }
}

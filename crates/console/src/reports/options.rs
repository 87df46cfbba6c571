//! What the reader of a report chooses.

use axum::http::HeaderMap;
use jiff::tz::TimeZone;

use super::ReportFormat;
use crate::http::query_reader::QueryReader;

/// The format of a report, and the zone of its times.
pub(crate) struct ReportOptions {
    pub(super) format: ReportFormat,
    pub(super) zone: TimeZone,
}

impl ReportOptions {
    /// Reads the options of a request.
    pub(crate) fn read(reader: &mut QueryReader<'_>, headers: &HeaderMap) -> Self {
        let format = ReportFormat::read(reader, headers);
        let zone = |name: &str| TimeZone::get(name).ok();
        let zone = reader.value("timeZone", "must be a time zone such as Europe/Oslo", zone);
        Self { format, zone: zone.unwrap_or(TimeZone::UTC) }
    }
}

//! The query string of `GET /api/audit`.

use jiff::Timestamp;
use uuid::Uuid;

use super::Operation;
use super::store::AuditFilter;
use crate::error::ApiResult;
use crate::query_reader::QueryReader;
use crate::request::QueryPairs;

const MAX_LIMIT: u64 = 100;
const DEFAULT_LIMIT: u64 = 50;
/// The longest e-mail address (RFC 5321).
const MAX_EMAIL: usize = 254;

/// The parsed query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AuditQuery {
    pub(super) filter: AuditFilter,
    /// Only changes of devices with this text in DSN or serial number.
    pub(super) device: Option<String>,
    /// The most changes to return.
    pub(super) limit: u64,
}

/// # Errors
/// 422 with a text for each repeated or invalid parameter.
pub(super) fn parse(pairs: &QueryPairs) -> ApiResult<AuditQuery> {
    const NO_INSTANT: &str = "must be an instant such as 2026-11-20T12:00:00Z";
    let mut reader = QueryReader::new(pairs);
    let instant = |text: &str| text.parse::<Timestamp>().ok();
    let filter = AuditFilter {
        target: reader.text("target"),
        record: None,
        // Resolved later, from `device` and the index.
        devices: None,
        email: reader.text_up_to(MAX_EMAIL, "actor").map(|email| email.trim().to_lowercase()),
        operation: reader
            .value("operation", "is no operation that changes anything", Operation::from_id)
            .map(Operation::id),
        from: reader.value("from", NO_INSTANT, instant),
        to: reader.value("to", NO_INSTANT, instant),
        before: reader.value("before", "must be what `next` said", |text| Uuid::try_parse(text).ok()),
        job: reader.value("job", "must be the id of a job", |text| Uuid::try_parse(text).ok()),
        cause: reader.value("cause", "must be the id of a change", |text| Uuid::try_parse(text).ok()),
        folds_jobs: reader.value("foldJobs", "must be true or false", |text| text.parse().ok()).unwrap_or_default(),
    };
    let device = reader.text("device").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let limit = |text: &str| text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    let limit = reader.value("limit", "must be a whole number from 1 to 100", limit).unwrap_or(DEFAULT_LIMIT);
    reader.end(AuditQuery { filter, device, limit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_reader::checks::{assert_invalid, assert_text};

    #[test]
    fn omitted_parameters_do_not_filter() {
        let empty = "target=&device=&actor=&operation=&from=&to=&before=&job=&cause=&foldJobs=&limit=";
        for query in ["", empty, "device=++", "foldJobs=false", "other=1"] {
            let expected = AuditQuery { filter: AuditFilter::default(), device: None, limit: 50 };
            assert_eq!(parse(&QueryPairs::read(query)).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn every_parameter_is_parsed() {
        let before = "019aa000-0000-7000-8000-000000000001";
        let query = format!(
            "target=SC-1&actor=+Tech%40Example.com&operation=update_device&from=2026-11-01T00:00:00Z\
             &to=2026-11-02T02:00:00%2B02:00&before={before}&job={before}&cause={before}&foldJobs=true&device=+47&limit=100"
        );
        let filter = AuditFilter {
            target: Some("SC-1".to_owned()),
            record: None,
            devices: None,
            email: Some("tech@example.com".to_owned()),
            operation: Some("update_device"),
            from: Some("2026-11-01T00:00:00Z".parse().unwrap()),
            to: Some("2026-11-02T00:00:00Z".parse().unwrap()),
            before: Some(before.parse().unwrap()),
            job: Some(before.parse().unwrap()),
            cause: Some(before.parse().unwrap()),
            folds_jobs: true,
        };
        let expected = AuditQuery { filter, device: Some("47".to_owned()), limit: 100 };
        assert_eq!(parse(&QueryPairs::read(&query)).unwrap(), expected);
    }

    #[test]
    fn every_invalid_value_is_reported() {
        let rows = [
            ("actor=%0a", "actor"),
            ("operation=list_devices", "operation"),
            ("operation=UPDATE_DEVICE", "operation"),
            ("from=yesterday", "from"),
            ("to=2026-11-20", "to"),
            ("before=7", "before"),
            ("job=7", "job"),
            ("cause=7", "cause"),
            ("job=SC-1", "job"),
            ("foldJobs=1", "foldJobs"),
            ("foldJobs=TRUE", "foldJobs"),
            ("foldJobs=true&foldJobs=true", "foldJobs"),
            ("limit=0", "limit"),
            ("limit=101", "limit"),
            ("limit=-1", "limit"),
        ];
        let parsed = |query: &str| parse(&QueryPairs::read(query));
        for (query, field) in rows {
            assert_invalid(parsed, query, field);
        }
        for name in ["target", "device"] {
            assert_text(parsed, name, 64);
        }
    }
}

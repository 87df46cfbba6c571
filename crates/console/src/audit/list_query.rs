//! The query strings of `GET /api/audit` and of its report.

use jiff::Timestamp;
use utoipa::IntoParams;
use uuid::Uuid;

use super::Operation;
use super::store::AuditFilter;
use crate::http::error::ApiResult;
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;

const MAX_LIMIT: u64 = 100;
const DEFAULT_LIMIT: u64 = 50;
/// The longest e-mail address (RFC 5321).
const MAX_EMAIL: usize = 254;

/// Documents the filters of the list and its report; [`read_search`] parses them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "documents the parameters and is never built as a value")]
pub(crate) struct AuditFilterParams {
    /// Only changes of this device (dsn), user, CSP or job (UUID)
    #[param(max_length = 64)]
    target: Option<String>,
    /// Only changes of devices whose DSN or serial number matches, regardless of case: one or two characters match its beginning,
    /// three or more any part of it. 422 if more than 100 devices match. A removed device is found only by its full DSN
    #[param(max_length = 64)]
    device: Option<String>,
    /// Only changes by the user with this e-mail address, case-insensitively
    #[param(max_length = 254)]
    actor: Option<String>,
    /// Only changes by this operation
    operation: Option<Operation>,
    /// Only changes that began at this time or later
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Only changes that began before this time
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Only changes of this job
    job: Option<Uuid>,
    /// Only changes that follow from the change with this id
    cause: Option<Uuid>,
}

/// The parsed query of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AuditQuery {
    pub(super) search: AuditSearch,
    /// The most changes to return.
    pub(super) limit: u64,
}

/// The filters of the list and its report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AuditSearch {
    pub(super) filter: AuditFilter,
    /// Only changes of devices with this text in DSN or serial number.
    pub(super) device: Option<String>,
}

/// # Errors
/// 422 with a text for each repeated or invalid parameter.
pub(super) fn parse(pairs: &QueryPairs) -> ApiResult<AuditQuery> {
    let mut reader = QueryReader::new(pairs);
    let mut search = read_search(&mut reader);
    search.filter.before = reader.value("before", "must be what `next` said", |text| Uuid::try_parse(text).ok());
    search.filter.folds_jobs =
        reader.value("foldJobs", "must be true or false", |text| text.parse().ok()).unwrap_or_default();
    let limit = |text: &str| text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    let limit = reader.value("limit", "must be a whole number from 1 to 100", limit).unwrap_or(DEFAULT_LIMIT);
    reader.end(AuditQuery { search, limit })
}

/// Reads the filters.
pub(crate) fn read_search(reader: &mut QueryReader<'_>) -> AuditSearch {
    const NO_INSTANT: &str = "must be an instant such as 2026-11-20T12:00:00Z";
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
        before: None,
        job: reader.value("job", "must be the id of a job", |text| Uuid::try_parse(text).ok()),
        cause: reader.value("cause", "must be the id of a change", |text| Uuid::try_parse(text).ok()),
        folds_jobs: false,
    };
    let device = reader.text("device").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    AuditSearch { filter, device }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::query_reader::checks::{assert_invalid, assert_text};

    #[test]
    fn omitted_parameters_do_not_filter() {
        let empty = "target=&device=&actor=&operation=&from=&to=&before=&job=&cause=&foldJobs=&limit=";
        for query in ["", empty, "device=++", "foldJobs=false", "other=1"] {
            let expected = AuditQuery { search: AuditSearch::default(), limit: 50 };
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
        let expected = AuditQuery { search: AuditSearch { filter, device: Some("47".to_owned()) }, limit: 100 };
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

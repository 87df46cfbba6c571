//! The query strings of `GET /api/jobs` and `GET /api/jobs/{id}/targets`.

use uuid::Uuid;

use super::states::TargetState;
use crate::http::error::ApiResult;
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;

const MAX_LIMIT: u64 = 100;
const DEFAULT_LIMIT: u64 = 25;

/// Which jobs to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JobQuery {
    pub(super) is_running: bool,
    pub(super) before: Option<Uuid>,
    pub(super) limit: u64,
}

/// Which targets to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TargetQuery {
    pub(super) state: Option<TargetState>,
    /// The first position.
    pub(super) from: i64,
}

/// # Errors
/// 422 with a text for each parameter that is repeated or invalid.
pub(super) fn parse_jobs(pairs: &QueryPairs) -> ApiResult<JobQuery> {
    let mut reader = QueryReader::new(pairs);
    let limit = |text: &str| text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    let query = JobQuery {
        is_running: reader.value("running", "must be true or false", |text| text.parse().ok()).unwrap_or_default(),
        before: reader.value("before", "must be the id of a job", |text| Uuid::try_parse(text).ok()),
        limit: reader.value("limit", "must be a whole number from 1 to 100", limit).unwrap_or(DEFAULT_LIMIT),
    };
    reader.end(query)
}

/// # Errors
/// 422 with a text for each parameter that is repeated or invalid.
pub(super) fn parse_targets(pairs: &QueryPairs) -> ApiResult<TargetQuery> {
    let mut reader = QueryReader::new(pairs);
    let from = |text: &str| text.parse().ok().filter(|from| *from >= 0);
    let query = TargetQuery {
        state: reader.value("state", "must be waiting, done, failed, left or cancelled", TargetState::from_name),
        from: reader.value("from", "must be a whole number from 0", from).unwrap_or_default(),
    };
    reader.end(query)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::query_reader::checks::assert_invalid;

    #[test]
    fn parameters_are_parsed() {
        let id = "019aa000-0000-7000-8000-000000000001";
        let jobs = |query: &str| parse_jobs(&QueryPairs::read(query)).unwrap();
        let default = JobQuery { is_running: false, before: None, limit: 25 };
        assert_eq!([jobs(""), jobs("running=&before=&limit=&other=1")], [default, default]);
        let all = JobQuery { is_running: true, before: Some(id.parse().unwrap()), limit: 100 };
        assert_eq!(jobs(&format!("running=true&before={id}&limit=100")), all);
        let targets = |query: &str| parse_targets(&QueryPairs::read(query)).unwrap();
        assert_eq!(targets(""), TargetQuery { state: None, from: 0 });
        assert_eq!(targets("state=failed&from=100"), TargetQuery { state: Some(TargetState::Failed), from: 100 });
    }

    #[test]
    fn every_invalid_value_is_reported() {
        let jobs = [
            ("running=yes", "running"),
            ("before=1", "before"),
            ("limit=0", "limit"),
            ("limit=101", "limit"),
            ("limit=1&limit=1", "limit"),
        ];
        let targets = [("state=lost", "state"), ("from=-1", "from"), ("from=1&from=2", "from")];
        for (query, field) in jobs {
            assert_invalid(|query| parse_jobs(&QueryPairs::read(query)), query, field);
        }
        for (query, field) in targets {
            assert_invalid(|query| parse_targets(&QueryPairs::read(query)), query, field);
        }
    }
}

//! The query string of `GET /api/attention`.

use uuid::Uuid;

use super::item_list::{AssigneeFilter, ItemCursor, ItemFilter};
use crate::attention_rules::{AttentionKind, Severity};
use crate::http::error::ApiResult;
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;

const MAX_LIMIT: i64 = 100;
const DEFAULT_LIMIT: i64 = 50;

/// The parsed query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AttentionQuery {
    pub(super) filter: ItemFilter,
    pub(super) after: Option<ItemCursor>,
    pub(super) limit: i64,
}

/// `me` stands for `user`.
///
/// # Errors
/// 422 with a text for each parameter that is repeated or invalid.
pub(super) fn parse(pairs: &QueryPairs, user: Uuid) -> ApiResult<AttentionQuery> {
    let mut reader = QueryReader::new(pairs);
    let assignee = |text: &str| match text {
        "me" => Some(AssigneeFilter::Person(user)),
        "nobody" => Some(AssigneeFilter::Nobody),
        id => Uuid::try_parse(id).ok().map(AssigneeFilter::Person),
    };
    let filter = ItemFilter {
        state: reader
            .value("state", "must be open, new, acknowledged, snoozed or closed", |text| text.parse().ok())
            .unwrap_or_default(),
        kind: reader.value("kind", "is no kind of attention", AttentionKind::from_name),
        severity: reader.value("severity", "must be low, medium or high", Severity::from_name),
        assignee: reader.value("assignee", "must be me, nobody or the id of a person", assignee),
        csp: reader.text_up_to(255, "csp"),
        dsn: reader.text("dsn"),
        search: reader.text("search").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
    };
    let after = reader.value("after", "must be what `next` said", |text| text.parse().ok());
    let limit = |text: &str| text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    let limit = reader.value("limit", "must be a whole number from 1 to 100", limit).unwrap_or(DEFAULT_LIMIT);
    reader.end(AttentionQuery { filter, after, limit })
}

#[cfg(test)]
mod tests {
    use super::super::item_list::ItemState;
    use super::*;
    use crate::http::query_reader::checks::{assert_invalid, assert_text};

    const ME: Uuid = Uuid::from_u128(7);

    fn parsed(query: &str) -> ApiResult<AttentionQuery> {
        parse(&QueryPairs::read(query), ME)
    }

    #[test]
    fn parameters_are_parsed() {
        let default = AttentionQuery { filter: ItemFilter::default(), after: None, limit: 50 };
        for query in ["", "state=&kind=&severity=&assignee=&csp=&dsn=&search=++&after=&limit=", "other=1"] {
            assert_eq!(parsed(query).unwrap(), default, "{query}");
        }
        let id = "019aa000-0000-7000-8000-000000000001";
        let query = format!(
            "state=snoozed&kind=runs_dry&severity=high&assignee={id}&csp=North&dsn=SC-1&search=+Aurora\
             &after=medium.{id}&limit=100"
        );
        let expected = AttentionQuery {
            filter: ItemFilter {
                state: ItemState::Snoozed,
                kind: Some(AttentionKind::RunsDry),
                severity: Some(Severity::High),
                assignee: Some(AssigneeFilter::Person(id.parse().unwrap())),
                csp: Some("North".to_owned()),
                dsn: Some("SC-1".to_owned()),
                search: Some("Aurora".to_owned()),
            },
            after: Some(ItemCursor { severity: Severity::Medium, id: id.parse().unwrap() }),
            limit: 100,
        };
        assert_eq!(parsed(&query).unwrap(), expected);
        assert_eq!(expected.after.unwrap().to_string(), format!("medium.{id}"));
        let assignee = |query: &str| parsed(query).unwrap().filter.assignee;
        assert_eq!(assignee("assignee=me"), Some(AssigneeFilter::Person(ME)));
        assert_eq!(assignee("assignee=nobody"), Some(AssigneeFilter::Nobody));
    }

    #[test]
    fn every_invalid_value_is_reported() {
        let rows = [
            ("state=gone", "state"),
            ("state=OPEN", "state"),
            ("kind=lost", "kind"),
            ("severity=3", "severity"),
            ("assignee=you", "assignee"),
            ("after=1", "after"),
            ("after=high", "after"),
            ("after=top.019aa000-0000-7000-8000-000000000001", "after"),
            ("limit=0", "limit"),
            ("limit=101", "limit"),
            ("limit=1&limit=1", "limit"),
        ];
        for (query, field) in rows {
            assert_invalid(parsed, query, field);
        }
        for (name, max_chars) in [("csp", 255), ("dsn", 64), ("search", 64)] {
            assert_text(parsed, name, max_chars);
        }
    }
}

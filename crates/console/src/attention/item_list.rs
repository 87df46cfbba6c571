//! Reads items for people.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use platform::db::{Db, Dialect, Param, Params, Result};
use platform::run::clock::from_micros;
use serde::Serialize;
use sqlx::AssertSqlSafe;
use sqlx_macros::FromRow;
use strum::EnumString;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::attention_rules::{AttentionKind, Evidence, LikelyCause, Severity};
use crate::index::search_patterns;
use crate::policy::Scope;

/// Which items a list shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, EnumString, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = AttentionState)]
pub(crate) enum ItemState {
    /// All open items that are not snoozed.
    #[default]
    Open,
    /// Open items that nobody has acknowledged or snoozed.
    New,
    Acknowledged,
    Snoozed,
    Closed,
}

/// To whom an item is assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AssigneeFilter {
    Nobody,
    Person(Uuid),
}

/// Conditions, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ItemFilter {
    pub(super) state: ItemState,
    pub(super) kind: Option<AttentionKind>,
    pub(super) severity: Option<Severity>,
    pub(super) assignee: Option<AssigneeFilter>,
    /// Ignored for actors of a CSP, who see only their own.
    pub(super) csp: Option<String>,
    pub(super) dsn: Option<String>,
    /// Words, as in the search of devices.
    pub(super) search: Option<String>,
}

/// The position after an item, in the order of lists: the most urgent first, and of these the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemCursor {
    pub(super) severity: Severity,
    pub(super) id: Uuid,
}

impl fmt::Display for ItemCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", <&str>::from(self.severity), self.id)
    }
}

impl FromStr for ItemCursor {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let (severity, id) = text.split_once('.').ok_or(())?;
        Ok(Self { severity: Severity::from_name(severity).ok_or(())?, id: Uuid::try_parse(id).map_err(drop)? })
    }
}

/// A person as items name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ItemPerson {
    pub(super) id: Uuid,
    /// Unknown for people who are no longer in the index.
    pub(super) name: Option<String>,
    pub(super) csp: Option<String>,
}

/// An item with what its device says in the index, unless the device has moved to another CSP.
#[derive(Clone, Debug)]
pub(super) struct ListedItem {
    pub(super) id: Uuid,
    pub(super) kind: AttentionKind,
    pub(super) severity: Severity,
    pub(super) dsn: Option<String>,
    pub(super) csp: Option<String>,
    pub(super) customer: Option<String>,
    pub(super) service_area: Option<String>,
    pub(super) city: Option<String>,
    pub(super) time_zone: Option<String>,
    pub(super) since: Timestamp,
    pub(super) opened_at: Timestamp,
    pub(super) closed_at: Option<Timestamp>,
    pub(super) occurrences: i64,
    pub(super) cause: Option<LikelyCause>,
    pub(super) evidence: Evidence,
    /// The past use of the device is still being read, so the date on which it runs dry may change.
    pub(super) is_provisional: bool,
    pub(super) acknowledged_at: Option<Timestamp>,
    pub(super) acknowledged_by: Option<ItemPerson>,
    pub(super) assignee: Option<ItemPerson>,
    pub(super) snoozed_until: Option<Timestamp>,
    pub(super) comments: i64,
}

#[derive(FromRow)]
struct ListedRow {
    id: String,
    kind: String,
    severity: i64,
    dsn: String,
    item_csp: Option<String>,
    customer: Option<String>,
    service_area: Option<String>,
    city: Option<String>,
    time_zone: Option<String>,
    since: i64,
    opened_at: i64,
    closed_at: Option<i64>,
    occurrences: i64,
    cause: String,
    evidence: String,
    has_history: Option<bool>,
    acknowledged_at: Option<i64>,
    acknowledged_by: Option<String>,
    by_firstname: Option<String>,
    by_lastname: Option<String>,
    by_csp: Option<String>,
    assignee: Option<String>,
    assignee_firstname: Option<String>,
    assignee_lastname: Option<String>,
    assignee_csp: Option<String>,
    snoozed_until: Option<i64>,
    comments: i64,
}

impl ListedRow {
    /// `None` for a kind of a later version.
    fn into_item(self) -> Option<ListedItem> {
        let known = |text: Option<String>| text.filter(|text| !text.is_empty());
        let evidence: Evidence = serde_json::from_str(&self.evidence).unwrap_or_default();
        let is_provisional =
            self.closed_at.is_none() && self.has_history == Some(false) && evidence.runs_dry_at.is_some();
        Some(ListedItem {
            id: self.id.parse().ok()?,
            kind: AttentionKind::from_name(&self.kind)?,
            severity: Severity::from_rank(self.severity)?,
            dsn: known(Some(self.dsn)),
            csp: known(self.item_csp),
            customer: known(self.customer),
            service_area: known(self.service_area),
            city: known(self.city),
            time_zone: known(self.time_zone),
            since: from_micros(self.since),
            opened_at: from_micros(self.opened_at),
            closed_at: self.closed_at.map(from_micros),
            occurrences: self.occurrences,
            cause: self.cause.parse().ok(),
            evidence,
            is_provisional,
            acknowledged_at: self.acknowledged_at.map(from_micros),
            acknowledged_by: person(self.acknowledged_by, self.by_firstname, self.by_lastname, self.by_csp),
            assignee: person(self.assignee, self.assignee_firstname, self.assignee_lastname, self.assignee_csp),
            snoozed_until: self.snoozed_until.map(from_micros),
            comments: self.comments,
        })
    }
}

/// `id` with the name of the index, if the person is there.
pub(super) fn person(
    id: Option<String>,
    firstname: Option<String>,
    lastname: Option<String>,
    csp: Option<String>,
) -> Option<ItemPerson> {
    let name = firstname.zip(lastname).map(|(first, last)| format!("{first} {last}").trim().to_owned());
    Some(ItemPerson {
        id: id?.parse().ok()?,
        name: name.filter(|name| !name.is_empty()),
        csp: csp.filter(|csp| !csp.is_empty()),
    })
}

/// Conditions with their values, in the order of the statement.
struct Conditions {
    dialect: Dialect,
    sql: String,
    params: Params,
    count: usize,
}

impl Conditions {
    /// Adds a condition without values.
    fn add(&mut self, condition: &str) {
        self.sql.push_str(if self.sql.is_empty() { " where " } else { " and " });
        self.sql.push_str(condition);
    }

    /// The placeholder of a further value.
    fn value(&mut self, value: impl Param) -> String {
        self.count += 1;
        self.params = std::mem::take(&mut self.params).with(value);
        self.dialect.placeholder(self.count)
    }

    /// The items of this CSP, or all.
    fn of(dialect: Dialect, csp: Option<&str>) -> Self {
        let mut conditions = Self { dialect, sql: String::new(), params: Params::default(), count: 0 };
        if let Some(csp) = csp {
            let csp = conditions.value(csp);
            conditions.add(&format!("i.csp = {csp}"));
        }
        conditions
    }

    fn state(&mut self, state: ItemState, now: Timestamp) {
        match state {
            ItemState::Closed => return self.add("i.closed_at is not null"),
            ItemState::Snoozed => {
                let now = self.value(now);
                return self.add(&format!("i.closed_at is null and i.snoozed_until > {now}"));
            }
            ItemState::New => self.add("i.acknowledged_at is null"),
            ItemState::Acknowledged => self.add("i.acknowledged_at is not null"),
            ItemState::Open => {}
        }
        let now = self.value(now);
        self.add(&format!("i.closed_at is null and (i.snoozed_until is null or i.snoozed_until <= {now})"));
    }

    fn filter(&mut self, filter: &ItemFilter, now: Timestamp) {
        self.state(filter.state, now);
        if let Some(kind) = filter.kind {
            let kind = self.value(kind.name());
            self.add(&format!("i.kind = {kind}"));
        }
        if let Some(severity) = filter.severity {
            let rank = self.value(severity.rank());
            self.add(&format!("i.severity = {rank}"));
        }
        match filter.assignee {
            Some(AssigneeFilter::Nobody) => self.add("i.assignee is null"),
            Some(AssigneeFilter::Person(id)) => {
                let id = self.value(id);
                self.add(&format!("i.assignee = {id}"));
            }
            None => {}
        }
        if let Some(dsn) = &filter.dsn {
            let dsn = self.value(dsn);
            self.add(&format!("i.dsn = {dsn}"));
        }
        for pattern in filter.search.iter().flat_map(|search| search_patterns(search)) {
            let pattern = self.value(pattern);
            self.add(&format!("d.search_folded LIKE {pattern} ESCAPE '\\'"));
        }
    }
}

/// The only CSP of the scope, and of `csp` within it; `Some(None)` for all CSPs, `None` for nothing.
fn csp_of<'a>(scope: Scope<'a>, csp: Option<&'a str>) -> Option<Option<&'a str>> {
    match scope {
        Scope::Everything => Some(csp),
        Scope::Csp(own) => Some(Some(own)),
        Scope::Nothing => None,
    }
}

/// A device that has moved since says nothing about the item any more.
const SELECT: &str = "select i.id, i.kind, i.severity, i.dsn, i.csp as item_csp, \
     d.customer, d.service_area, d.city, d.time_zone, i.since, i.opened_at, i.closed_at, i.occurrences, i.cause, i.evidence, s.has_history, \
     i.acknowledged_at, i.acknowledged_by, b.firstname as by_firstname, b.lastname as by_lastname, b.csp as by_csp, \
     i.assignee, a.firstname as assignee_firstname, a.lastname as assignee_lastname, a.csp as assignee_csp, \
     i.snoozed_until, (select count(*) from attention_comments c where c.item_id = i.id) as comments \
     from attention_items i left join idx_devices d on d.dsn = i.dsn and d.csp = i.csp \
     left join idx_device_state s on s.dsn = d.dsn \
     left join idx_users a on a.id = i.assignee left join idx_users b on b.id = i.acknowledged_by";

/// The items of the scope, after `after`.
pub(super) async fn page(
    db: &Db,
    scope: Scope<'_>,
    filter: &ItemFilter,
    after: Option<ItemCursor>,
    limit: i64,
    now: Timestamp,
) -> Result<Vec<ListedItem>> {
    let Some(csp) = csp_of(scope, filter.csp.as_deref()) else { return Ok(Vec::new()) };
    let mut conditions = Conditions::of(db.dialect(), csp);
    conditions.filter(filter, now);
    if let Some(ItemCursor { severity, id }) = after {
        let rank = severity.rank();
        let (below, equal, id) = (conditions.value(rank), conditions.value(rank), conditions.value(id));
        conditions.add(&format!("(i.severity < {below} OR (i.severity = {equal} AND i.id < {id}))"));
    }
    let limit = conditions.value(limit);
    let sql = format!("{SELECT}{} order by i.severity desc, i.id desc limit {limit}", conditions.sql);
    let rows: Vec<ListedRow> = db.fetch_all(AssertSqlSafe(sql), conditions.params).await?;
    Ok(rows.into_iter().filter_map(ListedRow::into_item).collect())
}

/// Those of these items that are in the scope.
pub(super) async fn find(db: &Db, scope: Scope<'_>, ids: &[Uuid]) -> Result<Vec<ListedItem>> {
    let Some(csp) = csp_of(scope, None).filter(|_| !ids.is_empty()) else { return Ok(Vec::new()) };
    let mut conditions = Conditions::of(db.dialect(), csp);
    let list: Vec<String> = ids.iter().map(|id| conditions.value(*id)).collect();
    conditions.add(&format!("i.id IN ({})", list.join(", ")));
    let sql = format!("{SELECT}{}", conditions.sql);
    let rows: Vec<ListedRow> = db.fetch_all(AssertSqlSafe(sql), conditions.params).await?;
    Ok(rows.into_iter().filter_map(ListedRow::into_item).collect())
}

/// The number of new items of the scope, and how many of them are urgent.
pub(super) async fn count(db: &Db, scope: Scope<'_>, now: Timestamp) -> Result<(i64, i64)> {
    let Some(csp) = csp_of(scope, None) else { return Ok((0, 0)) };
    let mut conditions = Conditions::of(db.dialect(), csp);
    conditions.state(ItemState::New, now);
    let sql = format!(
        "select count(*), count(case when i.severity = {} then 1 end) from attention_items i{}",
        Severity::High.rank(),
        conditions.sql
    );
    db.fetch_one(AssertSqlSafe(sql), conditions.params).await
}

/// The number of items of the scope in this state that are assigned to a person.
pub(super) async fn count_assigned(
    db: &Db,
    scope: Scope<'_>,
    person: Uuid,
    state: ItemState,
    now: Timestamp,
) -> Result<i64> {
    let Some(csp) = csp_of(scope, None) else { return Ok(0) };
    let mut conditions = Conditions::of(db.dialect(), csp);
    conditions.state(state, now);
    let person = conditions.value(person);
    conditions.add(&format!("i.assignee = {person}"));
    let sql = format!("select count(*) from attention_items i{}", conditions.sql);
    let (count,): (i64,) = db.fetch_one(AssertSqlSafe(sql), conditions.params).await?;
    Ok(count)
}

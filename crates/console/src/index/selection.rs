//! Builds the statements of a list: conditions, counts and pages.
//!
//! Tables are joined by CROSS JOIN with a condition: SQLite reads them in the order in which they are named, so the
//! statement fixes the join order. PostgreSQL uses its statistics.

use jiff::Timestamp;
use platform::db::Dialect;
use platform::run::clock::to_micros;
use sea_query::{
    Asterisk, ColumnRef, CommonTableExpression, Condition, Expr, ExprTrait, IntoColumnRef, Order, Query,
    SelectStatement,
};

use super::columns::IdxDevices;
use super::cursor::Cursor;
use super::filter::{ChoiceFilter, DeviceFilter, Near, OfflineFor, TextFilter};
use super::query_plan::QueryPlan;
use super::schema::{Alias, IdxDeviceState, IdxDevicesText};
use super::scope::{Table, VisibleRows};
use super::sort::{SortKey, squared_distance};
use super::text;
use super::value_counts::ColumnValues;
use crate::records::DeviceStatus;
use crate::records::chord_metres;

/// No limit. The explicit LIMIT keeps the order of a subquery on both databases when it is joined.
const ALL: u64 = i64::MAX.unsigned_abs();

/// Values of `runs_dry_rising` of the devices that are in lists by need, whatever the date, in the groups
/// [`NoContact`](crate::records::SupplyGroup) and [`Low`](crate::records::SupplyGroup).
const WITHOUT_DATE: i64 = 1_000_000_000_000_000_000;
const LAST_WITHOUT_DATE: i64 = i64::MAX - 1;

/// The rows that match a filter within a scope.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    visible: VisibleRows<'a>,
    model: Option<&'a str>,
    status: Option<DeviceStatus>,
    choices: Vec<ChoiceFilter>,
    max_remaining: Option<u8>,
    offline_for: Option<OfflineFor>,
    runs_dry_before: Option<Timestamp>,
    texts: Vec<TextFilter>,
    near: Option<&'a Near>,
    dialect: Dialect,
}

/// Where a statement that finds all matches begins. PostgreSQL treats `Texts` and `State` alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The devices with these values, which are those that match the only text filter.
    Values(ColumnValues),
    /// The devices that match the text and place filters.
    Texts,
    /// The devices that match CSP and state filters.
    State,
}

/// A range of the ordered list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) key: SortKey,
    pub(super) descending: bool,
    pub(super) limit: u64,
    pub(super) offset: u64,
}

impl<'a> Selection<'a> {
    pub(super) fn new(visible: VisibleRows<'a>, filter: &'a DeviceFilter, dialect: Dialect) -> Self {
        Self {
            visible: visible.without(filter.exclude_dsn.as_deref()),
            model: filter.model(),
            status: filter.status(),
            choices: filter.choice_filters(),
            max_remaining: filter.max_remaining,
            offline_for: filter.offline_for,
            runs_dry_before: filter.runs_dry_before(),
            texts: filter.text_filters(),
            near: filter.near.as_ref(),
            dialect,
        }
    }

    /// Whether all visible rows match.
    pub(super) fn is_unfiltered(&self) -> bool {
        !self.has_state() && !self.has_texts()
    }

    /// Whether the stored counts do not suffice.
    pub(super) fn must_count(&self) -> bool {
        self.has_texts() || self.has_uncounted_state()
    }

    /// Whether the filter needs [`IdxDevices`].
    pub(super) fn has_texts(&self) -> bool {
        !self.texts.is_empty() || self.near.is_some()
    }

    /// Whether the filter needs [`IdxDeviceState`].
    fn has_state(&self) -> bool {
        self.model.is_some() || self.status.is_some() || self.has_uncounted_state()
    }

    /// Whether there is a condition on [`IdxDeviceState`] that the stored counts do not distinguish.
    fn has_uncounted_state(&self) -> bool {
        !self.choices.is_empty()
            || self.max_remaining.is_some()
            || self.offline_for.is_some()
            || self.runs_dry_before.is_some()
    }

    /// The visible rows. Counts by value include an excluded device.
    pub(super) fn visible(&self) -> VisibleRows<'a> {
        self.visible
    }

    pub(super) fn model(&self) -> Option<&'a str> {
        self.model
    }

    pub(super) fn status(&self) -> Option<DeviceStatus> {
        self.status
    }

    /// The text filters, if the filter has no place.
    pub(super) fn only_texts(&self) -> &[TextFilter] {
        if self.near.is_some() { &[] } else { &self.texts }
    }

    /// Whether, besides the status, only text filters decide which rows of the scope match.
    pub(super) fn needs_only_text(&self) -> bool {
        self.near.is_none() && self.model.is_none() && !self.has_uncounted_state() && !self.visible.excludes()
    }

    /// Selects model and status of the excluded device; `None` if no device is excluded.
    pub(super) fn excluded_kind(&self) -> Option<SelectStatement> {
        let column = |column| Expr::col((IdxDeviceState::Table, column));
        let mut statement = self.visible.excluded_row(Table::State)?;
        statement.expr(column(IdxDeviceState::SystemConfiguration)).expr(column(IdxDeviceState::ConnectionStatus));
        Some(statement)
    }

    /// Counts matching rows by status.
    pub(super) fn count_by_status(&self, start: &Start) -> SelectStatement {
        let status = (IdxDeviceState::Table, IdxDeviceState::ConnectionStatus);
        let mut statement = self.matching(start, Some(Table::State));
        statement.expr(Expr::col(status)).expr(Expr::col(Asterisk).count()).group_by_col(status);
        statement
    }

    /// Counts rows with these texts up to `limit`, in any scope and state, to choose the first table. `None` if the
    /// database chooses it.
    pub(super) fn text_candidates(&self, limit: u64) -> Option<SelectStatement> {
        if self.dialect != Dialect::Sqlite || !self.has_texts() {
            return None;
        }
        let mut some = match self.full_text() {
            Some(query) => Query::select().from(IdxDevicesText::Table).and_where(full_text(query)).take(),
            None => self.text_matches(),
        };
        some.expr(Expr::val(1)).limit(limit);
        Some(Query::select().expr(Expr::col(Asterisk).count()).from_subquery(some, Alias::Candidates).take())
    }

    /// Whether [`text_candidates`](Self::text_candidates) counts exactly the matches.
    pub(super) fn counts_only_texts(&self) -> bool {
        self.visible.is_everything()
            && !self.has_state()
            && self.near.is_none()
            && self.texts.iter().all(TextFilter::is_full_text)
    }

    /// Counts matching rows.
    pub(super) fn count(&self, start: &Start) -> SelectStatement {
        self.matching(start, None).expr(Expr::col(Asterisk).count()).take()
    }

    /// Selects the dsns of a slice of all visible rows, directly from the order's database index.
    pub(super) fn unfiltered_page(&self, slice: Slice) -> SelectStatement {
        let mut rows = self.visible.from(slice.key.table());
        rows.expr(Expr::col(slice.key.dsn()));
        slice.sort_and_limit(&mut rows, slice.key.value(), slice.key.dsn());
        rows
    }

    /// Selects the dsns of a slice of the matching rows. A limited scan may find fewer.
    pub(super) fn page(&self, slice: Slice, plan: QueryPlan, start: &Start) -> SelectStatement {
        let sort_key = Expr::col((Alias::Candidates, Alias::SortKey));
        let dsn = (Alias::Candidates, Alias::Dsn).into_column_ref();
        let mut rows = match plan {
            QueryPlan::Scan(length) => self.scanned(slice, length, None),
            QueryPlan::Collect => {
                let mut matching = self.matching(start, Some(slice.key.table()));
                select_keys(&mut matching, slice.key);
                // Materialised; otherwise PostgreSQL might turn it into a scan.
                let mut collected = CommonTableExpression::new();
                collected.table_name(Alias::Candidates).query(matching).materialized(true);
                Query::select().from(Alias::Candidates).with_cte(collected).take()
            }
        };
        rows.expr(Expr::col(dsn.clone()));
        slice.sort_and_limit(&mut rows, sort_key, dsn);
        rows
    }

    /// Selects the dsns of the first matching rows, or of those after a cursor.
    pub(super) fn page_after(&self, slice: Slice, cursor: Option<&Cursor>) -> SelectStatement {
        let mut rows = self.scanned(slice, ALL, cursor);
        let dsn = (Alias::Candidates, Alias::Dsn).into_column_ref();
        rows.expr(Expr::col(dsn.clone()));
        slice.sort_and_limit(&mut rows, Expr::col((Alias::Candidates, Alias::SortKey)), dsn);
        rows
    }

    /// Selects the matches among `length` rows in list order, from the start or after a cursor.
    fn scanned(&self, slice: Slice, length: u64, cursor: Option<&Cursor>) -> SelectStatement {
        let after = cursor.map(|cursor| cursor.after_value(slice.key.value(), slice.key.dsn(), slice.descending));
        let mut scanned = self.visible.from(slice.key.table());
        scanned.and_where_option(after);
        // No database index orders by distance: the nearby rows are sorted.
        if matches!(slice.key, SortKey::Distance(_)) {
            scanned.cond_where(self.near_condition());
        }
        select_keys(&mut scanned, slice.key);
        Slice { limit: length, offset: 0, ..slice }.sort_and_limit(&mut scanned, slice.key.value(), slice.key.dsn());
        let dsn = (Alias::Candidates, Alias::Dsn).into_column_ref();
        let mut rows = Query::select().from_subquery(scanned, Alias::Candidates).take();
        if self.has_texts() {
            self.join_devices(&mut rows, dsn.clone());
        }
        if self.has_state() {
            self.join_state(&mut rows, dsn);
        }
        rows
    }

    /// Selects the matching rows from the tables that the filter needs, joined with `also`.
    fn matching(&self, start: &Start, also: Option<Table>) -> SelectStatement {
        let with_devices = self.has_texts() || also == Some(Table::Devices);
        let with_state = self.has_state() || also == Some(Table::State);
        if *start == Start::State && self.has_state() {
            let mut rows = self.visible.from(Table::State);
            rows.cond_where(self.state_conditions());
            if with_devices {
                self.join_devices(&mut rows, state_dsn());
            }
            return rows;
        }
        let mut rows = match start {
            Start::Values(values) => self.visible.from(Table::Devices).and_where(values.condition()).take(),
            Start::Texts => self.text_matches(),
            Start::State => self.scanned_text_matches(),
        };
        if with_state {
            self.join_state(&mut rows, device_dsn());
        }
        rows
    }

    /// Selects the visible devices with these texts.
    fn text_matches(&self) -> SelectStatement {
        let Some(query) = self.full_text() else {
            return self.scanned_text_matches();
        };
        let id = Expr::col((IdxDevices::Table, IdxDevices::Id));
        let mut rows = Query::select()
            .from(IdxDevicesText::Table)
            .cross_join(IdxDevices::Table)
            .and_where(full_text(query))
            .and_where(id.equals((IdxDevicesText::Table, IdxDevicesText::Rowid)))
            .cond_where(all(&self.texts, |text| !text.is_full_text()))
            .take();
        self.visible.bind(&mut rows, Table::Devices);
        rows
    }

    /// The same by scanning all visible devices. For a single text the database can use the column's index.
    fn scanned_text_matches(&self) -> SelectStatement {
        let mut rows = self.visible.from(Table::Devices);
        rows.cond_where(self.device_conditions());
        rows
    }

    /// SQLite's full-text query. Place filters use their own database index.
    fn full_text(&self) -> Option<String> {
        if self.dialect != Dialect::Sqlite || self.near.is_some() {
            return None;
        }
        text::full_text(&self.texts)
    }

    fn join_devices(&self, rows: &mut SelectStatement, dsn: ColumnRef) {
        rows.cross_join(IdxDevices::Table)
            .and_where(Expr::col(device_dsn()).equals(dsn))
            .cond_where(self.device_conditions());
    }

    fn join_state(&self, rows: &mut SelectStatement, dsn: ColumnRef) {
        rows.cross_join(IdxDeviceState::Table)
            .and_where(Expr::col(state_dsn()).equals(dsn))
            .cond_where(self.state_conditions());
    }

    /// Conditions on [`IdxDevices`].
    fn device_conditions(&self) -> Condition {
        all(&self.texts, |_| true).add(self.near_condition())
    }

    /// A bounding box, which the database index serves, and the exact distance within it.
    fn near_condition(&self) -> Condition {
        let Some(Near { centre, kilometres, .. }) = self.near else { return Condition::all() };
        let most = chord_metres(*kilometres);
        let side = |column, centre: i64| Expr::col((IdxDevices::Table, column)).between(centre - most, centre + most);
        Condition::all()
            .add(side(IdxDevices::Z, centre.z))
            .add(side(IdxDevices::X, centre.x))
            .add(side(IdxDevices::Y, centre.y))
            .add(squared_distance(*centre).lte(most * most))
    }

    /// Conditions on [`IdxDeviceState`].
    fn state_conditions(&self) -> Condition {
        let column = |column| Expr::col((IdxDeviceState::Table, column));
        let remaining = self.max_remaining.map(|most| column(IdxDeviceState::RemainingRising).lte(i64::from(most)));
        let offline = self.offline_for.map(|offline| {
            let is_offline = column(IdxDeviceState::ConnectionStatus).eq(DeviceStatus::Offline.name());
            is_offline.and(column(IdxDeviceState::ConnectionChangedAt).lt(to_micros(offline.before)))
        });
        let runs_dry = self.runs_dry_before.map(|time| {
            let key = || column(IdxDeviceState::RunsDryRising);
            key().lt(to_micros(time)).or(key().between(WITHOUT_DATE, LAST_WITHOUT_DATE))
        });
        let choices = self.choices.iter().map(|filter| match filter.choice.code {
            Some(code) => column(filter.column).eq(code),
            None => column(filter.column).eq(filter.choice.name),
        });
        let counted = self.model_and_status().add_option(remaining).add_option(offline).add_option(runs_dry);
        choices.fold(counted, Condition::add)
    }

    /// The conditions that the stored counts distinguish.
    fn model_and_status(&self) -> Condition {
        let column = |column| Expr::col((IdxDeviceState::Table, column));
        let model = self.model.map(|model| column(IdxDeviceState::SystemConfiguration).eq(model));
        let status = self.status.map(|status| column(IdxDeviceState::ConnectionStatus).eq(status.name()));
        Condition::all().add_option(model).add_option(status)
    }
}

impl Slice {
    fn sort_and_limit(self, rows: &mut SelectStatement, sort_key: Expr, dsn: ColumnRef) {
        let direction = if self.descending { Order::Desc } else { Order::Asc };
        rows.order_by_expr(sort_key, direction.clone()).order_by(dsn, direction).limit(self.limit).offset(self.offset);
    }
}

fn select_keys(rows: &mut SelectStatement, key: SortKey) {
    rows.expr_as(Expr::col(key.dsn()), Alias::Dsn).expr_as(key.value(), Alias::SortKey);
}

fn all(texts: &[TextFilter], which: impl Fn(&TextFilter) -> bool) -> Condition {
    texts.iter().filter(|text| which(text)).map(text::condition).fold(Condition::all(), Condition::add)
}

fn full_text(query: String) -> Expr {
    Expr::cust_with_values("idx_devices_text MATCH ?", [query])
}

fn device_dsn() -> ColumnRef {
    (IdxDevices::Table, IdxDevices::Dsn).into_column_ref()
}

fn state_dsn() -> ColumnRef {
    (IdxDeviceState::Table, IdxDeviceState::Dsn).into_column_ref()
}

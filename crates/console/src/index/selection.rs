//! The statements of a list: which rows match, how many they are, and one page of them in order.
//!
//! Tables are joined by CROSS JOIN and a condition: SQLite then reads them in the order in which they are named, so that each
//! statement says itself where it begins. PostgreSQL goes by its statistics.

use platform::clock::to_micros;
use platform::db::Dialect;
use sea_query::{
    Asterisk, ColumnRef, CommonTableExpression, Condition, Expr, ExprTrait, Func, IntoColumnRef, Order, Query,
    SelectStatement,
};

use super::cursor::Cursor;
use super::filter::{DeviceFilter, Near, OfflineFor, TextFilter, TextMatch};
use super::query_plan::QueryPlan;
use super::schema::{Alias, IdxDeviceCounts, IdxDeviceState, IdxDevices, IdxDevicesText};
use super::scope::{Table, VisibleRows};
use super::sort::{SortKey, squared_distance};
use super::text;
use crate::devices::position::chord_metres;
use crate::devices::record::DeviceStatus;

/// A walk of this length ends with the table. With a length it keeps its order on both databases, whatever is joined to it.
const ALL: u64 = i64::MAX.unsigned_abs();

/// The rows that a list is about.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    visible: VisibleRows<'a>,
    model: Option<&'a str>,
    status: Option<DeviceStatus>,
    max_remaining: Option<u8>,
    offline_for: Option<OfflineFor>,
    texts: Vec<TextFilter>,
    near: Option<&'a Near>,
    dialect: Dialect,
}

/// With what a statement begins that finds all matches. On PostgreSQL it makes no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The devices with these texts, or near a place.
    Texts,
    /// The devices of this CSP and in this state.
    State,
}

/// A piece of the ordered list.
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
            model: filter.model.as_deref(),
            status: filter.status,
            max_remaining: filter.max_remaining,
            offline_for: filter.offline_for,
            texts: filter.texts(),
            near: filter.near.as_ref(),
            dialect,
        }
    }

    /// Whether every visible row matches.
    pub(super) fn is_unfiltered(&self) -> bool {
        !self.has_state() && !self.has_texts()
    }

    /// Whether the totals that are kept are not enough.
    pub(super) fn must_count(&self) -> bool {
        self.has_texts() || self.max_remaining.is_some() || self.offline_for.is_some()
    }

    /// Whether it takes the wide table to know what matches.
    pub(super) fn has_texts(&self) -> bool {
        !self.texts.is_empty() || self.near.is_some()
    }

    /// Whether it takes the narrow one.
    fn has_state(&self) -> bool {
        self.model.is_some() || self.status.is_some() || self.max_remaining.is_some() || self.offline_for.is_some()
    }

    /// How many rows are visible, and how many of them are of this model and status.
    pub(super) fn stored_counts(&self) -> SelectStatement {
        let column = |column| Expr::col((IdxDeviceCounts::Table, column));
        let model = self.model.map(|model| column(IdxDeviceCounts::SystemConfiguration).eq(model));
        let status = self.status.map(|status| column(IdxDeviceCounts::ConnectionStatus).eq(status.name()));
        let counted = Condition::all().add_option(model).add_option(status).add(Expr::val(1).eq(1));
        let sum = |n: Expr| Func::coalesce([Func::sum(n).into(), Expr::val(0)]).cast_as("BIGINT");
        let n = column(IdxDeviceCounts::N);
        self.visible.from(Table::Counts).expr(sum(n.clone())).expr(sum(Expr::case(counted, n).finally(0).into())).take()
    }

    /// The same of the device that is left out; `None` when none is.
    pub(super) fn excluded_count(&self) -> Option<SelectStatement> {
        let counted = self.model_and_status().add(Expr::val(1).eq(1));
        let sum = Func::coalesce([Func::sum(Expr::case(counted, 1).finally(0)).into(), Expr::val(0)]);
        let mut statement = self.visible.excluded_row(Table::State)?;
        Some(statement.expr(Expr::col(Asterisk).count()).expr(sum.cast_as("BIGINT")).take())
    }

    /// How many rows of this model there are with each status.
    pub(super) fn stored_counts_by_status(&self) -> SelectStatement {
        let column = |column| Expr::col((IdxDeviceCounts::Table, column));
        let model = self.model.map(|model| column(IdxDeviceCounts::SystemConfiguration).eq(model));
        let mut statement = self.visible.from(Table::Counts);
        statement
            .cond_where(Condition::all().add_option(model))
            .expr(column(IdxDeviceCounts::ConnectionStatus))
            .expr(Expr::from(Func::sum(column(IdxDeviceCounts::N))).cast_as("BIGINT"))
            .group_by_col((IdxDeviceCounts::Table, IdxDeviceCounts::ConnectionStatus));
        statement
    }

    /// The status of the device that is left out, if it is of this model; `None` when none is.
    pub(super) fn excluded_status(&self) -> Option<SelectStatement> {
        let mut statement = self.visible.excluded_row(Table::State)?;
        statement
            .cond_where(self.model_and_status())
            .expr(Expr::col((IdxDeviceState::Table, IdxDeviceState::ConnectionStatus)));
        Some(statement)
    }

    /// How many rows match with each status.
    pub(super) fn count_by_status(&self, start: Start) -> SelectStatement {
        let status = (IdxDeviceState::Table, IdxDeviceState::ConnectionStatus);
        let mut statement = self.matching(start, Some(Table::State));
        statement.expr(Expr::col(status)).expr(Expr::col(Asterisk).count()).group_by_col(status);
        statement
    }

    /// How many rows have the texts, up to `limit`, whether or not they are visible and of this kind; to decide where to
    /// start. `None` where that is not ours to decide.
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

    /// Whether what [`text_candidates`](Self::text_candidates) counts is what matches.
    pub(super) fn counts_only_texts(&self) -> bool {
        self.visible.is_everything()
            && !self.has_state()
            && self.near.is_none()
            && self.texts.iter().all(|text| matches!(text.text_match, TextMatch::Contains(_)))
    }

    /// How many rows match.
    pub(super) fn count(&self, start: Start) -> SelectStatement {
        self.matching(start, None).expr(Expr::col(Asterisk).count()).take()
    }

    /// The serial numbers of a slice of all visible rows, straight from the index of its order.
    pub(super) fn unfiltered_page(&self, slice: Slice) -> SelectStatement {
        let mut rows = self.visible.from(slice.key.table());
        rows.expr(Expr::col(slice.key.dsn()));
        slice.cut(&mut rows, slice.key.value(), slice.key.dsn());
        rows
    }

    /// The serial numbers of a slice of the matching rows. A walk may not come so far.
    pub(super) fn page(&self, slice: Slice, plan: QueryPlan, start: Start) -> SelectStatement {
        let sort_key = Expr::col((Alias::Candidates, Alias::SortKey));
        let dsn = (Alias::Candidates, Alias::Dsn).into_column_ref();
        let mut rows = match plan {
            QueryPlan::Scan(length) => self.scanned(slice, length, None),
            QueryPlan::Collect => {
                let mut matching = self.matching(start, Some(slice.key.table()));
                keyed(&mut matching, slice.key);
                // Materialised, or PostgreSQL might take it for a walk after all.
                let mut collected = CommonTableExpression::new();
                collected.table_name(Alias::Candidates).query(matching).materialized(true);
                Query::select().from(Alias::Candidates).with_cte(collected).take()
            }
        };
        rows.expr(Expr::col(dsn.clone()));
        slice.cut(&mut rows, sort_key, dsn);
        rows
    }

    /// The serial numbers of the first matching rows of the slice's order, or of those behind a place in it.
    pub(super) fn page_after(&self, slice: Slice, cursor: Option<&Cursor>) -> SelectStatement {
        let mut rows = self.scanned(slice, ALL, cursor);
        let dsn = (Alias::Candidates, Alias::Dsn).into_column_ref();
        rows.expr(Expr::col(dsn.clone()));
        slice.cut(&mut rows, Expr::col((Alias::Candidates, Alias::SortKey)), dsn);
        rows
    }

    /// The matching ones among so many rows in the order of the slice, from its beginning or from behind a place.
    fn scanned(&self, slice: Slice, length: u64, cursor: Option<&Cursor>) -> SelectStatement {
        let after = cursor.map(|cursor| cursor.after_value(slice.key.value(), slice.key.dsn(), slice.descending));
        let mut scanned = self.visible.from(slice.key.table());
        scanned.and_where_option(after);
        // No index has distances in order: of a few they are sorted.
        if matches!(slice.key, SortKey::Distance(_)) {
            scanned.cond_where(self.near_condition());
        }
        keyed(&mut scanned, slice.key);
        Slice { limit: length, offset: 0, ..slice }.cut(&mut scanned, slice.key.value(), slice.key.dsn());
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

    /// The matching rows of the tables that it takes to find them, and of `also`.
    fn matching(&self, start: Start, also: Option<Table>) -> SelectStatement {
        let with_devices = self.has_texts() || also == Some(Table::Devices);
        let with_state = self.has_state() || also == Some(Table::State);
        if start == Start::State && self.has_state() {
            let mut rows = self.visible.from(Table::State);
            rows.cond_where(self.state_conditions());
            if with_devices {
                self.join_devices(&mut rows, state_dsn());
            }
            return rows;
        }
        let mut rows = match start {
            Start::Texts => self.text_matches(),
            Start::State => self.scanned_text_matches(),
        };
        if with_state {
            self.join_state(&mut rows, device_dsn());
        }
        rows
    }

    /// The visible devices with these texts.
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
            .cond_where(all(&self.texts, |text_match| !matches!(text_match, TextMatch::Contains(_))))
            .take();
        self.visible.bind(&mut rows, Table::Devices);
        rows
    }

    /// The same, looked for among all that are visible. One text alone is looked for in the index of its order.
    fn scanned_text_matches(&self) -> SelectStatement {
        let mut rows = self.visible.from(Table::Devices);
        rows.cond_where(self.device_conditions());
        rows
    }

    /// SQLite's query for the texts. What is near is found by its own index.
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

    /// Of the wide table.
    fn device_conditions(&self) -> Condition {
        all(&self.texts, |_| true).add(self.near_condition())
    }

    /// A box around the place, which the index finds, and in it what is near enough.
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

    /// Of the narrow table.
    fn state_conditions(&self) -> Condition {
        let column = |column| Expr::col((IdxDeviceState::Table, column));
        let remaining = self.max_remaining.map(|most| column(IdxDeviceState::RemainingRising).lte(i64::from(most)));
        let offline = self.offline_for.map(|offline| {
            let is_offline = column(IdxDeviceState::ConnectionStatus).eq(DeviceStatus::Offline.name());
            is_offline.and(column(IdxDeviceState::ConnectionChangedAt).lt(to_micros(offline.before)))
        });
        self.model_and_status().add_option(remaining).add_option(offline)
    }

    /// As it is counted.
    fn model_and_status(&self) -> Condition {
        let column = |column| Expr::col((IdxDeviceState::Table, column));
        let model = self.model.map(|model| column(IdxDeviceState::SystemConfiguration).eq(model));
        let status = self.status.map(|status| column(IdxDeviceState::ConnectionStatus).eq(status.name()));
        Condition::all().add_option(model).add_option(status)
    }
}

impl Slice {
    fn cut(self, rows: &mut SelectStatement, sort_key: Expr, dsn: ColumnRef) {
        let direction = if self.descending { Order::Desc } else { Order::Asc };
        rows.order_by_expr(sort_key, direction.clone()).order_by(dsn, direction).limit(self.limit).offset(self.offset);
    }
}

fn keyed(rows: &mut SelectStatement, key: SortKey) {
    rows.expr_as(Expr::col(key.dsn()), Alias::Dsn).expr_as(key.value(), Alias::SortKey);
}

fn all(texts: &[TextFilter], which: impl Fn(&TextMatch) -> bool) -> Condition {
    texts.iter().filter(|text| which(&text.text_match)).map(text::condition).fold(Condition::all(), Condition::add)
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

//! Retention while the clock is ahead, as in the cloud (`store::suite::clock` there).

use std::collections::BTreeSet;

use jiff::SignedDuration;
use platform::bus::Bus;
use platform::db::{Db, Dialect, params};
use platform::nodes::clock_reading::{database_time, reading};
use platform::nodes::lease::{LIFETIME, Lease};
use platform::run::clock::{Clock, to_micros};
use platform::run::random::{Random, first_uuid_at};
use platform::store_suite;
use sqlx::AssertSqlSafe;

use super::Retention;
use crate::base::Base;
use crate::server::stored_times::{ENDS, EVENTS, observe};
use crate::sessions::session::SessionLimits;

const AHEAD: SignedDuration = SignedDuration::from_hours(2 * 365 * 24);
const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const LONG: SignedDuration = SignedDuration::from_hours(500 * 24);
/// The tables from which retention deletes.
const DELETED_FROM: [&str; 11] = [
    "sessions",
    "audit",
    "jobs",
    "job_writes",
    "level_resets",
    "idempotency_keys",
    "attention_items",
    "attention_comments",
    "fleet_days",
    "fleet_store_months",
    "fleet_counted",
];

struct Node {
    retention: Retention,
    clock: Clock,
}

impl Node {
    /// On PostgreSQL the clock agrees with the server's.
    async fn start(db: Db) -> Self {
        let now = database_time(&db).await.unwrap();
        let clock = Clock::mock(now.unwrap_or("2026-11-20T10:00:00Z".parse().unwrap()));
        let base = Base { db, bus: Bus::in_process(), clock: clock.clone(), random: Random::seeded(1) };
        let sessions = SessionLimits::default();
        Self { retention: Retention { base, audit_days: 400, sessions, clock_confirmed: None }, clock }
    }

    fn db(&self) -> &Db {
        &self.retention.base.db
    }

    async fn observe_clock(&self) {
        observe(self.db(), self.clock.now()).await.unwrap();
    }

    async fn execute(&self, sql: String) {
        self.db().execute(AssertSqlSafe(sql), params![]).await.unwrap();
    }

    async fn count(&self, sql: String) -> i64 {
        let (count,) = self.db().fetch_one(AssertSqlSafe(sql), params![]).await.unwrap();
        count
    }

    async fn counts(&self) -> Vec<(&'static str, i64)> {
        let mut counts = Vec::new();
        for table in DELETED_FROM {
            counts.push((table, self.count(format!("select count(*) from {table}")).await));
        }
        counts
    }

    /// Writes a row that has ended into each table.
    async fn live(&self, round: u32) {
        let (now, id) = (to_micros(self.clock.now()), first_uuid_at(self.clock.now()));
        let bytes = if self.db().dialect() == Dialect::Sqlite { "x'00'" } else { "'\\x00'" };
        for (row, values) in [
            (
                "sessions (id_hash, user_id, email, firstname, lastname, access_read_at, created_at, seen_at)",
                format!("'browser {round}', 'u', 'e', 'f', 'l', {now}, {now}, {now}"),
            ),
            (
                "sessions (id_hash, user_id, email, firstname, lastname, access_read_at, created_at, seen_at, token_name, \
                 token_rights, token_expires_at)",
                format!("'token {round}', 'u', 'e', 'f', 'l', {now}, {now}, {now}, 't', '[]', {now} + 3600000000"),
            ),
            (
                "audit (id, user_id, email, operation, target_kind, target_id, changes, result, ended_at)",
                format!("'{id}', 'u', 'e', 'o', 'k', 't', '[]', 'done', {now}"),
            ),
            (
                "jobs (id, operation, work, user_id, email, session, state, created_at, ended_at)",
                format!("'{id}', 'o', '', 'u', 'e', 's', 'done', {now}, {now}"),
            ),
            ("job_writes (job_id, dsn, written)", format!("'{id}', 'A', '{{}}'")),
            (
                "level_resets (dsn, id, cartridge_life, fragrance_remaining, undo_until)",
                format!("'A{round}', '{id}', 1, 1, {now} + 30000000"),
            ),
            (
                "idempotency_keys (user_id, key, request, claimed_by, claimed_until, created_at)",
                format!("'u', 'k{round}', {bytes}, 'n', {now} + 30000000, {now}"),
            ),
            (
                "attention_items (id, kind, severity, dsn, csp, since, opened_at, closed_at, occurrences, cause, evidence)",
                format!("'{id}', 'empty', 1, 'A', 'N', {now}, {now}, {now}, 1, 'c', '{{}}'"),
            ),
            ("attention_comments (id, item_id, user_id, text)", format!("'{id}', '{id}', 'u', 't'")),
            (
                "fleet_days (dimension, value, csp, day, refills, used_ml, used_devices)",
                format!("'all', '', '', {now}, 0, 1, 1"),
            ),
            (
                "fleet_store_months (month, csp, customer, store_number, city, fragrance, refills, used_ml, used_days)",
                format!("{now}, '', '', '', '', '', 0, 1, 1"),
            ),
            ("fleet_counted (dsn, used_until, refills_until)", format!("'A{round}', {now}, {now}")),
        ] {
            self.execute(format!("insert into {row} values ({values})")).await;
        }
        self.execute(format!("update idx_sync set as_of = {now}, users_as_of = {now}, states_as_of = {now}")).await;
    }

    fn lease(&self, holder: &str) -> Lease {
        Lease::new(self.db().clone(), self.clock.clone(), "passes", holder.to_owned())
    }
}

async fn start_with_a_clock_two_years_ahead_deletes_nothing_and_ends_with_the_clock(db: Db) {
    let node = Node::start(db).await;
    node.observe_clock().await;
    node.live(1).await;
    node.retention.pass().await.unwrap();
    let kept = node.counts().await;
    assert!(kept.iter().all(|(_, count)| *count > 0), "{kept:?}");

    node.clock.advance(AHEAD);
    node.observe_clock().await;
    node.retention.pass().await.unwrap();
    assert_eq!(node.counts().await, kept);
    node.live(2).await;
    // A node that is killed leaves its lease.
    assert!(node.lease("killed").take().await.unwrap());
    node.retention.pass().await.unwrap();
    let both: Vec<_> = kept.iter().map(|(table, count)| (*table, count * 2)).collect();
    assert_eq!(node.counts().await, both);

    node.clock.advance(-AHEAD + MINUTE * 6);
    node.observe_clock().await;
    let now = node.clock.now();
    let latest = EVENTS.iter().flat_map(|(table, columns)| columns.iter().map(move |column| (*table, *column, now)));
    for (table, column, latest) in latest.chain(ENDS.map(|(table, column, longest)| (table, column, now + longest))) {
        let sql = format!("select count(*) from {table} where {column} > {}", to_micros(latest));
        assert_eq!(node.count(sql).await, 0, "{table}.{column}");
    }
    let trusted = reading(node.db()).await.unwrap().unwrap();
    assert!(trusted.trusted_at <= now && trusted.seen_at <= now, "{trusted:?}");
    node.retention.pass().await.unwrap();
    assert_eq!(node.counts().await, both);
    assert_eq!(reading(node.db()).await.unwrap().unwrap().trusted_at, now, "retention goes on");
    assert!(!node.lease("next").take().await.unwrap());
    node.clock.advance(LIFETIME);
    assert!(node.lease("next").take().await.unwrap(), "another node takes over");
}

async fn retention_goes_on_after_a_long_stop_that_an_operator_confirms(db: Db) {
    let mut node = Node::start(db).await;
    node.clock.advance(-LONG);
    node.observe_clock().await;
    node.live(1).await;
    node.clock.advance(LONG);
    node.observe_clock().await;
    let kept = node.counts().await;
    node.retention.pass().await.unwrap();
    assert_eq!(node.counts().await, kept);
    node.retention.clock_confirmed = Some(node.clock.now() - MINUTE);
    node.retention.pass().await.unwrap();
    assert_eq!(node.counts().await, DELETED_FROM.map(|table| (table, 0)));
    assert_eq!(reading(node.db()).await.unwrap().unwrap().trusted_at, node.clock.now());
}

/// A column that nobody corrects would stay in the future.
async fn every_stored_time_is_corrected_or_known_to_need_none(db: Db) {
    let known = [
        ("clock_reading", "seen_at"),
        ("clock_reading", "trusted_at"),
        // Of the cloud: the next pass reads them again.
        ("idx_devices", "created_at"),
        ("idx_devices", "installed_at"),
        ("idx_device_state", "connection_changed_at"),
        ("idx_device_state", "connected_at"),
        ("idx_device_state", "emptied_at"),
        ("idx_device_state", "runs_dry_at"),
        ("idx_forecasts", "plan_since"),
        ("idx_forecasts", "emptied_at"),
        ("idx_users", "created_at"),
    ];
    let events = EVENTS.iter().flat_map(|(table, columns)| columns.iter().map(move |column| (*table, *column)));
    let ends = ENDS.map(|(table, column, _)| (table, column));
    let corrected: BTreeSet<String> =
        events.chain(ends).chain(known).map(|(table, column)| format!("{table}.{column}")).collect();
    let sql = match db.dialect() {
        Dialect::Sqlite => {
            "select t.name, c.name from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table'"
        }
        Dialect::Postgres => {
            "select cast(table_name as text), cast(column_name as text) from information_schema.columns \
             where table_schema = current_schema()"
        }
    };
    let columns: Vec<(String, String)> = db.fetch_all(sql, params![]).await.unwrap();
    let ends = ["_at", "_until", "_since", "as_of"];
    let is_time = |column: &str| ["until", "since"].contains(&column) || ends.iter().any(|end| column.ends_with(end));
    let times = columns.into_iter().filter(|(table, column)| is_time(column) && !table.starts_with('_'));
    assert_eq!(times.map(|(table, column)| format!("{table}.{column}")).collect::<BTreeSet<_>>(), corrected);
}

store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        start_with_a_clock_two_years_ahead_deletes_nothing_and_ends_with_the_clock,
        retention_goes_on_after_a_long_stop_that_an_operator_confirms,
        every_stored_time_is_corrected_or_known_to_need_none,
    ]
);

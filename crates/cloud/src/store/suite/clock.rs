//! One start with a clock that is two years ahead.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Dialect, params};
use platform::nodes::clock_reading;
use platform::run::clock::to_micros;
use platform::store_suite;
use serde_json::json;
use sqlx::AssertSqlSafe;

use super::{Node, SESSIONS, node};
use crate::background;
use crate::background::retention::Retention;
use crate::devices::link::AckOutcome;
use crate::devices::schedules::Schedules;
use crate::domain::rule::{FIRING_WINDOW, MAX_FIRINGS};
use crate::people::password::LOCK;
use crate::store::clock::{EVENTS, Lifetimes, ends};
use crate::store::datapoints::{self, Span};
use crate::store::sessions::Tokens;
use crate::store::trigger_apps::{self, TriggerApp};
use crate::store::triggers::{self, NewTrigger};
use crate::store::{rules, schedules, sessions};
use crate::testing::World;

const DAY: SignedDuration = SignedDuration::from_hours(24);
const AHEAD: SignedDuration = SignedDuration::from_hours(2 * 365 * 24);
const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const LIFETIMES: Lifetimes =
    Lifetimes { token: DAY, command: SignedDuration::from_hours(1), lock: LOCK, claim: background::delivery::CLAIM };
/// The tables from which time deletes.
const DELETED_FROM: [&str; 9] = [
    "datapoint",
    "connection_change",
    "command",
    "session",
    "refresh_token",
    "outbox",
    "message_gap",
    "message_count",
    "unknown_sign_in",
];

impl Node {
    /// What a node does at its start, and from then on.
    async fn observe_clock(&self) {
        background::clock::observe(&self.db, LIFETIMES, self.clock.now()).await.unwrap();
        if self.db.dialect() == Dialect::Postgres {
            background::partitions::maintain_if_trusted(&self.db, self.clock.now()).await.unwrap();
        }
    }

    async fn pass_of_retention(&self, confirmed: Option<Timestamp>) {
        let (db, clock, nodes) = (self.db.clone(), self.clock.clone(), self.nodes.clone());
        let retention = Retention { db, clock, nodes, session_lifetime: SESSIONS, clock_confirmed: confirmed };
        retention.pass().await.unwrap();
    }

    async fn counts(&self) -> Vec<(&'static str, i64)> {
        let mut counts = Vec::new();
        for table in DELETED_FROM {
            let sql = format!("select count(*) from {table}");
            let (count,) = self.db.fetch_one(AssertSqlSafe(sql), params![]).await.unwrap();
            counts.push((table, count));
        }
        counts
    }

    async fn months(&self) -> BTreeSet<String> {
        if self.db.dialect() == Dialect::Sqlite {
            return BTreeSet::new();
        }
        let sql = "select inhrelid::regclass::text from pg_inherits where inhparent = 'datapoint'::regclass";
        let names: Vec<(String,)> = self.db.fetch_all(sql, params![]).await.unwrap();
        names.into_iter().map(|(name,)| name).collect()
    }

    /// The device reports and obeys, messages are written, a rule fires as often as it may, a schedule runs, and a user signs in.
    async fn live(&self, round: i64, rule: i64) {
        let device = self.device("DEV-A1").await;
        let generation = self.link.connected(&device).await.unwrap();
        self.report("DEV-A1", "fan", 25).await;
        self.report("DEV-A1", "fan", round).await;
        let command = self.command(&self.intensity().await, &json!(30 + round)).await;
        let outcome = self.link.ack(&device, &command.id, 200, None).await.unwrap();
        assert_eq!(outcome, AckOutcome::Acknowledged);
        self.schedules().fire().await.unwrap();
        while rules::count_firing(&self.db, rule, MAX_FIRINGS, FIRING_WINDOW, self.clock.now()).await.unwrap() {}
        let tokens = Tokens { access: format!("access {round}"), refresh: format!("refresh {round}") };
        let (user, now) = (self.user_id(World::ADMIN).await, self.clock.now());
        sessions::open(&self.db, user, &tokens, now, now + LIFETIMES.token).await.unwrap();
        self.link.disconnected(&device, generation).await.unwrap();
    }

    fn schedules(&self) -> Schedules {
        Schedules { db: self.db.clone(), clock: self.clock.clone(), commands: self.commands.clone() }
    }

    /// A trigger that mails Jo when the fan falls below 20.
    async fn watch_fan(&self) {
        let (property_id, user_id) = (self.property("DEV-A1", "fan").await.id, self.user_id(World::ADMIN).await);
        let trigger_type = "compare_absolute";
        let (compare_type, value) = (Some("<"), Some("20"));
        let new = NewTrigger { property_id, user_id, trigger_type, compare_type, value, active: true };
        let param1 = Some("jo@example.com".into());
        let app = TriggerApp { name: "email".into(), repeat_freq: 0, param1, ..TriggerApp::default() };
        let mut tx = self.db.begin().await.unwrap();
        let id = triggers::insert(&mut tx, new, self.clock.now()).await.unwrap();
        trigger_apps::insert(&mut tx, id, user_id, &app, self.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// DEV-A2 sets its fan at eight and at eighteen o'clock.
    async fn keep_opening_hours(&self) {
        let device_id = self.property("DEV-A2", "fan").await.device_id;
        let mut tx = self.db.begin().await.unwrap();
        let sql = "update schedule set active = $2 where device_id = $1";
        tx.execute(sql, params![device_id, true]).await.unwrap();
        schedules::update_due(&mut tx, device_id, self.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn mails(&self) -> i64 {
        self.count("select count(*) from outbox where kind = 'value'").await
    }
}

#[expect(clippy::too_many_lines, reason = "one story")]
async fn start_with_a_clock_two_years_ahead_deletes_nothing_and_ends_with_the_clock(db: Db) {
    let node = node(db).await;
    if let Some(real) = clock_reading::database_time(&node.db).await.unwrap() {
        node.clock.advance(real.duration_since(node.clock.now()));
    }
    node.observe_clock().await;
    let rule = node.rule("DEV-A1", World::PARTNER_ADMIN_A, "DATAPOINT(DEV-A1,hours) < 20").await;
    node.watch_fan().await;
    node.keep_opening_hours().await;
    node.import_days("DEV-A2", "intensity", 30).await;
    node.live(1, rule).await;
    node.pass_of_retention(None).await;
    let (kept, months) = (node.counts().await, node.months().await);

    node.clock.advance(AHEAD);
    node.observe_clock().await;
    node.pass_of_retention(None).await;
    assert_eq!(node.counts().await, kept);
    node.live(2, rule).await;
    node.pass_of_retention(None).await;
    assert!(node.counts().await.iter().zip(&kept).all(|(now, before)| now >= before), "{:?}", node.counts().await);
    let ahead = node.history("DEV-A1", "fan").await.len();
    let mails = node.mails().await;
    assert_eq!(mails, 2);

    node.clock.advance(-AHEAD + MINUTE * 6);
    node.observe_clock().await;
    let now = node.clock.now();
    for (table, columns) in EVENTS {
        for column in columns {
            let sql = format!("select count(*) from {table} where {column} > $1");
            let (count,): (i64,) = node.db.fetch_one(AssertSqlSafe(sql), params![now]).await.unwrap();
            assert_eq!(count, 0, "{table}.{column}");
        }
    }
    for (table, column, longest) in ends(LIFETIMES) {
        let sql = format!("select count(*) from {table} where {column} > $1");
        let (count,): (i64,) = node.db.fetch_one(AssertSqlSafe(sql), params![now + longest]).await.unwrap();
        assert_eq!(count, 0, "{table}.{column}");
    }

    // Times go on: `history` asserts their order.
    node.clock.advance(MINUTE * 6);
    node.live(3, rule).await;
    let now = node.clock.now();
    let fan = node.property("DEV-A1", "fan").await;
    assert_eq!((fan.reported_value(), fan.reported_at), (json!(3), Some(to_micros(now))));
    let history = node.history("DEV-A1", "fan").await;
    assert_eq!(history.len(), ahead + 2);
    let rows = datapoints::newest(&node.db, fan.id, Span { since: now, until: now }, None, 9).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.created_at).collect::<Vec<_>>(), [to_micros(now); 2]);
    let all = datapoints::newest(&node.db, fan.id, Span::ALL, None, 99).await.unwrap();
    for (position, row) in all.iter().enumerate() {
        let newer = datapoints::newer(&node.db, fan.id, Span::ALL, &row.id, 99).await.unwrap();
        let older = datapoints::newest(&node.db, fan.id, Span::ALL, Some(&row.id), 99).await.unwrap();
        assert_eq!((newer.len(), older.len()), (all.len() - position - 1, position + 1));
        let is_newest = position == all.len() - 1;
        assert_eq!(datapoints::is_outdated(&node.db, fan.id, &row.id).await.unwrap(), !is_newest);
    }
    let intensity = node.intensity().await;
    assert_eq!((intensity.value(), intensity.reported_value()), (json!(33), json!(33)));
    // Alerts.
    assert_eq!(node.mails().await, mails + 1);
    // Rules.
    node.clock.advance(FIRING_WINDOW);
    assert!(
        rules::count_firing(&node.db, rule, MAX_FIRINGS, FIRING_WINDOW, node.clock.now()).await.unwrap(),
        "the rule fires again"
    );
    // Retention, and the months of the history.
    let trusted = clock_reading::reading(&node.db).await.unwrap().unwrap();
    assert!(trusted.trusted_at <= now && trusted.seen_at <= now, "{trusted:?}");
    assert_eq!(node.months().await, months);
    // Schedules. What was due meanwhile depends on the time of day of PostgreSQL.
    node.schedules().fire().await.unwrap();
    let before = node.history("DEV-A2", "fan").await.len();
    for _ in 0..48 {
        node.clock.advance(MINUTE * 30);
        node.schedules().fire().await.unwrap();
    }
    assert_eq!(node.history("DEV-A2", "fan").await.len(), before + 2, "at eight and at eighteen o'clock");
}

async fn retention_goes_on_after_a_long_stop_that_an_operator_confirms(db: Db) {
    let node = node(db).await;
    if let Some(real) = clock_reading::database_time(&node.db).await.unwrap() {
        // The node has been down for 500 days.
        node.clock.advance(real.duration_since(node.clock.now()) - DAY * 500);
    }
    node.observe_clock().await;
    node.report("DEV-A1", "fan", 1).await;
    node.report("DEV-A1", "fan", 2).await;
    node.clock.advance(DAY * 500);
    node.observe_clock().await;
    node.pass_of_retention(None).await;
    assert_eq!(node.history("DEV-A1", "fan").await.len(), 2);
    node.pass_of_retention(Some(node.clock.now() - MINUTE)).await;
    assert_eq!(node.history("DEV-A1", "fan").await.len(), 1);
    node.clock.advance(-MINUTE);
    node.pass_of_retention(None).await;
    assert_eq!(clock_reading::reading(&node.db).await.unwrap().unwrap().trusted_at, node.clock.now() + MINUTE);
}

async fn clock_that_is_behind_that_of_the_database_corrects_nothing(db: Db) {
    let node = node(db).await;
    let database = clock_reading::database_time(&node.db).await.unwrap();
    if let Some(real) = database {
        node.clock.advance(real.duration_since(node.clock.now()));
    }
    node.observe_clock().await;
    let right = node.clock.now();
    node.clock.advance(-MINUTE * 90);
    node.observe_clock().await;
    let seen = clock_reading::reading(&node.db).await.unwrap().unwrap().seen_at;
    assert_eq!(seen, if database.is_some() { right } else { node.clock.now() });
}

/// A column that nobody corrects would stay in the future.
async fn every_stored_time_is_corrected_or_known_to_need_none(db: Db) {
    let known = [
        // Entered by users.
        ("share", "start_at"),
        ("share", "end_at"),
        // Corrected in a way of their own.
        ("datapoint", "created_at"),
        ("notification", "lost_at"),
        ("notification", "due_at"),
        ("message_gap", "due_at"),
        ("schedule", "due_at"),
        ("clock_reading", "seen_at"),
        ("clock_reading", "trusted_at"),
    ];
    let mut corrected: BTreeSet<(String, String)> =
        known.map(|(table, column)| (table.to_owned(), column.to_owned())).into();
    corrected.extend(
        EVENTS
            .iter()
            .flat_map(|(table, columns)| columns.iter().map(|column| ((*table).to_owned(), (*column).to_owned()))),
    );
    corrected.extend(ends(LIFETIMES).map(|(table, column, _)| (table.to_owned(), column.to_owned())));
    let sql = match db.dialect() {
        Dialect::Sqlite => {
            "select t.name, c.name from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table'"
        }
        Dialect::Postgres => {
            "select cast(c.table_name as text), cast(c.column_name as text) from information_schema.columns c
             where c.table_schema = current_schema() and c.table_name not like 'datapoint!_%' escape '!'"
        }
    };
    let columns: Vec<(String, String)> = db.fetch_all(sql, params![]).await.unwrap();
    let is_time = |column: &str| column == "at" || ["_at", "_until", "_since"].iter().any(|end| column.ends_with(end));
    let times: BTreeSet<(String, String)> =
        columns.into_iter().filter(|(table, column)| is_time(column) && !table.starts_with('_')).collect();
    assert_eq!(times, corrected);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        start_with_a_clock_two_years_ahead_deletes_nothing_and_ends_with_the_clock,
        retention_goes_on_after_a_long_stop_that_an_operator_confirms,
        clock_that_is_behind_that_of_the_database_corrects_nothing,
        every_stored_time_is_corrected_or_known_to_need_none,
    ]
);

//! The console's path of stream events, from its queue to the index, on SQLite and PostgreSQL: `make bench`.
//!
//! First, 3,300 events a second for a while: no event may be lost, and all must be in the index soon after the last one. Then as
//! many as possible, beside bare updates of the same rows in groups of the same size. Every event changes a row. Sockets and JSON
//! are not part of it; the benchmark `client` measures them. It fails if a bound is missed.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failed setup fails the benchmark")]

#[path = "../list/fleet.rs"]
#[expect(dead_code, reason = "shared with another benchmark")]
mod fleet;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use console::testing::{StreamPath, fill_index};
use platform::db::Db;
use platform::db::rows::{all, rows_of_placeholders};
use platform::testing::TestDb;
use sqlx::AssertSqlSafe;

const DEVICES: usize = 20_000;
/// Events a second: a million devices that report every five minutes.
const RATE: usize = 3_300;
const TICK: Duration = Duration::from_millis(10);
/// Maximum time from the last event until all are in the index.
const MAX_LAG: Duration = Duration::from_secs(1);
/// Events at full speed.
const EVENTS: usize = 100_000;
/// Events of one transaction, as in the console.
const GROUP: usize = 512;
/// The minimum speed, relative to bare updates, which neither read the rows nor publish anything.
const SPEED: f64 = 0.15;

fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if runtime.block_on(measure()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn measure() -> bool {
    let seconds = if std::env::var("SILLAGE_BENCH").is_ok_and(|bench| bench == "full") { 300 } else { 20 };
    let dsns: Vec<String> = fleet::of(DEVICES).map(|device| device.dsn).collect();
    let mut good = true;
    for (name, db) in [("SQLite", TestDb::sqlite().await), ("PostgreSQL", TestDb::postgres().await)] {
        fill_index(&db, fleet::of(DEVICES)).await.unwrap();
        let (lost, lag) = paced(&db, &dsns, seconds).await;
        let (path, bare) = (at_full_speed(&db, &dsns).await, bare(&db, &dsns).await);
        let ratio = path / bare;
        let is_sustained = lost == 0 && lag <= MAX_LAG;
        println!("{name}: {DEVICES} devices");
        println!(
            "  {RATE} events/s for {seconds} s  {lost} lost, the last in the index after {} ms {}",
            lag.as_millis(),
            verdict(is_sustained, "none, <= 1 s")
        );
        println!("  at full speed     {path:>9.0} events/s {}", verdict(path >= per(RATE), &format!(">= {RATE}")));
        println!("  bare updates      {bare:>9.0} rows/s");
        println!("  ratio             {ratio:>9.2} {}", verdict(ratio >= SPEED, &format!(">= {SPEED}")));
        good &= is_sustained && path >= per(RATE) && ratio >= SPEED;
    }
    good
}

/// Returns the number of lost events, and the time from the last event until all are in the index.
async fn paced(db: &Db, dsns: &[String], seconds: usize) -> (usize, Duration) {
    let mut path = StreamPath::start(db).await.unwrap();
    let mut ticks = tokio::time::interval(TICK);
    let (mut sent, mut lost, begin) = (0, 0, now());
    while begin.elapsed() < Duration::from_secs(u64::try_from(seconds).unwrap()) {
        ticks.tick().await;
        let due = begin.elapsed().as_secs_f64() * per(RATE);
        while per(sent) < due {
            lost += usize::from(!path.report_intensity(&dsns[sent % DEVICES], value(sent)));
            sent += 1;
        }
    }
    let last = now();
    path.finish().await.unwrap();
    (lost, last.elapsed())
}

/// Returns the events a second.
async fn at_full_speed(db: &Db, dsns: &[String]) -> f64 {
    let mut path = StreamPath::start(db).await.unwrap();
    let begin = now();
    for event in 0..EVENTS {
        while !path.has_room() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(path.report_intensity(&dsns[event % DEVICES], 1_000 + value(event)));
    }
    path.finish().await.unwrap();
    per(EVENTS) / begin.elapsed().as_secs_f64()
}

/// Returns the rows a second of transactions that only update.
async fn bare(db: &Db, dsns: &[String]) -> f64 {
    let rows: Vec<(&String, i64)> = (0..EVENTS).map(|event| (&dsns[event % DEVICES], 2_000 + value(event))).collect();
    let begin = now();
    for group in rows.chunks(GROUP) {
        let sql = format!(
            "update idx_device_state set intensity = changed.column2, synced_at = changed.column3 \
             from (values {}) as changed where idx_device_state.dsn = changed.column1",
            rows_of_placeholders(db.dialect(), group.len(), 3)
        );
        let mut tx = db.begin().await.unwrap();
        let values = all(group, |values, (dsn, value)| values.with(*dsn).with(*value).with(0_i64));
        tx.execute(AssertSqlSafe(sql), values).await.unwrap();
        tx.commit().await.unwrap();
    }
    per(EVENTS) / begin.elapsed().as_secs_f64()
}

/// Differs from the value of the device's event before.
fn value(event: usize) -> i64 {
    i64::try_from(event / DEVICES % 100).unwrap()
}

fn verdict(good: bool, bound: &str) -> String {
    format!("({bound}: {})", if good { "good" } else { "MISSED" })
}

fn per(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> Instant {
    Instant::now()
}

//! What a page of the list costs, in small fleets and in large ones: `make bench`, and `make bench-full` for a million.
//!
//! Each list is read over HTTP from a real console with a real session, and takes turns with its own statements on the same
//! database without a request around them, and with the cheapest request that needs a session. The run fails when
//!
//! 1. the median over HTTP is more than three times that of the statements, and the ping on top;
//! 2. the median of a page without texts to look for is in the largest fleet more than three times that in the smallest;
//! 3. among a million, the slowest hundredth of last page, substring and a total that must be counted is 300 ms or more.
//!
//! PostgreSQL comes from `tools/with-postgres --durable`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "what is missing here fails the run")]

mod fleet;
mod measure;
#[path = "../../tests/support/node.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod node;
mod world;

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use console::testing::fill_index;
use measure::{Measured, measure};
use platform::db::{Db, params};
use platform::testing::TestDb;
use world::{Cloud, READERS, Reader};

const MILLION: usize = 1_000_000;
/// Over HTTP at most so many times the statements, besides the ping.
const OVER_SQL: u32 = 3;
/// In the largest fleet at most so many times as in the smallest.
const GROWTH: f64 = 3.0;
/// The slowest hundredth, among a million.
const SLOWEST: Duration = Duration::from_millis(300);

/// What a list is held to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// To cost no more in a large fleet.
    Flat,
    /// To be quick in any case.
    Quick,
    /// To nothing but its statements.
    Loose,
}

struct Case {
    name: &'static str,
    query: &'static str,
    held: Held,
    /// What another console takes for the like of it, among a million.
    other: Option<&'static str>,
}

const fn case(name: &'static str, query: &'static str, held: Held, other: Option<&'static str>) -> Case {
    Case { name, query, held, other }
}

const CASES: [Case; 21] = [
    case("default page", "", Held::Flat, Some("96 ms")),
    case("by customer", "pageSize=25&orderBy=customer&order=asc", Held::Flat, None),
    case("of one CSP", "pageSize=25&csp=Partner%20007&orderBy=city&order=asc", Held::Flat, None),
    case("offline", "pageSize=25&connectionstatus=Offline", Held::Flat, None),
    case("newest connection", "pageSize=25&orderBy=connectedat", Held::Flat, Some("940 ms")),
    case("offline and AQ290", "pageSize=25&connectionstatus=Offline&model=AQ290", Held::Flat, None),
    case("serial has 123", "pageSize=25&serialnumber=123", Held::Quick, Some("22 to 240 ms")),
    case("last page", "pageSize=25&page=1000000", Held::Quick, Some("2,000 ms")),
    case("cold total: country has united", "pageSize=25&country=united", Held::Quick, None),
    case("city begins with s", "pageSize=25&city=s&orderBy=country", Held::Loose, None),
    case("Chicago, online", "pageSize=25&city=chicago&connectionstatus=Online&orderBy=country", Held::Loose, None),
    case("last page of offline", "pageSize=25&connectionstatus=Offline&page=1000000", Held::Loose, None),
    case("never connected", "pageSize=25&connectionstatus=NeverConnected", Held::Flat, None),
    case("lowest level first", "pageSize=25&orderBy=fragranceremaining&order=asc", Held::Flat, None),
    case("at most 5 percent", "pageSize=25&maxremaining=5&orderBy=fragranceremaining&order=asc", Held::Quick, None),
    case("offline for 30 days", "pageSize=25&offlinehours=720", Held::Loose, None),
    case("search: 20123", "pageSize=25&q=20123", Held::Quick, None),
    case("search: saffron lobby chicago", "pageSize=25&q=saffron%20lobby%20chicago", Held::Quick, None),
    case("search: sa 12", "pageSize=25&q=sa%2012", Held::Loose, None),
    case(
        "near Chicago, low, nearest first",
        "pageSize=25&near=41.88,-87.63&maxremaining=20&orderBy=distance&order=asc",
        Held::Loose,
        None,
    ),
    case("middle page by city", "pageSize=25&orderBy=city&page=MIDDLE", Held::Loose, None),
];

#[tokio::main]
async fn main() -> ExitCode {
    let full = std::env::var("SILLAGE_BENCH").is_ok_and(|bench| bench == "full");
    let sizes: &[usize] = if full { &[10_000, 100_000, MILLION] } else { &[10_000, 100_000] };
    let cloud = Cloud::start().await;
    let mut good = true;
    for postgres in [false, true] {
        let mut smallest = HashMap::new();
        for &devices in sizes {
            let test = if postgres { TestDb::postgres().await } else { TestDb::sqlite().await };
            let begin = now();
            fill_index(&test, fleet::of(devices)).await.unwrap();
            settle(&test).await;
            let name = if postgres { "PostgreSQL" } else { "SQLite" };
            println!("\n{name}, {devices} devices, filled in {:.0?}", begin.elapsed());
            good &= lists(&cloud, &test, devices, &mut smallest).await;
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reads every list as everybody.
async fn lists(cloud: &Cloud, test: &TestDb, devices: usize, smallest: &mut HashMap<String, Duration>) -> bool {
    let console = cloud.console(test).await;
    let mut good = true;
    for (number, (who, csp)) in READERS.into_iter().enumerate() {
        let reader = Reader::sign_in(&console, number).await;
        println!("  {who:<34}{:>9} {:>9} {:>9} {:>9} {:>9}", "p50", "p99", "SQL", "ping", "devices");
        for case in &CASES {
            let pages =
                console::testing::list(test, csp, &case.query.replace("MIDDLE", "1")).await.unwrap().div_ceil(25);
            let query = case.query.replace("MIDDLE", &(pages / 2 + 1).to_string());
            let measured = measure(test, csp, &reader, &query).await;
            let first = *smallest.entry(format!("{who} {}", case.name)).or_insert(measured.p50);
            let missed = missed(case, measured, first, devices);
            good &= missed.is_empty();
            let other = case.other.filter(|_| csp.is_none() && devices == MILLION);
            println!(
                "    {:<32}{} {:>9}{}{}",
                case.name,
                [measured.p50, measured.p99, measured.sql, measured.ping].map(millis).join(" "),
                measured.total,
                other.map(|other| format!("  (another console: {other})")).unwrap_or_default(),
                missed
            );
        }
    }
    console.shutdown().await;
    good
}

/// The bounds that a list misses, in words.
fn missed(case: &Case, measured: Measured, smallest: Duration, devices: usize) -> String {
    let mut missed = String::new();
    let most = measured.sql * OVER_SQL + measured.ping;
    if measured.p50 > most {
        missed += &format!("  MISSED: {OVER_SQL} x SQL + ping = {}", millis(most).trim());
    }
    let growth = measured.p50.as_secs_f64() / smallest.as_secs_f64();
    if case.held == Held::Flat && growth > GROWTH {
        missed += &format!("  MISSED: {growth:.1} x the smallest fleet's");
    }
    if case.held == Held::Quick && devices == MILLION && measured.p99 >= SLOWEST {
        missed += &format!("  MISSED: {SLOWEST:?}");
    }
    missed
}

/// What filling left to be done is no part of what comes after; a server in use does it by itself within a minute.
async fn settle(db: &Db) {
    match db {
        Db::Sqlite { .. } => {
            db.execute("pragma wal_checkpoint(truncate)", params![]).await.unwrap();
        }
        Db::Postgres(_) => {
            db.execute("vacuum analyze", params![]).await.unwrap();
            db.execute("checkpoint", params![]).await.unwrap();
        }
    }
}

fn millis(time: Duration) -> String {
    format!("{:>6.2} ms", time.as_secs_f64() * 1e3)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> Instant {
    Instant::now()
}

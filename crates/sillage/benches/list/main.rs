//! The cost of a list page in small and large fleets: `make bench`, and `make bench-full` for a million devices.
//!
//! Each list is read over HTTP from a real console with a real session. Rounds alternate with the list's statements alone on the
//! same database, and with a ping, the cheapest request that needs a session. The run fails if
//!
//! 1. the median over HTTP is more than three times that of the statements, plus the ping;
//! 2. the median of a page without a text search in the largest fleet is more than three times that in the smallest;
//! 3. with a million devices, the 99th percentile of a last page, a substring search or a counted total is 300 ms or more;
//! 4. with a million devices, the median of a filter by a column with few distinct values is more than 25 ms;
//! 5. the median of a list of 10,000 open items of attention is more than twice that of the corresponding list of devices, plus the
//!    ping.
//!
//! For an administrator, 16 connections then read the first page as fast as they can, in turns with the ping.
//!
//! PostgreSQL comes from `tools/with-postgres --durable`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failed setup fails the benchmark")]

mod fleet;
mod items;
mod measure;
#[path = "../../tests/support/node.rs"]
#[expect(dead_code, reason = "shared with the tests")]
mod node;
mod world;

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use console::testing::fill_index;
use measure::{CONNECTIONS, Measured, measure, throughput};
use platform::db::{Db, params};
use platform::testing::TestDb;
use world::{Cloud, READERS, Reader};

const MILLION: usize = 1_000_000;
/// The maximum time over HTTP without the ping, relative to the statements.
const OVER_SQL: u32 = 3;
/// The maximum time of a list of items without the ping, relative to the corresponding list of devices.
const OVER_DEVICES: u32 = 2;
/// The maximum time in the largest fleet, relative to the smallest.
const GROWTH: f64 = 3.0;
/// The maximum 99th percentile with a million devices.
const SLOWEST: Duration = Duration::from_millis(300);
/// The maximum median with a million devices for a filter by a column with few distinct values.
const FEW_VALUES: Duration = Duration::from_millis(25);

/// The bounds that apply to a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// The cost must not grow with the fleet.
    Flat,
    /// The 99th percentile is limited.
    Quick,
    /// The median is limited: the database counts the values of the column.
    FewValues,
    /// Only compared with its statements.
    Loose,
}

struct Case {
    name: &'static str,
    query: &'static str,
    bound: Bound,
    /// The time of another console for a similar request with a million devices.
    other: Option<&'static str>,
}

const fn case(name: &'static str, query: &'static str, bound: Bound, other: Option<&'static str>) -> Case {
    Case { name, query, bound, other }
}

const CASES: [Case; 22] = [
    case("default page", "", Bound::Flat, Some("96 ms")),
    case("by customer", "pageSize=25&orderBy=customer&order=asc", Bound::Flat, None),
    case("of one CSP", "pageSize=25&csp=Partner%20007&orderBy=city&order=asc", Bound::Flat, None),
    case("offline", "pageSize=25&connectionstatus=Offline", Bound::Flat, None),
    case("newest connection", "pageSize=25&orderBy=connectedat", Bound::Flat, Some("940 ms")),
    case("offline and AQ290", "pageSize=25&connectionstatus=Offline&model=AQ290", Bound::Flat, None),
    case("serial has 123", "pageSize=25&serialnumber=123", Bound::Quick, Some("22 to 240 ms")),
    case("last page", "pageSize=25&page=1000000", Bound::Quick, Some("2,000 ms")),
    case("country has united", "pageSize=25&country=united", Bound::FewValues, None),
    case("city begins with s", "pageSize=25&city=s&orderBy=country", Bound::FewValues, None),
    case("Chicago, online", "pageSize=25&city=chicago&connectionstatus=Online&orderBy=country", Bound::FewValues, None),
    case("saffron in Chicago", "pageSize=25&city=chicago&customer=saffron", Bound::Loose, None),
    case("last page of offline", "pageSize=25&connectionstatus=Offline&page=1000000", Bound::Loose, None),
    case("never connected", "pageSize=25&connectionstatus=NeverConnected", Bound::Flat, None),
    case("lowest level first", "pageSize=25&orderBy=fragranceremaining&order=asc", Bound::Flat, None),
    case("at most 5 percent", "pageSize=25&maxremaining=5&orderBy=fragranceremaining&order=asc", Bound::Quick, None),
    case("offline for 30 days", "pageSize=25&offlinehours=720", Bound::Loose, None),
    case("search: 20123", "pageSize=25&q=20123", Bound::Quick, None),
    case("search: saffron lobby chicago", "pageSize=25&q=saffron%20lobby%20chicago", Bound::Quick, None),
    case("search: sa 12", "pageSize=25&q=sa%2012", Bound::Loose, None),
    case(
        "near Chicago, low, nearest first",
        "pageSize=25&near=41.88,-87.63&maxremaining=20&orderBy=distance&order=asc",
        Bound::Loose,
        None,
    ),
    case("middle page by city", "pageSize=25&orderBy=city&page=MIDDLE", Bound::Loose, None),
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
            items::open(&test).await;
            settle(&test).await;
            let name = if postgres { "PostgreSQL" } else { "SQLite" };
            println!("\n{name}, {devices} devices, filled in {:.0?}", begin.elapsed());
            good &= lists(&cloud, &test, devices, &mut smallest).await;
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measures every list for every reader.
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
        let [ping, _] = measure::alternate(&reader, [measure::PING; 2]).await;
        for (name, [p50, devices]) in items::measure(&reader).await {
            let missed = if p50 > devices * OVER_DEVICES + ping { "  MISSED: the devices" } else { "" };
            good &= missed.is_empty();
            println!("    {name:<32}{} devices {}{missed}", millis(p50), millis(devices));
        }
        if csp.is_none() {
            let [pages, pings] = throughput(&reader).await;
            let ratio = pages / pings;
            println!("    first page, {CONNECTIONS} connections: {pages:.0}/s, ping {pings:.0}/s, ratio {ratio:.2}");
        }
    }
    console.shutdown().await;
    good
}

/// Describes the bounds that a list misses.
fn missed(case: &Case, measured: Measured, smallest: Duration, devices: usize) -> String {
    let mut missed = String::new();
    let most = measured.sql * OVER_SQL + measured.ping;
    if measured.p50 > most {
        missed += &format!("  MISSED: {OVER_SQL} x SQL + ping = {}", millis(most).trim());
    }
    let growth = measured.p50.as_secs_f64() / smallest.as_secs_f64();
    if case.bound == Bound::Flat && growth > GROWTH {
        missed += &format!("  MISSED: {growth:.1} x the smallest fleet's");
    }
    if case.bound == Bound::Quick && devices == MILLION && measured.p99 >= SLOWEST {
        missed += &format!("  MISSED: {SLOWEST:?}");
    }
    if case.bound == Bound::FewValues && devices == MILLION && measured.p50 > FEW_VALUES {
        missed += &format!("  MISSED: {FEW_VALUES:?}");
    }
    missed
}

/// Finishes background work of the load, so that it is not measured; a server in use does it by itself within a minute.
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

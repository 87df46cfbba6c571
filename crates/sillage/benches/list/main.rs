//! The cost of a list page in small and large fleets: `make bench`, and `make bench-full` for a million devices.
//!
//! Each list is read over HTTP from a real console with a real session. Rounds alternate with the list alone, on the same database, and
//! with a ping, the cheapest request that needs a session. The run fails if
//!
//! 1. the median over HTTP is more than three times that of the list alone, plus the ping;
//! 2. the median is more than 10 ms or the 99th percentile more than 30 ms with a million devices, or the median more than 3 ms with
//!    100,000;
//! 3. a device takes more than 300 bytes of memory, or a million take more than 10 s to load;
//! 4. the median of a list of 10,000 open items of attention is more than twice that of the corresponding list of devices, plus the
//!    ping.
//!
//! For an administrator, 16 connections then read different pages as fast as they can, in turns with the ping.
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

use std::process::ExitCode;
use std::time::{Duration, Instant};

use console::testing::{Lists, fill_index};
use measure::{CONNECTIONS, Measured, measure, throughput};
use platform::db::{Db, params};
use platform::testing::TestDb;
use world::{Cloud, READERS, Reader};

const MILLION: usize = 1_000_000;
/// The maximum time over HTTP without the ping, relative to the list alone.
const OVER_ALONE: u32 = 3;
/// The maximum time of a list of items without the ping, relative to the corresponding list of devices.
const OVER_DEVICES: u32 = 2;
/// A list of items that is faster meets its bound: the difference to one of devices is noise.
const FLOOR: Duration = Duration::from_millis(3);
/// The maximum median and 99th percentile with a million devices.
const MEDIAN: Duration = Duration::from_millis(10);
const SLOWEST: Duration = Duration::from_millis(30);
/// The maximum median with 100,000 devices.
const MEDIAN_OF_FEWER: Duration = Duration::from_millis(3);
/// The maximum memory of a device.
const MEMORY: usize = 300;
/// The maximum time to load a million devices.
const LOADING: Duration = Duration::from_secs(10);

struct Case {
    name: &'static str,
    query: &'static str,
    /// The time of another console for a similar request with a million devices.
    other: Option<&'static str>,
}

const fn case(name: &'static str, query: &'static str, other: Option<&'static str>) -> Case {
    Case { name, query, other }
}

const CASES: [Case; 22] = [
    case("default page", "", Some("96 ms")),
    case("by customer", "pageSize=25&orderBy=customer&order=asc", None),
    case("of one CSP", "pageSize=25&csp=Partner%20007&orderBy=city&order=asc", None),
    case("offline", "pageSize=25&connectionstatus=Offline", None),
    case("newest connection", "pageSize=25&orderBy=connectedat", Some("940 ms")),
    case("offline and AQ290", "pageSize=25&connectionstatus=Offline&model=AQ290", None),
    case("serial has 123", "pageSize=25&serialnumber=123", Some("22 to 240 ms")),
    case("last page", "pageSize=25&page=1000000", Some("2,000 ms")),
    case("country has united", "pageSize=25&country=united", None),
    case("city begins with s", "pageSize=25&city=s&orderBy=country", None),
    case("Chicago, online", "pageSize=25&city=chicago&connectionstatus=Online&orderBy=country", None),
    case("saffron in Chicago", "pageSize=25&city=chicago&customer=saffron", None),
    case("last page of offline", "pageSize=25&connectionstatus=Offline&page=1000000", None),
    case("never connected", "pageSize=25&connectionstatus=NeverConnected", None),
    case("lowest level first", "pageSize=25&orderBy=fragranceremaining&order=asc", None),
    case("at most 5 percent", "pageSize=25&maxremaining=5&orderBy=fragranceremaining&order=asc", None),
    case("offline for 30 days", "pageSize=25&offlinehours=720", None),
    case("search: 20123", "pageSize=25&q=20123", None),
    case("search: saffron lobby chicago", "pageSize=25&q=saffron%20lobby%20chicago", None),
    case("search: sa 12", "pageSize=25&q=sa%2012", None),
    case(
        "near Chicago, low, nearest first",
        "pageSize=25&near=41.88,-87.63&maxremaining=20&orderBy=distance&order=asc",
        None,
    ),
    case("middle page by city", "pageSize=25&orderBy=city&page=MIDDLE", None),
];

#[tokio::main]
async fn main() -> ExitCode {
    let full = std::env::var("SILLAGE_BENCH").is_ok_and(|bench| bench == "full");
    let sizes: &[usize] = if full { &[10_000, 100_000, MILLION] } else { &[10_000, 100_000] };
    let cloud = Cloud::start().await;
    let mut good = true;
    for postgres in [false, true] {
        for &devices in sizes {
            let test = if postgres { TestDb::postgres().await } else { TestDb::sqlite().await };
            let begin = now();
            fill_index(&test, fleet::of(devices)).await.unwrap();
            items::open(&test).await;
            settle(&test).await;
            let name = if postgres { "PostgreSQL" } else { "SQLite" };
            println!("\n{name}, {devices} devices, filled in {:.0?}", begin.elapsed());
            good &= lists(&cloud, &test, devices).await;
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measures every list for every reader.
async fn lists(cloud: &Cloud, test: &TestDb, devices: usize) -> bool {
    let (console, begin) = (cloud.console(test).await, now());
    let lists = Lists::load(test).await.unwrap();
    let (loading, memory) = (begin.elapsed(), lists.bytes_per_device());
    let mut good = memory <= MEMORY && (devices < MILLION || loading <= LOADING);
    println!(
        "  loaded in {loading:.1?} (<= {LOADING:?} for a million), {memory} bytes a device (<= {MEMORY}){}",
        if good { "" } else { "  MISSED" }
    );
    for (number, (who, csp)) in READERS.into_iter().enumerate() {
        let reader = Reader::sign_in(&console, number).await;
        println!("  {who:<34}{:>9} {:>9} {:>9} {:>9} {:>9}", "p50", "p99", "alone", "ping", "devices");
        for case in &CASES {
            let pages = lists.page(csp, &case.query.replace("MIDDLE", "1")).await.unwrap().div_ceil(25);
            let query = case.query.replace("MIDDLE", &(pages / 2 + 1).to_string());
            let measured = measure(&lists, csp, &reader, &query).await;
            let missed = missed(measured, devices);
            good &= missed.is_empty();
            let other = case.other.filter(|_| csp.is_none() && devices == MILLION);
            println!(
                "    {:<32}{} {:>9}{}{}",
                case.name,
                [measured.p50, measured.p99, measured.alone, measured.ping].map(millis).join(" "),
                measured.total,
                other.map(|other| format!("  (another console: {other})")).unwrap_or_default(),
                missed
            );
        }
        let [ping, _] = measure::alternate(&reader, [measure::PING; 2]).await;
        for (name, [p50, devices]) in items::measure(&reader).await {
            let most = FLOOR.max(devices * OVER_DEVICES + ping);
            let missed = if p50 > most { format!("  MISSED: {}", millis(most).trim()) } else { String::new() };
            good &= missed.is_empty();
            println!("    {name:<32}{} devices {}{missed}", millis(p50), millis(devices));
        }
        if csp.is_none() {
            let [pages, pings] = throughput(&reader).await;
            let ratio = pages / pings;
            println!(
                "    different pages, {CONNECTIONS} connections: {pages:.0}/s, ping {pings:.0}/s, ratio {ratio:.2}"
            );
        }
    }
    console.shutdown().await;
    good
}

/// Describes the bounds that a list misses.
fn missed(measured: Measured, devices: usize) -> String {
    let mut missed = String::new();
    let most = measured.alone * OVER_ALONE + measured.ping;
    if measured.p50 > most {
        missed += &format!("  MISSED: {OVER_ALONE} x alone + ping = {}", millis(most).trim());
    }
    let (median, slowest) = match devices {
        MILLION => (MEDIAN, SLOWEST),
        100_000 => (MEDIAN_OF_FEWER, SLOWEST),
        _ => return missed,
    };
    if measured.p50 > median {
        missed += &format!("  MISSED: {median:?}");
    }
    if measured.p99 > slowest {
        missed += &format!("  MISSED: p99 {slowest:?}");
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

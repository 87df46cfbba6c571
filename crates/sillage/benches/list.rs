//! What a page of the list costs, as a ratio to the cheapest request that needs a session (`GET /api/jwt/ping`), in the same
//! run and through the whole stack: `make bench`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "what is missing here fails the run")]

#[path = "../tests/support/mod.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use std::time::{Duration, Instant};

use support::{Demo, Person};

const DEVICES: &str = "1000";
const WARM_UP: usize = 50;
const ROUNDS: usize = 400;

const YARDSTICK: &str = "/api/jwt/ping";
const CASES: &[(&str, &str)] = &[
    ("default page", "/api/devices"),
    ("50 by customer", "/api/devices?pageSize=50&orderBy=customer&order=asc"),
    ("online only", "/api/devices?connectionstatus=Online"),
    ("dsn contains 050", "/api/devices?dsn=050"),
    ("last page", "/api/devices?page=200"),
];

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let demo = Demo::start(folder.path(), &["--devices", DEVICES]);
    let admin = Person::sign_in(&demo, &demo.ready()["accounts"][0]).await;

    let yardstick = median(&admin, YARDSTICK).await;
    println!("{DEVICES} devices, SQLite, median of {ROUNDS}; ping = 1 ({yardstick:.0?})");
    for (name, path) in CASES {
        let median = median(&admin, path).await;
        println!("{name:<20} {:>6.2}  ({median:.0?})", median.as_secs_f64() / yardstick.as_secs_f64());
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
async fn median(person: &Person, path: &str) -> Duration {
    let mut times = Vec::with_capacity(ROUNDS);
    for round in 0..WARM_UP + ROUNDS {
        let begin = Instant::now();
        person.get(path).await;
        if round >= WARM_UP {
            times.push(begin.elapsed());
        }
    }
    times.sort();
    times[ROUNDS / 2]
}

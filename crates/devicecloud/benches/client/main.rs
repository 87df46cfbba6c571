//! The overhead of the library over plain reqwest and serde_json: `make bench`.
//!
//! A server in a separate process sends the same prepared responses to both: 10,000 devices in pages of 100, and
//! 100,000 properties, 20 for each of 5,000 devices. The baseline reads them with `reqwest` into typed structs that
//! derive `Deserialize`, as an application would that knows its cloud's exact responses. The library reads them
//! tolerantly, with sessions and retries. They take turns in short rounds. The result is the median of the rounds' ratios,
//! because other load on the machine changes from round to round, but rarely within one. glibc is configured to keep
//! freed memory, because returning and reallocating the top of the heap for every page would measure the kernel. It
//! fails if
//!
//! 1. the library reaches less than 0.9 of the baseline's speed;
//! 2. its memory grows with the number of pages.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a missing value fails the run")]

mod bare;
mod memory;
mod server;

use std::ops::Range;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bare::Bare;
use devicecloud::{Authorization, Client, Clock, Config, MemoryTokenStore};
use futures::TryStreamExt;
use server::{DEVICES, PER_DEVICE, PER_PAGE, PROPERTIES, Server};

/// The free memory that glibc keeps, in bytes.
const KEEP_FREED: &str = "MALLOC_TRIM_THRESHOLD_";
const ROUNDS: usize = 60;
/// Properties per round.
const SLICE: usize = PROPERTIES / 20;
/// Minimum speed of the library relative to the baseline.
const RATIO: f64 = 0.9;
/// With this many times the pages, memory may grow by this many KiB: less than one page of devices.
const MORE_PAGES: usize = 20;
const MORE_MEMORY: u64 = 512;

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == server::ARGUMENT) {
        return server::serve();
    }
    if std::env::var_os(KEEP_FREED).is_none() {
        let again = Command::new(std::env::current_exe().unwrap()).env(KEEP_FREED, "67108864").status().unwrap();
        return if again.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(measure())
}

async fn measure() -> ExitCode {
    let server = Server::start();
    let (client, bare) = (client(&server.url), Bare::new(&server.url));
    let mut good = true;
    let (mut library, mut baseline) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        baseline.push(timed(bare.devices(), DEVICES).await);
        library.push(timed(devices(&client, DEVICES), DEVICES).await);
    }
    good &= report(&format!("listing {DEVICES} devices"), &library, &baseline);
    let (mut library, mut baseline) = (vec![], vec![]);
    for round in 0..ROUNDS {
        let first = round * SLICE % PROPERTIES / PER_DEVICE;
        let of = first..first + SLICE / PER_DEVICE;
        baseline.push(timed(bare.properties(of.clone()), SLICE).await);
        library.push(timed(properties(&client, of), SLICE).await);
    }
    good &= report(&format!("reading {SLICE} properties"), &library, &baseline);
    good &= memory_stays(&client).await;
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Lists devices page by page, dropping each page.
async fn devices(client: &Client, count: usize) -> usize {
    let per_page = u32::try_from(PER_PAGE).unwrap();
    let list = client.devices().list().per_page(per_page).filter("count", count.to_string());
    list.items()
        .try_fold(0, |count, device| async move { Ok(count + usize::from(!device.dsn.is_blank())) })
        .await
        .unwrap()
}

async fn properties(client: &Client, of: Range<usize>) -> usize {
    let mut count = 0;
    for device in of {
        let properties = client.properties().list(format!("D{device:06}")).send().await.unwrap();
        count += properties.iter().filter(|property| !property.key.is_blank()).count();
    }
    count
}

/// Peak memory does not depend on the number of pages.
async fn memory_stays(client: &Client) -> bool {
    let most = |count| async move {
        memory::forget_peak();
        assert_eq!(devices(client, count).await, count);
        memory::peak()
    };
    let few = most(DEVICES / 10).await;
    let many = most(DEVICES / 10 * MORE_PAGES).await;
    let grown = many.saturating_sub(few);
    let pages = DEVICES / 10 / PER_PAGE;
    println!("memory of {pages} pages {few} KiB, of {} pages {many} KiB", pages * MORE_PAGES);
    println!("  grown   {grown} KiB {}", verdict(grown <= MORE_MEMORY, &format!("<= {MORE_MEMORY}")));
    grown <= MORE_MEMORY
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

async fn timed(work: impl Future<Output = usize>, expected: usize) -> Duration {
    let begin = now();
    assert_eq!(work.await, expected);
    begin.elapsed()
}

/// The rounds of both, in the same order.
fn report(what: &str, library: &[Duration], baseline: &[Duration]) -> bool {
    let seconds = |rounds: &[Duration]| rounds.iter().map(Duration::as_secs_f64).collect::<Vec<_>>();
    let (library, baseline) = (seconds(library), seconds(baseline));
    let ratio = median(library.iter().zip(&baseline).map(|(library, baseline)| baseline / library).collect());
    let [library, baseline] = [library, baseline].map(|rounds| 1000.0 * median(rounds));
    println!("{what}: library {library:.1} ms, bare reqwest and serde_json {baseline:.1} ms");
    println!("  speed   {ratio:.2} {}", verdict(ratio >= RATIO, &format!(">= {RATIO}")));
    ratio >= RATIO
}

fn verdict(good: bool, bound: &str) -> String {
    format!("({bound}: {})", if good { "good" } else { "MISSED" })
}

fn client(url: &str) -> Client {
    let store = MemoryTokenStore::with(Authorization {
        access_token: server::TOKEN.into(),
        refresh_token: "refresh".into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: Clock::system().now(),
    });
    Client::new(Config::local(url, "app", "secret").unwrap(), Arc::new(store)).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> Instant {
    Instant::now()
}

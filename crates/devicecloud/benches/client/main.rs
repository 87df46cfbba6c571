//! What the library costs above bare reqwest and serde_json: `make bench`.
//!
//! A server in a process of its own gives the same prepared answers to both: 10,000 devices in pages of 100, and 100,000
//! properties, 20 for each of 5,000 devices. The yardstick reads them with `reqwest` into typed structs of the same members,
//! which derive `Deserialize`: what an application would write that knew its cloud's answers by heart. The library reads
//! them tolerantly, with sessions, retries and all. They take turns in short rounds; what counts is the round than which a
//! quarter of them is faster. glibc is told to keep what is freed: an empty program gives the top of its heap back after every
//! page and pays for it again with the next, which would measure the kernel. It fails when
//!
//! 1. the library reaches less than 0.8 of the yardstick's speed;
//! 2. its memory grows with the number of pages.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "what is missing here fails the run")]

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

/// How many free bytes glibc keeps.
const KEEP_FREED: &str = "MALLOC_TRIM_THRESHOLD_";
const ROUNDS: usize = 60;
/// Properties of a round.
const SLICE: usize = PROPERTIES / 20;
/// The library's part of the yardstick's speed, at least.
const RATIO: f64 = 0.8;
/// So many times the pages may cost so much more memory, in KiB: less than one page of devices.
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
    let (mut library, mut yardstick) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        yardstick.push(timed(bare.devices(), DEVICES).await);
        library.push(timed(devices(&client, DEVICES), DEVICES).await);
    }
    good &= told(&format!("listing {DEVICES} devices"), quarter(library), quarter(yardstick));
    let (mut library, mut yardstick) = (vec![], vec![]);
    for round in 0..ROUNDS {
        let first = round * SLICE % PROPERTIES / PER_DEVICE;
        let of = first..first + SLICE / PER_DEVICE;
        yardstick.push(timed(bare.properties(of.clone()), SLICE).await);
        library.push(timed(properties(&client, of), SLICE).await);
    }
    let slices = u32::try_from(PROPERTIES / SLICE).unwrap();
    good &= told(&format!("reading {PROPERTIES} properties"), quarter(library) * slices, quarter(yardstick) * slices);
    good &= memory_stays(&client).await;
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Lists devices page by page, and lets go of each.
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

/// The most memory of many pages is that of a few.
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

/// The round than which a quarter of them is faster.
fn quarter(mut rounds: Vec<Duration>) -> Duration {
    rounds.sort();
    rounds[rounds.len() / 4]
}

async fn timed(work: impl Future<Output = usize>, expected: usize) -> Duration {
    let begin = now();
    assert_eq!(work.await, expected);
    begin.elapsed()
}

fn told(what: &str, library: Duration, yardstick: Duration) -> bool {
    let ratio = yardstick.as_secs_f64() / library.as_secs_f64();
    println!("{what}: library {library:.0?}, bare reqwest and serde_json {yardstick:.0?}");
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

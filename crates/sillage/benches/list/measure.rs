//! Measures one list: over HTTP, alone, and the cheapest request with a session, in alternating rounds. Measures how many pages
//! many connections read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use console::testing::Lists;

use crate::now;
use crate::world::Reader;

/// The cheapest request that needs a session.
pub(crate) const PING: &str = "/api/jwt/ping";
const WARM_UP: usize = 15;
const ROUNDS: usize = 300;
/// Slow lists get fewer rounds.
const LONGEST: Duration = Duration::from_secs(8);
const FEWEST: usize = 30;
/// Connections that read at the same time.
pub(crate) const CONNECTIONS: usize = 16;
/// Turns of each of the two requests that are compared.
const TURNS: usize = 5;
const TURN: Duration = Duration::from_secs(2);

/// The times of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
    /// The median without a request around it.
    pub(crate) alone: Duration,
    /// The median of the ping.
    pub(crate) ping: Duration,
    pub(crate) total: u64,
}

pub(crate) async fn measure(lists: &Lists, csp: Option<&str>, reader: &Reader, query: &str) -> Measured {
    let path = format!("/api/devices?{query}");
    let total = lists.page(csp, query).await.unwrap();
    assert_eq!(reader.total(query).await, total, "{query}");
    let (mut over_http, mut alone, mut pings) = (vec![], vec![], vec![]);
    let begin = now();
    for round in 0..WARM_UP + ROUNDS {
        let times =
            [timed(reader.get(&path)).await, timed(lists.page(csp, query)).await, timed(reader.get(PING)).await];
        if round >= WARM_UP {
            over_http.push(times[0]);
            alone.push(times[1]);
            pings.push(times[2]);
        }
        if begin.elapsed() > LONGEST && over_http.len() >= FEWEST {
            break;
        }
    }
    over_http.sort();
    Measured {
        p50: over_http[over_http.len() / 2],
        p99: over_http[over_http.len() * 99 / 100],
        alone: median(alone),
        ping: median(pings),
        total,
    }
}

/// The medians of two requests in alternating rounds.
pub(crate) async fn alternate(reader: &Reader, paths: [&str; 2]) -> [Duration; 2] {
    let (mut times, begin) = ([vec![], vec![]], now());
    for round in 0..WARM_UP + ROUNDS {
        for (path, times) in paths.into_iter().zip(&mut times) {
            let time = timed(reader.get(path)).await;
            if round >= WARM_UP {
                times.push(time);
            }
        }
        if begin.elapsed() > LONGEST && times[0].len() >= FEWEST {
            break;
        }
    }
    times.map(median)
}

/// Pages that connections read in turns: other filters, orders and places.
const PAGES: [&str; 6] = [
    "/api/devices?pageSize=5&page=",
    "/api/devices?pageSize=5&orderBy=city&order=asc&page=",
    "/api/devices?pageSize=5&connectionstatus=Offline&page=",
    "/api/devices?pageSize=5&country=united&orderBy=customer&page=",
    "/api/devices?pageSize=5&maxremaining=20&orderBy=fragranceremaining&order=asc&page=",
    "/api/devices?pageSize=5&city=s&orderBy=serialnumber&page=",
];

/// Requests per second of many pages and of the ping, by many connections at once. The median of alternating turns.
pub(crate) async fn throughput(reader: &Reader) -> [f64; 2] {
    let page = |number: usize| format!("{}{}", PAGES[number % PAGES.len()], number / PAGES.len() % 40 + 1);
    let mut rates = [vec![], vec![]];
    for _ in 0..TURNS {
        rates[0].push(rate(reader, page).await);
        rates[1].push(rate(reader, |_| PING.to_owned()).await);
    }
    rates.map(|mut rates| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    })
}

/// `path` gives the path of each request, of all connections one after the other.
async fn rate(reader: &Reader, path: impl Fn(usize) -> String + Copy + Send + 'static) -> f64 {
    let (begin, next) = (now(), Arc::new(AtomicUsize::new(0)));
    let connections: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let (reader, next) = (reader.clone(), Arc::clone(&next));
            tokio::spawn(async move {
                let mut read = 0_u32;
                while begin.elapsed() < TURN {
                    reader.get(&path(next.fetch_add(1, Ordering::Relaxed))).await;
                    read += 1;
                }
                read
            })
        })
        .collect();
    let mut read = 0;
    for connection in connections {
        read += connection.await.unwrap();
    }
    f64::from(read) / begin.elapsed().as_secs_f64()
}

async fn timed<T>(work: impl Future<Output = T>) -> Duration {
    let begin = now();
    work.await;
    begin.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

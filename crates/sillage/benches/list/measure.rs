//! Measures one list: over HTTP, its statements alone, and the cheapest request with a session, in alternating rounds. Measures
//! how many first pages many connections read.

use std::time::Duration;

use platform::db::Db;

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
    /// The median of the same statements on the same kind of connection, without a request around them.
    pub(crate) sql: Duration,
    /// The median of the ping.
    pub(crate) ping: Duration,
    pub(crate) total: u64,
}

pub(crate) async fn measure(db: &Db, csp: Option<&str>, reader: &Reader, query: &str) -> Measured {
    let path = format!("/api/devices?{query}");
    let total = console::testing::list(db, csp, query).await.unwrap();
    assert_eq!(reader.total(query).await, total, "{query}");
    let (mut over_http, mut alone, mut pings) = (vec![], vec![], vec![]);
    let begin = now();
    for round in 0..WARM_UP + ROUNDS {
        let times = [
            timed(reader.get(&path)).await,
            timed(console::testing::list(db, csp, query)).await,
            timed(reader.get(PING)).await,
        ];
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
        sql: median(alone),
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

/// Requests per second of the first page and of the ping, by many connections at once. The median of alternating turns.
pub(crate) async fn throughput(reader: &Reader) -> [f64; 2] {
    let mut rates = [vec![], vec![]];
    for _ in 0..TURNS {
        for (path, rates) in ["/api/devices", PING].into_iter().zip(&mut rates) {
            rates.push(rate(reader, path).await);
        }
    }
    rates.map(|mut rates| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    })
}

async fn rate(reader: &Reader, path: &'static str) -> f64 {
    let begin = now();
    let connections: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let reader = reader.clone();
            tokio::spawn(async move {
                let mut read = 0_u32;
                while begin.elapsed() < TURN {
                    reader.get(path).await;
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

//! Measures one list: over HTTP, its statements alone, and the cheapest request with a session, in alternating rounds.

use std::time::Duration;

use platform::db::Db;

use crate::now;
use crate::world::Reader;

/// The cheapest request that needs a session.
const PING: &str = "/api/jwt/ping";
const WARM_UP: usize = 15;
const ROUNDS: usize = 300;
/// Slow lists get fewer rounds.
const LONGEST: Duration = Duration::from_secs(8);
const FEWEST: usize = 30;

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

async fn timed<T>(work: impl Future<Output = T>) -> Duration {
    let begin = now();
    work.await;
    begin.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

//! The pace of a device manager's requests.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Default of [`manager_request_interval`](crate::ClientBuilder::manager_request_interval): at most 20 requests per second. Up to 100 devices are
/// read every 5 s; more devices are read less often, in turn.
pub const DEFAULT_MANAGER_REQUEST_INTERVAL: Duration = Duration::from_millis(50);

/// A longer `Retry-After` is cut to a year, which avoids times that cannot be represented.
const LONGEST_WAIT: Duration = Duration::from_secs(365 * 86_400);

/// Lets requests start one after the other, with an interval in between.
pub(crate) struct Pace {
    interval: Duration,
    /// Waiting requests, in the order in which they came.
    turns: tokio::sync::Mutex<()>,
    not_before: Mutex<Instant>,
}

impl Pace {
    pub(crate) fn new(interval: Duration) -> Self {
        Self { interval, turns: tokio::sync::Mutex::default(), not_before: Mutex::new(Instant::now()) }
    }

    /// Waits until the next request may start. A dropped future takes no turn.
    pub(crate) async fn turn(&self) {
        let _turn = self.turns.lock().await;
        loop {
            // Read again after each wait, because it may have been put off meanwhile.
            let at = *self.not_before();
            if at <= Instant::now() {
                break;
            }
            sleep_until(at).await;
        }
        self.wait_for(self.interval);
    }

    /// No request starts before this time has passed.
    pub(crate) fn wait_for(&self, time: Duration) {
        let at = Instant::now() + time.min(LONGEST_WAIT);
        let mut not_before = self.not_before();
        *not_before = at.max(*not_before);
    }

    fn not_before(&self) -> MutexGuard<'_, Instant> {
        self.not_before.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;

    use super::*;

    const INTERVAL: Duration = Duration::from_millis(100);
    const SECOND: Duration = Duration::from_secs(1);

    /// The number of the request and the milliseconds until its turn.
    async fn turn(pace: &Pace, start: Instant, number: usize) -> (usize, u128) {
        pace.turn().await;
        (number, start.elapsed().as_millis())
    }

    #[test]
    fn default_interval_is_a_twentieth_of_a_second() {
        assert_eq!(DEFAULT_MANAGER_REQUEST_INTERVAL.as_millis(), 50);
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_requests_start_in_order_one_per_interval() {
        let (pace, start) = (Pace::new(INTERVAL), Instant::now());
        let turns = join_all((0..4).map(|number| turn(&pace, start, number))).await;
        assert_eq!(turns, [(0, 0), (1, 100), (2, 200), (3, 300)]);
        tokio::time::sleep(SECOND).await;
        let turns = join_all((0..2).map(|number| turn(&pace, start, number))).await;
        assert_eq!(turns, [(0, 1300), (1, 1400)], "unused intervals are not saved up");
    }

    #[tokio::test(start_paused = true)]
    async fn longer_wait_puts_off_waiting_requests_and_a_shorter_one_does_not_shorten_it() {
        let (pace, start) = (Pace::new(INTERVAL), Instant::now());
        let limited = async {
            tokio::time::sleep(INTERVAL / 2).await;
            pace.wait_for(7 * SECOND);
            pace.wait_for(SECOND);
        };
        let (turns, ()) = tokio::join!(join_all((0..3).map(|number| turn(&pace, start, number))), limited);
        assert_eq!(turns, [(0, 0), (1, 7050), (2, 7150)]);
    }

    #[tokio::test(start_paused = true)]
    async fn dropped_request_takes_no_turn() {
        let (pace, start) = (Pace::new(INTERVAL), Instant::now());
        pace.turn().await;
        for _ in 0..10 {
            assert!(tokio::time::timeout(INTERVAL / 100, pace.turn()).await.is_err());
        }
        assert_eq!(turn(&pace, start, 1).await, (1, 100));
    }

    #[tokio::test(start_paused = true)]
    async fn no_interval_lets_every_request_start_and_an_endless_wait_does_not_overflow() {
        let (pace, start) = (Pace::new(Duration::ZERO), Instant::now());
        assert_eq!(join_all((0..2).map(|number| turn(&pace, start, number))).await, [(0, 0), (1, 0)]);
        pace.wait_for(Duration::MAX);
        assert!(tokio::time::timeout(100 * SECOND, pace.turn()).await.is_err());
    }
}

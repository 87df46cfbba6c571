//! Signals to a reader that it must read again: its list, or all that it shows. The more readers a node has, the longer each of
//! them rests between two signals.

use std::pin::Pin;
use std::time::Duration;

use platform::run::random::Random;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep};

use crate::events::hub::Hub;

/// The number of lists that all readers of a node together read again in a second.
const REREADS_PER_SECOND: u32 = 100;
const MIN_REST: Duration = Duration::from_secs(1);
const MAX_REST: Duration = Duration::from_secs(30);

/// Changes of one kind for one reader.
pub(super) struct RereadSignal {
    changes: watch::Receiver<()>,
    hub: Hub,
    random: Random,
    phase: Phase,
    timer: Pin<Box<Sleep>>,
}

#[derive(Clone, Copy)]
enum Phase {
    /// Until the timer ends, changes are only collected.
    Resting,
    /// A change is signalled soon.
    Waiting,
    /// A change is signalled when the timer ends.
    Signalling,
}

impl RereadSignal {
    pub(super) fn new(changes: watch::Receiver<()>, hub: Hub, random: Random) -> Self {
        let timer = Box::pin(tokio::time::sleep(Duration::ZERO));
        Self { changes, hub, random, phase: Phase::Waiting, timer }
    }

    /// Waits until changes since the last signal should be sent. Cancel-safe.
    ///
    /// Changes during the rest after a signal are combined into the next one. The rest is extended by up to a half at random.
    /// After a longer pause a signal is sent at a random time within the rest, and at once if there are few readers, because
    /// otherwise all readers would read their lists at the same time.
    pub(super) async fn due(&mut self) {
        loop {
            match self.phase {
                Phase::Resting => {
                    self.timer.as_mut().await;
                    // Changes so far were collected for long enough.
                    self.phase = if self.changes.has_changed().is_ok_and(|changed| changed) {
                        Phase::Signalling
                    } else {
                        Phase::Waiting
                    };
                }
                Phase::Waiting => {
                    if self.changes.changed().await.is_err() {
                        std::future::pending::<()>().await;
                    }
                    let delay = self.up_to(rest(self.hub.readers()).saturating_sub(MIN_REST));
                    self.start_timer(Phase::Signalling, delay);
                }
                Phase::Signalling => {
                    self.timer.as_mut().await;
                    self.changes.mark_unchanged();
                    let rest = rest(self.hub.readers());
                    self.start_timer(Phase::Resting, rest + self.up_to(rest / 2));
                    return;
                }
            }
        }
    }

    fn start_timer(&mut self, phase: Phase, duration: Duration) {
        self.timer.as_mut().reset(Instant::now() + duration);
        self.phase = phase;
    }

    /// A random duration, in milliseconds.
    fn up_to(&self, longest: Duration) -> Duration {
        let millis = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(self.random.below(millis.saturating_add(1)))
    }
}

/// The shortest time between two signals to one of so many readers.
fn rest(readers: usize) -> Duration {
    let readers = u32::try_from(readers).unwrap_or(u32::MAX);
    (MIN_REST * readers / REREADS_PER_SECOND).clamp(MIN_REST, MAX_REST)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use diffuser::Role;
    use futures::FutureExt;

    use super::*;
    use crate::events::hub::ReaderChannels;
    use crate::policy::Actor;
    use crate::policy::session_hash::SessionHash;

    /// A reader's signal on a node with so many readers.
    fn signal(readers: usize) -> (watch::Sender<()>, RereadSignal, Vec<ReaderChannels>) {
        let (list, changes) = watch::channel(());
        let hub = Hub::default();
        let session = SessionHash::of(&[1; 32]);
        let actor = Actor { session, user: uuid::Uuid::nil(), role: Some(Role::Admin), csp: None };
        let others = (0..readers).map(|_| hub.subscribe(&actor, HashSet::new(), &HashSet::new())).collect();
        (list, RereadSignal::new(changes, hub, Random::seeded(1)), others)
    }

    #[test]
    fn rest_grows_with_the_readers_up_to_30_seconds() {
        let rows = [(0, 1.0), (1, 1.0), (100, 1.0), (150, 1.5), (1_000, 10.0), (3_000, 30.0), (1_000_000, 30.0)];
        for (readers, seconds) in rows {
            assert_eq!(rest(readers), Duration::from_secs_f64(seconds), "{readers} readers");
        }
        assert_eq!(rest(usize::MAX), MAX_REST);
    }

    /// A list that changes each 10 ms for ten minutes.
    async fn times_between_signals(readers: usize) -> Vec<Duration> {
        let (list, mut signal, _others) = signal(readers);
        let (mut times, mut last) = (Vec::new(), Instant::now());
        for _ in 0..60_000 {
            list.send_replace(());
            if tokio::time::timeout(Duration::from_millis(10), signal.due()).await.is_ok() {
                times.push(last.elapsed());
                last = Instant::now();
            }
        }
        times
    }

    #[tokio::test(start_paused = true)]
    async fn list_that_changes_all_the_time_is_signalled_after_each_rest() {
        for (readers, seconds) in [(1, 1.0), (100, 1.0), (1_000, 10.0), (5_000, 30.0)] {
            let times = times_between_signals(readers).await;
            let (shortest, longest) = (seconds * 1000.0, seconds * 1500.0 + 20.0);
            let (first, later) = times.split_first().unwrap();
            assert!(first.as_secs_f64() <= seconds, "{readers} readers: {first:?}");
            assert!(later.len() >= 10);
            assert!(
                later.iter().all(|time| (shortest..=longest).contains(&(time.as_secs_f64() * 1000.0))),
                "{readers} readers: {later:?}"
            );
            let distinct: HashSet<&Duration> = later.iter().collect();
            assert!(distinct.len() > later.len() / 4, "the times differ at random: {later:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn first_change_after_a_pause_is_immediate_for_few_readers() {
        let (list, mut signal, _others) = signal(100);
        assert!(signal.due().now_or_never().is_none(), "nothing has changed");
        for _ in 0..3 {
            let begin = Instant::now();
            list.send_replace(());
            signal.due().await;
            assert!(begin.elapsed() <= Duration::from_millis(1), "{:?}", begin.elapsed());
            assert!(tokio::time::timeout(Duration::from_secs(60), signal.due()).await.is_err(), "only once");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn first_change_after_a_pause_reaches_many_readers_one_after_the_other() {
        let (list, changes) = watch::channel(());
        let (_, RereadSignal { hub, random, .. }, _others) = signal(1_000);
        let begin = Instant::now();
        let mut signals: Vec<RereadSignal> =
            (0..1_000).map(|_| RereadSignal::new(changes.clone(), hub.clone(), random.clone())).collect();
        list.send_replace(());
        let mut in_second = [0; 10];
        let times = signals.iter_mut().map(async |signal| {
            signal.due().await;
            begin.elapsed()
        });
        for time in futures::future::join_all(times).await {
            in_second[usize::try_from(time.as_secs()).unwrap()] += 1;
        }
        assert_eq!(in_second[9], 0);
        assert!(in_second[..9].iter().all(|signals| (60..=170).contains(signals)), "{in_second:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn last_change_is_signalled_after_the_rest() {
        let (list, mut signal, _others) = signal(1);
        list.send_replace(());
        signal.due().await;
        let begin = Instant::now();
        list.send_replace(());
        signal.due().await;
        assert!((1..2).contains(&begin.elapsed().as_secs()), "{:?}", begin.elapsed());
        assert!(tokio::time::timeout(Duration::from_secs(60), signal.due()).await.is_err(), "only once");
    }
}

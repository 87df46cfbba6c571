use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::chance::Chance;
use crate::clock::Clock;
use crate::drop_outs::DropOuts;
use crate::failure_log::FailureLog;
use crate::link::Link;
use crate::machine::{LIVES_EVERY, Machine};
use crate::session::{Device, End, Error, Session, sign_in};
use crate::state::State;

/// A fleet comes up at this pace, so that its cloud is not met by all at once.
const BETWEEN_CONNECTS: Duration = Duration::from_millis(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_BACK_OFF: Duration = Duration::from_secs(1);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(60);

/// One diffuser to simulate.
pub struct VirtualDevice {
    pub dsn: String,
    /// The device key, 64 lower-case hex digits.
    pub key: String,
    pub state: State,
}

/// A fleet to simulate.
pub struct Options {
    pub link: Link,
    /// The same seed gives the same jitter, delays and drop-outs.
    pub seed: u64,
    /// Let connections break now and then, as they do in shops.
    pub drop_outs: bool,
    pub devices: Vec<VirtualDevice>,
}

/// Running diffusers. Dropping it leaves them running; [`shutdown`](Self::shutdown) ends them.
#[derive(Debug)]
pub struct Fleet {
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Fleet {
    /// Starts a task for each device, which connects within two milliseconds times the size of the fleet and whenever it
    /// loses its connection.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn start(options: Options) -> Self {
        let clock = Clock::System;
        let fleet = Self { stop: CancellationToken::new(), tasks: TaskTracker::new() };
        let failure_log = FailureLog::default();
        let spread = BETWEEN_CONNECTS * u32::try_from(options.devices.len()).unwrap_or(u32::MAX);
        for VirtualDevice { dsn, key, state } in options.devices {
            let mut chance = Chance::of(options.seed, &dsn);
            let wait = chance.pick(Duration::ZERO..spread);
            let drop_outs = options.drop_outs.then(|| DropOuts::of(options.seed, &dsn));
            let machine = Machine::new(state, clock.now(), chance.pick(Duration::ZERO..LIVES_EVERY));
            let device = Device { dsn, key, machine, chance, clock };
            let link = options.link.clone();
            let (stop, failure_log) = (fleet.stop.clone(), failure_log.clone());
            fleet.tasks.spawn(async move {
                if stop.run_until_cancelled(sleep(wait)).await.is_some() {
                    live(device, || link.clone().dial(), drop_outs, &stop, &failure_log).await;
                }
            });
        }
        fleet.tasks.close();
        fleet
    }

    /// Lets every diffuser say goodbye and waits for that.
    pub async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

/// Keeps a device connected until `stop`, but for its drop-outs.
async fn live<T, F>(
    mut device: Device,
    connect: impl Fn() -> F,
    drop_outs: Option<DropOuts>,
    stop: &CancellationToken,
    failure_log: &FailureLog,
) where
    T: AsyncRead + AsyncWrite + Unpin,
    F: Future<Output = io::Result<T>>,
{
    let mut drop_outs = drop_outs.into_iter().flatten();
    let mut drop_out = drop_outs.next().map(|(gap, silence)| (Instant::now() + gap, silence));
    let mut failures = 0;
    while let Some(entered) = stop.run_until_cancelled(enter(&device, &connect)).await {
        let began = Instant::now();
        let ended = match entered {
            Ok(mut session) => session.run(&mut device, stop, drop_out.map(|(at, _)| at)).await,
            Err(error) => Err(error),
        };
        // A connection that soon ends again is no success: two of the same name would take turns for ever.
        if began.elapsed() >= LONGEST_BACK_OFF {
            failures = 0;
        }
        let wait = match ended {
            Ok(End::Stopped) => return,
            Ok(End::DroppedOut) => {
                let silence = drop_out.map_or(Duration::ZERO, |(_, silence)| silence);
                tracing::debug!(dsn = device.dsn, ?silence, "a diffuser drops out");
                drop_out = drop_outs.next().map(|(gap, next)| (Instant::now() + silence + gap, next));
                silence
            }
            Err(error) => {
                lament(&device.dsn, &error, failure_log);
                failures += 1;
                back_off(failures - 1, &mut device.chance)
            }
        };
        if stop.run_until_cancelled(sleep(wait)).await.is_none() {
            return;
        }
    }
}

fn lament(dsn: &str, error: &Error, failure_log: &FailureLog) {
    match error {
        Error::Refused(_) | Error::NotSubscribed => {
            tracing::warn!(dsn, reason = %error, "the cloud refused a diffuser");
        }
        _ => {
            tracing::debug!(dsn, reason = %error, "a diffuser lost its connection");
            if let Some(failures) = failure_log.count() {
                tracing::warn!(failures, reason = %error, "diffusers cannot connect, or lost their connection");
            }
        }
    }
}

async fn enter<T, F>(device: &Device, connect: impl Fn() -> F) -> Result<Session<T>, Error>
where
    T: AsyncRead + AsyncWrite + Unpin,
    F: Future<Output = io::Result<T>>,
{
    let io = timeout(CONNECT_TIMEOUT, connect()).await.map_err(|_| Error::NoAnswer)??;
    sign_in(io, device).await
}

/// Doubles with each failure up to a minute; jitter takes away up to half of it.
fn back_off(failures: u32, chance: &mut Chance) -> Duration {
    let longest = FIRST_BACK_OFF.saturating_mul(2u32.saturating_pow(failures)).min(LONGEST_BACK_OFF);
    chance.pick(longest / 2..longest)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use diffuser::SystemConfiguration;
    use serde_json::json;
    use tokio::io::{DuplexStream, duplex};
    use tokio::net::TcpListener;
    use tokio::sync::mpsc;

    use super::*;
    use crate::testing::{Cloud, device};

    #[test]
    fn back_off_doubles_up_to_a_minute() {
        let mut chance = Chance::of(1, "SL0001");
        for (failures, longest) in [(0, 1), (1, 2), (5, 32), (6, 60), (40, 60)] {
            let wait = back_off(failures, &mut chance);
            let longest = Duration::from_secs(longest);
            assert!(longest / 2 <= wait && wait < longest, "{failures}: {wait:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_diffuser_that_cannot_connect_tries_ever_more_slowly_until_stopped() {
        let stop = CancellationToken::new();
        let tries = Rc::new(Cell::new(0));
        let began = Instant::now();
        let connect = || {
            tries.set(tries.get() + 1);
            if tries.get() == 10 {
                stop.cancel();
            }
            async { Err::<DuplexStream, _>(io::ErrorKind::ConnectionRefused.into()) }
        };
        live(device("SL0001"), connect, None, &stop, &FailureLog::default()).await;
        assert_eq!(tries.get(), 10);
        let took = began.elapsed();
        assert!((Duration::from_secs(120)..Duration::from_secs(250)).contains(&took), "{took:?}");
    }

    /// A device that lives, and its connections as the cloud meets them.
    fn alive(drop_outs: Option<DropOuts>) -> (mpsc::UnboundedReceiver<DuplexStream>, CancellationToken) {
        let (sender, connections) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        tokio::spawn(async move {
            let connect = || {
                let (here, there) = duplex(64 * 1024);
                let sent = sender.send(here);
                async { sent.map(|()| there).map_err(io::Error::other) }
            };
            live(device("SL0001"), connect, drop_outs, &stopped, &FailureLog::default()).await;
        });
        (connections, stop)
    }

    #[tokio::test(start_paused = true)]
    async fn a_diffuser_drops_out_without_a_word_and_comes_back_with_all_it_counted() {
        let (mut connections, _stop) = alive(Some(DropOuts::of(1, "SL0001")));
        let began = Instant::now();
        let mut gone = began;
        for (gap, silence) in DropOuts::of(1, "SL0001").take(5) {
            let mut cloud = Cloud::new(connections.recv().await.unwrap());
            cloud.let_in().await;
            cloud.grant().await;
            let told = cloud.report().await["appliance_life"].take();
            let hundredths = began.elapsed().as_secs() / 36;
            assert_eq!(told, json!(f64::from(u32::try_from(hundredths).unwrap()) / 100.0));
            // The device lives as long as it is told, to the millisecond.
            assert!(!cloud.until_gone().await, "a drop-out is no goodbye");
            let connected = gone.elapsed().as_millis();
            assert_eq!(connected, gap.as_millis());
            gone = Instant::now() + silence;
        }
        connections.recv().await.unwrap();
        assert_eq!(Instant::now(), gone);
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_that_a_drop_out_met_is_obeyed_after_it() {
        let (mut connections, _stop) = alive(Some(DropOuts::of(1, "SL0001")));
        let mut cloud = Cloud::new(connections.recv().await.unwrap());
        cloud.let_in().await;
        cloud.grant().await;
        cloud.until_gone().await;
        let mut cloud = Cloud::new(connections.recv().await.unwrap());
        cloud.let_in().await;
        cloud.grant().await;
        assert_eq!(cloud.report().await["fan"], json!(0));
        cloud.command("c1", "fan", json!(3)).await;
        assert_eq!(cloud.published("ack").await["status"], json!(200));
        assert_eq!(cloud.report().await, json!({"fan": 3}));
    }

    #[tokio::test(start_paused = true)]
    async fn two_of_one_name_do_not_fight_at_full_speed() {
        let (mut connections, _stop) = alive(None);
        let began = Instant::now();
        for _ in 0..8 {
            let mut cloud = Cloud::new(connections.recv().await.unwrap());
            cloud.let_in().await;
            // Another one has taken over: the cloud closes this connection.
        }
        assert!(began.elapsed() > Duration::from_secs(60), "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn every_device_of_a_fleet_signs_in_and_says_goodbye() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let link = listener.local_addr().unwrap().into();
        let devices = ["SL0001", "SL0002", "SL0003"].map(|dsn| VirtualDevice {
            dsn: dsn.to_owned(),
            key: "k".repeat(64),
            state: State::new(SystemConfiguration::Aq290),
        });
        let fleet = Fleet::start(Options { link, seed: 1, drop_outs: false, devices: devices.into() });

        let mut clouds = Vec::new();
        for _ in 0..3 {
            let mut cloud = Cloud::new(listener.accept().await.unwrap().0);
            cloud.let_in().await;
            cloud.grant().await;
            cloud.report().await;
            clouds.push(cloud);
        }
        let mut dsns: Vec<_> = clouds.iter().map(|cloud| cloud.dsn.clone()).collect();
        dsns.sort();
        assert_eq!(dsns, ["SL0001", "SL0002", "SL0003"]);

        fleet.shutdown().await;
        for mut cloud in clouds {
            cloud.goodbye().await;
        }
    }
}

//! Many virtual diffusers on their connections, which drop out now and then.

pub(crate) mod drop_outs;
pub(crate) mod failure_log;

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::drop_outs::DropOuts;
use self::failure_log::FailureLog;
use crate::clock::Clock;
use crate::fault::Fault;
use crate::machine::{LIFE_REPORT_INTERVAL, Machine};
use crate::rng::DeviceRng;
use crate::session::link::Link;
use crate::session::{Device, End, Error, LinkSession, sign_in};
use crate::state::State;

/// The average time between two connects at the start of a fleet, which spreads the load on the cloud.
const CONNECT_INTERVAL: Duration = Duration::from_millis(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_BACK_OFF: Duration = Duration::from_secs(1);
const MAX_BACK_OFF: Duration = Duration::from_secs(60);

/// One diffuser to simulate.
pub struct VirtualDevice {
    pub dsn: String,
    /// The device key: 64 lower-case hexadecimal digits.
    pub key: String,
    pub state: State,
    pub fault: Option<Fault>,
}

/// A fleet to simulate.
pub struct Options {
    pub link: Link,
    /// The same seed gives the same jitter, delays and drop-outs.
    pub seed: u64,
    /// Lose connections now and then, as in a store.
    pub drop_outs: bool,
    pub devices: Vec<VirtualDevice>,
    pub clock: Clock,
}

/// Running diffusers. They keep running when this is dropped; use [`shutdown`](Self::shutdown) to stop them.
#[derive(Debug)]
pub struct Fleet {
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Fleet {
    /// Starts a task for each device, which keeps it connected. The first connects are spread over two milliseconds per
    /// device.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn start(options: Options) -> Self {
        let fleet = Self { stop: CancellationToken::new(), tasks: TaskTracker::new() };
        let failure_log = FailureLog::default();
        let spread = CONNECT_INTERVAL * u32::try_from(options.devices.len()).unwrap_or(u32::MAX);
        for VirtualDevice { dsn, key, state, fault } in options.devices {
            let clock = options.clock.clone();
            let mut rng = DeviceRng::new(options.seed, &dsn);
            let wait = rng.pick(Duration::ZERO..spread);
            let drop_outs = options.drop_outs.then(|| DropOuts::new(options.seed, &dsn));
            let first_lives = rng.pick(Duration::ZERO..LIFE_REPORT_INTERVAL);
            let machine = Machine::new(state, fault, clock.now(), first_lives);
            let device = Device { dsn, key, machine, rng, clock };
            let link = options.link.clone();
            let (stop, failure_log) = (fleet.stop.clone(), failure_log.clone());
            fleet.tasks.spawn(async move {
                if stop.run_until_cancelled(sleep(wait)).await.is_some() {
                    run_device(device, || link.clone().dial(), drop_outs, &stop, &failure_log).await;
                }
            });
        }
        fleet.tasks.close();
        fleet
    }

    /// Disconnects every diffuser and waits for its task.
    pub async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

/// Keeps a device connected until `stop`, except during drop-outs.
async fn run_device<T, F>(
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
    let mut drop_out = drop_outs.next().map(|(gap, outage)| (Instant::now() + gap, outage));
    let mut failures = 0;
    while let Some(entered) = stop.run_until_cancelled(connect_and_sign_in(&device, &connect)).await {
        let began = Instant::now();
        let ended = match entered {
            Ok(mut session) => session.run(&mut device, stop, drop_out.map(|(at, _)| at)).await,
            Err(error) => Err(error),
        };
        // A short connection does not reset the back-off, because two devices with one dsn would replace each other forever.
        if began.elapsed() >= MAX_BACK_OFF {
            failures = 0;
        }
        let wait = match ended {
            Ok(End::Stopped) => return,
            Ok(End::DroppedOut) => {
                let outage = drop_out.map_or(Duration::ZERO, |(_, outage)| outage);
                tracing::debug!(dsn = device.dsn, ?outage, "a diffuser drops out");
                drop_out = drop_outs.next().map(|(gap, next)| (Instant::now() + outage + gap, next));
                outage
            }
            Err(error) => {
                log_failure(&device.dsn, &error, failure_log);
                failures += 1;
                back_off(failures - 1, &mut device.rng)
            }
        };
        if stop.run_until_cancelled(sleep(wait)).await.is_none() {
            return;
        }
    }
}

fn log_failure(dsn: &str, error: &Error, failure_log: &FailureLog) {
    match error {
        Error::Refused(_) | Error::NotSubscribed => {
            tracing::warn!(dsn, reason = %error, "the cloud rejected a diffuser");
        }
        _ => {
            tracing::debug!(dsn, reason = %error, "a diffuser lost its connection");
            if let Some(failures) = failure_log.count() {
                tracing::warn!(failures, reason = %error, "diffusers failed to connect or lost their connection");
            }
        }
    }
}

async fn connect_and_sign_in<T, F>(device: &Device, connect: impl Fn() -> F) -> Result<LinkSession<T>, Error>
where
    T: AsyncRead + AsyncWrite + Unpin,
    F: Future<Output = io::Result<T>>,
{
    let io = timeout(CONNECT_TIMEOUT, connect()).await.map_err(|_| Error::NoAnswer)??;
    sign_in(io, device).await
}

/// The delay before the next attempt: it doubles with each failure up to a minute, minus a jitter of up to half.
fn back_off(failures: u32, rng: &mut DeviceRng) -> Duration {
    let longest = FIRST_BACK_OFF.saturating_mul(2u32.saturating_pow(failures)).min(MAX_BACK_OFF);
    rng.pick(longest / 2..longest)
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
    use crate::testing::{FakeCloud, device};

    #[test]
    fn back_off_doubles_up_to_a_minute() {
        let mut rng = DeviceRng::new(1, "SL0001");
        for (failures, longest) in [(0, 1), (1, 2), (5, 32), (6, 60), (40, 60)] {
            let wait = back_off(failures, &mut rng);
            let longest = Duration::from_secs(longest);
            assert!(longest / 2 <= wait && wait < longest, "{failures}: {wait:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn failed_connections_are_retried_with_growing_delays_until_stopped() {
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
        run_device(device("SL0001"), connect, None, &stop, &FailureLog::default()).await;
        assert_eq!(tries.get(), 10);
        let took = began.elapsed();
        assert!((Duration::from_secs(120)..Duration::from_secs(250)).contains(&took), "{took:?}");
    }

    /// Runs a device, and returns the cloud's ends of its connections.
    fn running_device(drop_outs: Option<DropOuts>) -> (mpsc::UnboundedReceiver<DuplexStream>, CancellationToken) {
        let (sender, connections) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        tokio::spawn(async move {
            let connect = || {
                let (here, there) = duplex(64 * 1024);
                let sent = sender.send(here);
                async { sent.map(|()| there).map_err(io::Error::other) }
            };
            run_device(device("SL0001"), connect, drop_outs, &stopped, &FailureLog::default()).await;
        });
        (connections, stop)
    }

    #[tokio::test(start_paused = true)]
    async fn drop_out_closes_without_disconnect_and_keeps_life_counters() {
        let (mut connections, _stop) = running_device(Some(DropOuts::new(1, "SL0001")));
        let began = Instant::now();
        let mut gone = began;
        for (gap, outage) in DropOuts::new(1, "SL0001").take(5) {
            let mut cloud = FakeCloud::new(connections.recv().await.unwrap());
            cloud.accept_connect().await;
            cloud.accept_subscriptions().await;
            let reported = cloud.report().await["appliance_life"].take();
            let hundredths = began.elapsed().as_secs() / 36;
            assert_eq!(reported, json!(f64::from(u32::try_from(hundredths).unwrap()) / 100.0));
            // The connection lasts exactly as long as the gap.
            assert!(!cloud.wait_closed().await, "a drop-out sends no DISCONNECT");
            let connected = gone.elapsed().as_millis();
            assert_eq!(connected, gap.as_millis());
            gone = Instant::now() + outage;
        }
        connections.recv().await.unwrap();
        assert_eq!(Instant::now(), gone);
    }

    #[tokio::test(start_paused = true)]
    async fn command_sent_during_a_drop_out_is_applied_after_it() {
        let (mut connections, _stop) = running_device(Some(DropOuts::new(1, "SL0001")));
        let mut cloud = FakeCloud::new(connections.recv().await.unwrap());
        cloud.accept_connect().await;
        cloud.accept_subscriptions().await;
        cloud.wait_closed().await;
        let mut cloud = FakeCloud::new(connections.recv().await.unwrap());
        cloud.accept_connect().await;
        cloud.accept_subscriptions().await;
        assert_eq!(cloud.report().await["fan"], json!(0));
        cloud.command("c1", "fan", json!(3)).await;
        assert_eq!(cloud.published("ack").await["status"], json!(200));
        assert_eq!(cloud.report().await, json!({"fan": 3}));
    }

    #[tokio::test(start_paused = true)]
    async fn two_devices_with_one_dsn_reconnect_with_back_off() {
        let (mut connections, _stop) = running_device(None);
        let began = Instant::now();
        for _ in 0..8 {
            let mut cloud = FakeCloud::new(connections.recv().await.unwrap());
            cloud.accept_connect().await;
            // Dropping the cloud closes the connection, as if another device had taken over.
        }
        assert!(began.elapsed() > Duration::from_secs(60), "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn every_device_of_a_fleet_signs_in_and_disconnects() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let link = listener.local_addr().unwrap().into();
        let devices = ["SL0001", "SL0002", "SL0003"].map(|dsn| VirtualDevice {
            dsn: dsn.to_owned(),
            key: "k".repeat(64),
            state: State::new(SystemConfiguration::Aq290),
            fault: None,
        });
        let (devices, clock) = (devices.into(), Clock::system());
        let fleet = Fleet::start(Options { link, seed: 1, drop_outs: false, devices, clock });

        let mut clouds = Vec::new();
        for _ in 0..3 {
            let mut cloud = FakeCloud::new(listener.accept().await.unwrap().0);
            cloud.accept_connect().await;
            cloud.accept_subscriptions().await;
            cloud.report().await;
            clouds.push(cloud);
        }
        let mut dsns: Vec<_> = clouds.iter().map(|cloud| cloud.dsn.clone()).collect();
        dsns.sort();
        assert_eq!(dsns, ["SL0001", "SL0002", "SL0003"]);

        fleet.shutdown().await;
        for mut cloud in clouds {
            cloud.expect_disconnect().await;
        }
    }
}

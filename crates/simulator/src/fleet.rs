use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::chance::Chance;
use crate::session::{Device, Error, Session, sign_in};
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
    /// `host:port` of the cloud's device link.
    pub link: String,
    /// The same seed gives the same jitter and delays.
    pub seed: u64,
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
        let fleet = Self { stop: CancellationToken::new(), tasks: TaskTracker::new() };
        let spread = BETWEEN_CONNECTS * u32::try_from(options.devices.len()).unwrap_or(u32::MAX);
        for VirtualDevice { dsn, key, state } in options.devices {
            let mut chance = Chance::of(options.seed, &dsn);
            let wait = chance.pick(Duration::ZERO..spread);
            let device = Device { dsn, key, state, chance };
            let link = options.link.clone();
            let stop = fleet.stop.clone();
            fleet.tasks.spawn(async move {
                if stop.run_until_cancelled(sleep(wait)).await.is_some() {
                    live(device, || dial(link.clone()), &stop).await;
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

/// Keeps a device connected until `stop`.
async fn live<T, F>(mut device: Device, connect: impl Fn() -> F, stop: &CancellationToken)
where
    T: AsyncRead + AsyncWrite + Unpin,
    F: Future<Output = io::Result<T>>,
{
    let mut failures = 0;
    while let Some(entered) = stop.run_until_cancelled(enter(&device, &connect)).await {
        let ended = match entered {
            Ok(mut session) => {
                failures = 0;
                session.run(&mut device, stop).await
            }
            Err(error) => Err(error),
        };
        match ended {
            Ok(()) => return,
            Err(error @ (Error::Refused(_) | Error::NotSubscribed)) => {
                tracing::warn!(dsn = device.dsn, reason = %error, "the cloud refused a diffuser");
            }
            Err(error) => tracing::debug!(dsn = device.dsn, reason = %error, "a diffuser lost its connection"),
        }
        let wait = back_off(failures, &mut device.chance);
        failures += 1;
        if stop.run_until_cancelled(sleep(wait)).await.is_none() {
            return;
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

async fn dial(link: String) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(link).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
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
    use tokio::net::TcpListener;
    use tokio::time::Instant;

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
            async { Err::<TcpStream, _>(io::ErrorKind::ConnectionRefused.into()) }
        };
        live(device("SL0001"), connect, &stop).await;
        assert_eq!(tries.get(), 10);
        let took = began.elapsed();
        assert!((Duration::from_secs(120)..Duration::from_secs(250)).contains(&took), "{took:?}");
    }

    #[tokio::test]
    async fn every_device_of_a_fleet_signs_in_and_says_goodbye() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let link = listener.local_addr().unwrap().to_string();
        let devices = ["SL0001", "SL0002", "SL0003"].map(|dsn| VirtualDevice {
            dsn: dsn.to_owned(),
            key: "k".repeat(64),
            state: State::new(SystemConfiguration::Aq290),
        });
        let fleet = Fleet::start(Options { link, seed: 1, devices: devices.into() });

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

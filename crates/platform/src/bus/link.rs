//! Connects a bus to the other nodes, sends what this node publishes, and delivers what it receives.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use metrics::Counter;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::channels::Channels;
use super::session::{CHECK_EVERY, Incoming, LinkError, LinkResult};
use super::{BusAddress, BusError, Message, nats, postgres};
use crate::db::Db;
use crate::run::random::Random;

/// How many published events may wait to be sent. The events after them become a resync of the other nodes.
const QUEUE: usize = 8192;
/// Maximum number of events that are sent at once.
const BATCH: usize = 256;
/// How long an attempt to connect, or a request on a connection, may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Events that were sent this long before a loss was noticed may not have arrived.
const UNCERTAIN: Duration = Duration::from_secs(15);
/// The pause before a first and, at most, a later attempt to connect. Half of it is random.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How long a stopping node sends what it has published.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Counts lost connections, and first attempts to connect that failed.
pub(crate) fn losses() -> Counter {
    metrics::counter!("sillage_bus_losses_total")
}

/// The sending side of a link. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    queue: mpsc::Sender<Message>,
    shared: Arc<Shared>,
}

/// What publishers and the link share.
#[derive(Debug)]
struct Shared {
    connected: watch::Sender<bool>,
    /// The purposes whose events did not reach the other nodes.
    missed: Mutex<BTreeSet<String>>,
}

impl Shared {
    fn missed(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remote {
    /// Queues an event, or notes that the other nodes miss it.
    pub(super) fn send(&self, message: Message) {
        let message = if self.is_connected() {
            match self.queue.try_send(message) {
                Ok(()) => return,
                Err(error) => error.into_inner(),
            }
        } else {
            message
        };
        let mut missed = self.shared.missed();
        if !missed.contains(message.purpose()) {
            missed.insert(message.purpose().to_owned());
        }
    }

    pub(super) fn is_connected(&self) -> bool {
        *self.shared.connected.borrow()
    }

    pub(super) fn connection(&self) -> watch::Receiver<bool> {
        self.shared.connected.subscribe()
    }
}

/// Opens sessions on the bus's server.
pub(super) enum Connector {
    Postgres(Box<postgres::Connector>),
    Nats(nats::Connector),
}

impl Connector {
    /// `None` for a bus within the process.
    pub(super) async fn new(address: &BusAddress, db: &Db, random: &Random) -> Result<Option<Self>, BusError> {
        Ok(match (address, db) {
            (BusAddress::InProcess, _) => None,
            (BusAddress::Postgres, Db::Postgres(server)) => {
                Some(Self::Postgres(Box::new(postgres::Connector::new(server, random))))
            }
            (BusAddress::Postgres, Db::Sqlite { .. }) => return Err(BusError::NeedsPostgres),
            (BusAddress::Nats(address), _) => {
                Some(Self::Nats(nats::Connector::new(address.clone(), nats::scope(db, random).await?)))
            }
        })
    }

    async fn connect(&self) -> LinkResult<BusSession> {
        let session = async {
            Ok(match self {
                Self::Postgres(connector) => BusSession::Postgres(connector.connect().await?),
                Self::Nats(connector) => BusSession::Nats(connector.connect().await?),
            })
        };
        timeout(PATIENCE, session).await.map_err(|_| "the server does not answer")?
    }
}

/// Opens and closes a session. On NATS it belongs to no installation, because the name of one is stored.
pub(super) async fn probe(address: &BusAddress, db: &Db, random: &Random) -> Result<(), BusError> {
    let connector = match address {
        BusAddress::Nats(address) => Some(Connector::Nats(nats::Connector::new(address.clone(), random.hex(8)))),
        BusAddress::InProcess | BusAddress::Postgres => Connector::new(address, db, random).await?,
    };
    let Some(connector) = connector else { return Ok(()) };
    let probed = async { connector.connect().await?.listen("probe").await };
    probed.await.map_err(BusError::Unreachable)
}

/// A connection to the bus's server. After an error it is lost.
enum BusSession {
    Postgres(postgres::PostgresSession),
    Nats(nats::NatsSession),
}

impl BusSession {
    /// Begins to receive the events of a purpose.
    async fn listen(&mut self, purpose: &str) -> LinkResult<()> {
        in_time(async {
            match self {
                Self::Postgres(session) => session.listen(purpose).await,
                Self::Nats(session) => session.listen(purpose).await,
            }
        })
        .await
    }

    /// Sends events in this order. An event that is too large makes the other nodes resync.
    async fn send(&mut self, batch: &[Message]) -> LinkResult<()> {
        in_time(async {
            match self {
                Self::Postgres(session) => session.send(batch).await,
                Self::Nats(session) => session.send(batch).await,
            }
        })
        .await
    }

    /// Makes the other nodes resync these purposes.
    async fn send_resync(&mut self, purposes: &BTreeSet<String>) -> LinkResult<()> {
        in_time(async {
            match self {
                Self::Postgres(session) => session.send_resync(purposes).await,
                Self::Nats(session) => session.send_resync(purposes).await,
            }
        })
        .await
    }

    /// Waits for what other nodes send. Cancel safe.
    async fn receive(&mut self) -> LinkResult<Incoming> {
        match self {
            Self::Postgres(session) => session.receive().await,
            Self::Nats(session) => session.receive().await,
        }
    }

    /// Returns when the server has handled everything that was sent before. Fails if it does not answer.
    async fn check(&mut self) -> LinkResult<()> {
        in_time(async {
            match self {
                Self::Postgres(session) => session.check().await,
                Self::Nats(session) => session.round_trip().await,
            }
        })
        .await
    }
}

async fn in_time<T>(request: impl Future<Output = LinkResult<T>>) -> LinkResult<T> {
    timeout(PATIENCE, request).await.map_err(|_| "the server does not answer")?
}

/// The task between a [`Bus`](super::Bus) and the other nodes.
pub struct BusLink {
    connector: Connector,
    channels: Arc<Channels>,
    queue: mpsc::Receiver<Message>,
    shared: Arc<Shared>,
    random: Random,
    session: Option<BusSession>,
    /// When an event of each purpose was last sent on the present session.
    sent: HashMap<String, Instant>,
}

/// Why a session ends.
enum End {
    /// The node stops, or no [`Bus`](super::Bus) is left.
    Stopped,
    Lost(LinkError),
}

impl BusLink {
    pub(super) async fn connect(connector: Connector, channels: Arc<Channels>, random: Random) -> (Remote, Self) {
        let (sender, queue) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared { connected: watch::Sender::new(false), missed: Mutex::default() });
        let remote = Remote { queue: sender, shared: Arc::clone(&shared) };
        let mut link = Self { connector, channels, queue, shared, random, session: None, sent: HashMap::new() };
        match link.connector.connect().await {
            Ok(session) => {
                link.session = Some(session);
                link.shared.connected.send_replace(true);
            }
            Err(error) => {
                losses().increment(1);
                tracing::warn!(%error, "the bus cannot be reached: changes by other nodes are not live");
            }
        }
        (remote, link)
    }

    /// Sends and receives until `stop` is cancelled or every [`Bus`](super::Bus) is dropped. A lost connection is opened again.
    /// When stopped, sends for up to a second what was published before.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            let session = match self.session.take() {
                Some(session) => session,
                None => match self.reconnect(&stop).await {
                    Some(session) => session,
                    None => return,
                },
            };
            match self.serve(session, &stop).await {
                End::Stopped => return,
                End::Lost(error) => {
                    losses().increment(1);
                    tracing::warn!(%error, "the bus is disconnected: changes by other nodes are not live");
                    self.note_missed();
                }
            }
        }
    }

    /// Tries until there is a session, or returns `None` when stopped.
    async fn reconnect(&mut self, stop: &CancellationToken) -> Option<BusSession> {
        let mut longest = FIRST_PAUSE;
        loop {
            let half = longest / 2;
            let pause = half + Duration::from_micros(self.random.below(half.as_micros() as u64));
            longest = LONGEST_PAUSE.min(longest * 2);
            tokio::select! {
                () = sleep(pause) => {}
                () = stop.cancelled() => return None,
                () = closed(&mut self.queue, &self.shared) => return None,
            }
            if let Ok(session) = stop.run_until_cancelled(self.connector.connect()).await? {
                return Some(session);
            }
        }
    }

    async fn serve(&mut self, mut session: BusSession, stop: &CancellationToken) -> End {
        match self.exchange(&mut session, stop).await {
            Ok(()) => {
                self.shared.connected.send_replace(false);
                End::Stopped
            }
            Err(error) => End::Lost(error),
        }
    }

    /// Returns when stopped.
    async fn exchange(&mut self, session: &mut BusSession, stop: &CancellationToken) -> LinkResult<()> {
        let mut heard = BTreeSet::new();
        self.listen(session, &mut heard).await?;
        self.begin(session).await?;
        let mut batch = Vec::with_capacity(BATCH);
        let mut checks = interval(CHECK_EVERY);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let channels = Arc::clone(&self.channels);
        loop {
            tokio::select! {
                incoming = session.receive() => match incoming? {
                    Incoming::Message(message) => channels.deliver(message),
                    Incoming::Resync(purpose) => channels.resync(&purpose),
                    Incoming::Lost => channels.resync_all(),
                },
                count = self.queue.recv_many(&mut batch, BATCH) => {
                    if count == 0 {
                        return Ok(());
                    }
                    self.send(session, &mut batch).await?;
                }
                () = channels.purpose_added.notified() => self.listen(session, &mut heard).await?,
                _ = checks.tick() => {
                    session.check().await?;
                    self.announce_missed(session).await?;
                }
                () = stop.cancelled() => {
                    let _ = timeout(LAST_WORDS, self.finish(session, &mut batch)).await;
                    return Ok(());
                }
            }
        }
    }

    /// Receives purposes with subscriptions. Their subscriptions resync, because they may have missed events until now.
    async fn listen(&self, session: &mut BusSession, heard: &mut BTreeSet<Box<str>>) -> LinkResult<()> {
        for purpose in self.channels.purposes() {
            if !heard.contains(&purpose) {
                session.listen(&purpose).await?;
                self.channels.resync(&purpose);
                heard.insert(purpose);
            }
        }
        Ok(())
    }

    /// Announces what the other nodes missed before this session. From now on, publishers queue their events.
    async fn begin(&mut self, session: &mut BusSession) -> LinkResult<()> {
        if !*self.shared.connected.borrow() {
            // Events that were queued while the loss was noticed.
            self.note_missed();
            self.shared.connected.send_replace(true);
            tracing::info!("the bus is connected");
        }
        self.announce_missed(session).await
    }

    async fn send(&mut self, session: &mut BusSession, batch: &mut Vec<Message>) -> LinkResult<()> {
        let now = Instant::now();
        for message in &*batch {
            match self.sent.get_mut(message.purpose()) {
                Some(sent) => *sent = now,
                None => _ = self.sent.insert(message.purpose().to_owned(), now),
            }
        }
        session.send(batch).await?;
        batch.clear();
        self.announce_missed(session).await
    }

    async fn announce_missed(&self, session: &mut BusSession) -> LinkResult<()> {
        let missed = std::mem::take(&mut *self.shared.missed());
        if missed.is_empty() {
            return Ok(());
        }
        let announced = session.send_resync(&missed).await;
        if announced.is_err() {
            self.shared.missed().extend(missed);
        }
        announced
    }

    /// Sends the rest of the queue.
    async fn finish(&mut self, session: &mut BusSession, batch: &mut Vec<Message>) -> LinkResult<()> {
        self.queue.close();
        while self.queue.recv_many(batch, BATCH).await > 0 {
            self.send(session, batch).await?;
        }
        session.check().await
    }

    /// After a loss: notes what the other nodes may have missed.
    fn note_missed(&mut self) {
        self.shared.connected.send_replace(false);
        let mut missed = self.shared.missed();
        while let Ok(message) = self.queue.try_recv() {
            missed.insert(message.purpose().to_owned());
        }
        missed.extend(self.sent.drain().filter(|(_, at)| at.elapsed() < UNCERTAIN).map(|(purpose, _)| purpose));
    }
}

/// Resolves when every publisher is gone.
async fn closed(queue: &mut mpsc::Receiver<Message>, shared: &Shared) {
    while let Some(message) = queue.recv().await {
        shared.missed().insert(message.purpose().to_owned());
    }
}

impl fmt::Debug for BusLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BusLink").finish_non_exhaustive()
    }
}

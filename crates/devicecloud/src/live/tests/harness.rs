//! A fake device manager and a fake cloud that record calls, for tests with a paused clock.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::clock::Jitter;
use crate::error::{Error, ErrorKind, Result};
use crate::events::EventSender;
use crate::events::manager_event::{DeviceManagerEvent, DeviceManagerEvents, DeviceManagerState};
use crate::future::BoxFuture;
use crate::live::upstream::Upstream;
use crate::live::{LiveStreamManager, LiveStreamState, LiveStreamStates, ManagedDevices};
use crate::model::{DataSource, Dsn, Subscription, SubscriptionId};
use crate::stream::{StreamEvent, StreamHandle};

/// The response time of the cloud.
pub(super) const RESPONSE_TIME: Duration = Duration::from_millis(100);

/// The calls of the manager under test, in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Call {
    Subscribed(Vec<String>),
    Unsubscribed(String),
    Opened(String),
    Refreshed,
    Source(DataSource, bool),
    /// A connectivity event of this device.
    Applied(String),
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<(Instant, Call)>>>);

impl Log {
    fn push(&self, call: Call) {
        self.0.lock().unwrap().push((Instant::now(), call));
    }
}

pub(super) struct FakeDevices {
    log: Log,
    dsns: Mutex<Vec<Dsn>>,
    state: watch::Sender<DeviceManagerState>,
    events: EventSender<DeviceManagerEvent>,
}

impl ManagedDevices for FakeDevices {
    fn dsns(&self) -> Vec<Dsn> {
        self.dsns.lock().unwrap().clone()
    }

    fn state(&self) -> watch::Receiver<DeviceManagerState> {
        self.state.subscribe()
    }

    fn events(&self) -> DeviceManagerEvents {
        self.events.subscribe()
    }

    fn reload(&self) {
        self.log.push(Call::Refreshed);
    }

    fn apply(&self, event: StreamEvent) {
        let StreamEvent::Connectivity { dsn, .. } = event else { panic!("{event:?}") };
        self.log.push(Call::Applied(dsn.to_string()));
    }

    fn source_changed(&self, source: DataSource, connected: bool) {
        self.log.push(Call::Source(source, connected));
    }
}

/// Responds to subscription requests by a plan, then with the ids `1`, `2` and so on. The test feeds the streams.
#[derive(Clone)]
struct FakeCloud {
    log: Log,
    failures: Arc<Mutex<VecDeque<Error>>>,
    created: Arc<Mutex<usize>>,
    streams: mpsc::UnboundedSender<mpsc::Sender<StreamEvent>>,
}

impl Upstream for FakeCloud {
    fn subscribe(&self, dsns: Vec<Dsn>) -> BoxFuture<'static, Result<Subscription>> {
        self.log.push(Call::Subscribed(dsns.iter().map(|dsn| dsn.as_str().to_owned()).collect()));
        let cloud = self.clone();
        Box::pin(async move {
            tokio::time::sleep(RESPONSE_TIME).await;
            if let Some(failure) = cloud.failures.lock().unwrap().pop_front() {
                return Err(failure);
            }
            let mut created = cloud.created.lock().unwrap();
            *created += 1;
            Ok(Subscription { id: created.to_string().into(), ..Subscription::default() })
        })
    }

    fn unsubscribe(&self, id: SubscriptionId) -> BoxFuture<'static, Result<()>> {
        let log = self.log.clone();
        Box::pin(async move {
            tokio::time::sleep(RESPONSE_TIME).await;
            log.push(Call::Unsubscribed(id.as_str().to_owned()));
            Err(Error::new(ErrorKind::Server, "the result is ignored"))
        })
    }

    fn open(&self, subscription: &Subscription) -> StreamHandle {
        self.log.push(Call::Opened(subscription.id.as_str().to_owned()));
        let (events, handle) = StreamHandle::fake();
        let _ = self.streams.send(events);
        handle
    }
}

pub(super) struct Harness {
    log: Log,
    pub(super) devices: Arc<FakeDevices>,
    pub(super) manager: LiveStreamManager,
    states: LiveStreamStates,
    streams: mpsc::UnboundedReceiver<mpsc::Sender<StreamEvent>>,
}

impl Harness {
    /// With these devices; the first subscription requests fail.
    pub(super) fn new(dsns: &[&str], failures: usize) -> Self {
        Self::failing(dsns, vec![Error::new(ErrorKind::Server, "no"); failures], 0.0)
    }

    /// With these failures of the first subscription requests, and this jitter.
    pub(super) fn failing(dsns: &[&str], failures: Vec<Error>, fraction: f64) -> Self {
        Self::build(dsns, failures, fraction, DeviceManagerState::Ready)
    }

    pub(super) fn with(dsns: &[&str], state: DeviceManagerState) -> Self {
        Self::build(dsns, Vec::new(), 0.0, state)
    }

    fn build(dsns: &[&str], failures: Vec<Error>, fraction: f64, state: DeviceManagerState) -> Self {
        let log = Log::default();
        let (streams, opened) = mpsc::unbounded_channel();
        let failures = Arc::new(Mutex::new(failures.into()));
        let cloud = FakeCloud { log: log.clone(), failures, created: Arc::default(), streams };
        let devices = Arc::new(FakeDevices {
            log: log.clone(),
            dsns: Mutex::new(dsns.iter().map(|dsn| (*dsn).into()).collect()),
            state: watch::Sender::new(state),
            events: EventSender::new(16),
        });
        let manager = LiveStreamManager::over(Arc::new(cloud), devices.clone(), Jitter::fixed(fraction));
        let states = manager.states();
        Self { log, devices, manager, states, streams: opened }
    }

    /// A connected manager with an empty log.
    pub(super) async fn connected(dsns: &[&str]) -> (Self, mpsc::Sender<StreamEvent>) {
        let mut harness = Self::new(dsns, 0);
        let stream = harness.connects().await;
        harness.call();
        (harness, stream)
    }

    /// Waits for the next opened stream.
    pub(super) async fn stream(&mut self) -> mpsc::Sender<StreamEvent> {
        self.streams.recv().await.unwrap()
    }

    /// Connects the next opened stream.
    pub(super) async fn connects(&mut self) -> mpsc::Sender<StreamEvent> {
        let stream = self.stream().await;
        stream.send(StreamEvent::Connected).await.unwrap();
        self.becomes(LiveStreamState::Connected).await;
        stream
    }

    /// Waits for this state.
    pub(super) async fn becomes(&mut self, state: LiveStreamState) {
        while self.manager.state() != state {
            self.states.next().await.unwrap();
        }
    }

    /// Waits until the manager's task has ended.
    pub(super) async fn ends(&mut self) {
        while self.states.next().await.is_some() {}
    }

    /// Adds a device without an event.
    pub(super) fn add_device(&self, dsn: &str) {
        self.devices.dsns.lock().unwrap().push(dsn.into());
    }

    pub(super) fn add(&self, dsn: &str) {
        self.add_device(dsn);
        self.send_event(&DeviceManagerEvent::Devices { added: vec![dsn.into()], removed: vec![] });
    }

    pub(super) fn remove_all(&self) {
        let removed = std::mem::take(&mut *self.devices.dsns.lock().unwrap());
        self.send_event(&DeviceManagerEvent::Devices { added: vec![], removed });
    }

    pub(super) fn send_event(&self, event: &DeviceManagerEvent) {
        self.devices.events.send(event);
    }

    pub(super) fn manager_is(&self, state: DeviceManagerState) {
        self.devices.state.send_replace(state);
    }

    /// Advances the paused clock by this time.
    pub(super) async fn passes(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    /// The calls since the last time.
    pub(super) fn call(&self) -> Vec<Call> {
        self.log.0.lock().unwrap().drain(..).map(|(_, call)| call).collect()
    }

    /// The times of the subscription requests, relative to the first one.
    pub(super) fn subscription_requests(&self) -> Vec<Duration> {
        let log = self.log.0.lock().unwrap();
        let subscription_requests: Vec<_> =
            log.iter().filter(|(_, call)| matches!(call, Call::Subscribed(_))).map(|(at, _)| *at).collect();
        subscription_requests.iter().map(|at| *at - subscription_requests[0]).collect()
    }
}

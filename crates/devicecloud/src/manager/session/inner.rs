//! The effects and the task of a managed session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::state_machine::{Effect, Event, SessionPhase};
use crate::client::Client;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::live::LiveStreamManager;
use crate::manager::DeviceManager;
use crate::manager::task::until;
use crate::model::SubscriptionType;
use crate::session::{
    Authorization, SessionEvent, SessionEvents, SessionPublisher, refresh_delay, task_failed, under_grace,
};

/// How long a sign-out waits for the stream to delete its subscription.
const STREAM_STOP_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) struct Inner {
    pub(super) client: Client,
    pub(super) devices: DeviceManager,
    pub(super) stream: Option<LiveStreamManager>,
    pub(super) publisher: SessionPublisher,
    core: Mutex<Core>,
    /// Notified when the timer was changed.
    wake: Notify,
}

struct Core {
    phase: SessionPhase,
    /// The remaining lifetime of the current token.
    remaining_secs: u64,
    refresh_at: Option<Instant>,
}

impl Inner {
    pub(super) fn new(client: &Client, authorization: &Authorization) -> Arc<Self> {
        let settings = client.config().settings();
        let devices = DeviceManager::new(client);
        devices.start(settings.auto_fetch_devices);
        let stream = settings.allow_dss.then(|| {
            let types = live_types(&settings.dss_subscription_types);
            LiveStreamManager::start(client, Arc::new(devices.clone()), types)
        });
        let inner = Self {
            client: client.clone(),
            devices,
            stream,
            publisher: SessionPublisher::new(),
            core: Mutex::new(Core { phase: SessionPhase::Active, remaining_secs: 0, refresh_at: None }),
            wake: Notify::new(),
        };
        inner.refreshed(authorization);
        Arc::new(inner)
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn phase(&self) -> SessionPhase {
        self.core().phase
    }

    /// Handles an event and performs its effects, except refreshing the tokens: returns whether the caller must do so.
    pub(super) fn apply(&self, event: Event) -> bool {
        let mut core = self.core();
        let (next, effects) = core.phase.next(event);
        core.phase = next;
        let mut refresh = false;
        for effect in effects {
            match effect {
                Effect::Refresh => {
                    refresh = true;
                    core.refresh_at = None;
                }
                Effect::Schedule => core.refresh_at = Some(Instant::now() + refresh_delay(core.remaining_secs)),
                Effect::CancelTimer => core.refresh_at = None,
                Effect::PauseDevices => self.devices.pause(),
                Effect::ResumeDevices => self.devices.resume(),
                Effect::Close => {
                    tracing::info!(?event, "the session is closed");
                    self.devices.stop();
                    self.stream.iter().for_each(LiveStreamManager::stop);
                    self.publisher.publish(SessionEvent::Closed);
                }
            }
        }
        drop(core);
        self.wake.notify_one();
        refresh
    }

    /// Returns whether the caller must refresh the tokens first.
    pub(super) fn resume(&self, stored: &Authorization) -> bool {
        let remaining_secs = stored.remaining_secs(self.client.now());
        self.core().remaining_secs = remaining_secs;
        self.apply(Event::Resume { under_grace: under_grace(remaining_secs) })
    }

    fn refreshed(&self, authorization: &Authorization) {
        self.core().remaining_secs = authorization.remaining_secs(self.client.now());
        self.apply(Event::Refreshed);
    }

    /// Runs to completion even if the future is dropped, so that the session cannot stay in `Resuming`.
    pub(super) async fn refresh(self: &Arc<Self>) -> Result<()> {
        let inner = Arc::clone(self);
        let task = tokio::spawn(async move {
            match inner.client.refresh().await {
                Ok(authorization) => {
                    inner.refreshed(&authorization);
                    Ok(())
                }
                Err(error) => {
                    inner.apply(Event::RefreshFailed);
                    Err(refresh_error(error))
                }
            }
        });
        task.await.map_err(task_failed)?
    }

    /// Runs to completion even if the future is dropped.
    pub(super) async fn sign_out(self: &Arc<Self>) -> Result<()> {
        let inner = Arc::clone(self);
        let task = tokio::spawn(async move {
            if let Some(stream) = &inner.stream {
                let mut states = stream.states();
                let _ =
                    tokio::time::timeout(STREAM_STOP_TIMEOUT, async { while states.next().await.is_some() {} }).await;
            }
            inner.client.sign_out().await
        });
        task.await.map_err(task_failed)?
    }

    /// Handles an event of the client's session, which may be caused by other clients.
    async fn on_client_event(&self, event: SessionEvent) {
        if event == SessionEvent::Closed {
            self.apply(Event::Ended);
            return;
        }
        match self.client.require_session(messages::NO_SESSION_ACTIVE).await {
            Ok(authorization) => {
                self.refreshed(&authorization);
                if self.phase() != SessionPhase::Closed {
                    self.publisher.publish(event);
                }
            }
            Err(error) if error.kind() == ErrorKind::Precondition => {
                self.apply(Event::Ended);
            }
            Err(error) => tracing::warn!(kind = ?error.kind(), "the token store failed"),
        }
    }
}

/// The kinds of event in the settings, and those without which a device is not up to date.
fn live_types(settings: &[SubscriptionType]) -> Vec<SubscriptionType> {
    let mut types = settings.to_vec();
    for needed in [SubscriptionType::Datapoint, SubscriptionType::DatapointAck, SubscriptionType::Connectivity] {
        if !types.contains(&needed) {
            types.push(needed);
        }
    }
    types
}

/// Replaces the error of a refresh without a usable response with the specified one. Errors from before the request was
/// sent are kept.
fn refresh_error(error: Error) -> Error {
    match error.kind() {
        _ if error.status().is_some() => error,
        ErrorKind::InvalidArgument | ErrorKind::Precondition | ErrorKind::Auth => error,
        _ => Error::new(ErrorKind::General, messages::REFRESH_FAILED).with_outcome_of(&error).with_source(error),
    }
}

pub(super) async fn run(inner: Arc<Inner>, mut events: SessionEvents) {
    loop {
        let due = inner.core().refresh_at;
        tokio::select! {
            () = inner.wake.notified() => {}
            Some(event) = events.next() => inner.on_client_event(event).await,
            () = until(due) => {
                if inner.apply(Event::Due) {
                    // A failure is logged and closes the session.
                    let _ = inner.refresh().await;
                }
            }
        }
    }
}

//! Performs the effects of the state machine and feeds it with events.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::OptionFuture;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::clock::Jitter;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::events::EventSender;
use crate::events::manager_event::{DeviceManagerEvent, DeviceManagerState};
use crate::future::BoxFuture;
use crate::live::devices::ManagedDevices;
use crate::live::events::LiveStreamEvent;
use crate::live::state_machine::{Effect, Event, LiveStreamState, Stage, State};
use crate::live::upstream::Upstream;
use crate::model::{DataSource, Dsn, Subscription};
use crate::stream::{Backoff, StreamEvent, StreamHandle};

/// The delay before the second attempt to create a subscription.
pub(super) const RETRY_DELAY: Duration = Duration::from_millis(3000);

/// A control message from the manager's handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Pause,
    Resume,
    Stop,
}

/// What the manager's handles report.
pub(super) struct Reports {
    pub(super) state: watch::Sender<LiveStreamState>,
    pub(super) gave_up: watch::Sender<Option<Error>>,
    pub(super) events: Arc<EventSender<LiveStreamEvent>>,
}

/// The resources that the effects of the state machine have started.
struct Task {
    upstream: Arc<dyn Upstream>,
    devices: Arc<dyn ManagedDevices>,
    state: State,
    reports: Reports,
    backoff: Backoff,
    /// The failure that is being handled, until it is reported.
    failure: Option<Error>,
    /// The devices of the current or requested subscription.
    subscribed_dsns: HashSet<Dsn>,
    request: Option<BoxFuture<'static, Result<Subscription>>>,
    subscription: Option<Subscription>,
    stream: Option<StreamHandle>,
    retry: Option<Instant>,
    /// Subscriptions that are being deleted.
    deletions: JoinSet<()>,
}

/// Runs until it is stopped, all handles are dropped, or the device manager is dropped.
pub(super) async fn run(
    upstream: Arc<dyn Upstream>,
    devices: Arc<dyn ManagedDevices>,
    mut controls: mpsc::UnboundedReceiver<Control>,
    reports: Reports,
    jitter: Jitter,
) {
    let (mut device_events, mut manager_states) = (devices.events(), devices.state());
    let mut task = Task {
        upstream,
        devices,
        state: State::default(),
        reports,
        backoff: Backoff { first: RETRY_DELAY, jitter },
        failure: None,
        subscribed_dsns: HashSet::new(),
        request: None,
        subscription: None,
        stream: None,
        retry: None,
        deletions: JoinSet::new(),
    };
    task.handle(Event::Start);
    task.on_manager_state(*manager_states.borrow_and_update());
    // Devices may have been added before the subscription to events.
    task.check_for_new_devices();
    while task.state.stage != Stage::Stopped {
        tokio::select! {
            // Control messages first; the stream last, because it may always have events.
            biased;
            control = controls.recv() => task.handle(match control {
                Some(Control::Pause) => Event::Pause,
                Some(Control::Resume) => Event::Resume { devices: task.has_devices() },
                Some(Control::Stop) | None => Event::Stop,
            }),
            changed = manager_states.changed() => match changed {
                Ok(()) => task.on_manager_state(*manager_states.borrow_and_update()),
                Err(_) => task.handle(Event::Stop),
            },
            event = device_events.next() => match event {
                Some(DeviceManagerEvent::Devices { added, .. }) => task.on_devices_added(&added),
                Some(DeviceManagerEvent::Lagged) => task.check_for_new_devices(),
                Some(_) => {}
                None => task.handle(Event::Stop),
            },
            Some(response) = OptionFuture::from(task.request.as_mut()) => task.on_response(response),
            Some(()) = OptionFuture::from(task.retry.map(tokio::time::sleep_until)) => task.handle(Event::RetryDue),
            Some(event) = OptionFuture::from(task.stream.as_mut().map(StreamHandle::next)) => task.on_stream_event(event),
        }
    }
    task.clean_up().await;
}

impl Task {
    fn handle(&mut self, event: Event) {
        let (next, effects) = self.state.next(event);
        if next.stage != self.state.stage {
            tracing::debug!(?event, from = ?self.state.stage, to = ?next.stage, "the live stream manager changed its state");
        }
        self.state = next;
        if next.stage != Stage::RetryWait {
            self.retry = None;
        }
        effects.into_iter().for_each(|effect| self.perform(effect));
        let state = self.state.public();
        if self.reports.state.send_if_modified(|before| std::mem::replace(before, state) != state) {
            self.reports.events.send(&LiveStreamEvent::State(state));
        }
    }

    /// Handles an event that was caused by this error, and reports the error.
    fn fail(&mut self, error: Error, event: Event) {
        self.failure = Some(error);
        self.handle(event);
        if let Some(error) = self.failure.take() {
            self.reports.events.send(&LiveStreamEvent::ConnectFailed(error));
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Subscribe => {
                self.reports.gave_up.send_replace(None);
                let dsns = self.devices.dsns();
                self.subscribed_dsns = dsns.iter().cloned().collect();
                self.request = Some(self.upstream.subscribe(dsns));
            }
            Effect::ScheduleRetry => {
                let delay = self.backoff.first_delay(self.failure.as_ref().and_then(Error::retry_after));
                // Without a time there is no second attempt.
                self.retry = Instant::now().checked_add(delay);
            }
            Effect::GiveUp => {
                if let Some(error) = self.failure.take() {
                    self.reports.gave_up.send_replace(Some(error.clone()));
                    self.reports.events.send(&LiveStreamEvent::GaveUp(error));
                }
            }
            Effect::Open => {
                self.stream = self.subscription.as_ref().map(|subscription| self.upstream.open(subscription));
            }
            Effect::Close => self.stream = None,
            Effect::Unsubscribe => self.unsubscribe(),
            Effect::Refresh => self.devices.reload(),
            Effect::UseStream => self.devices.source_changed(DataSource::Dss, true),
            Effect::UsePolling => self.devices.source_changed(DataSource::Cloud, false),
        }
    }

    fn unsubscribe(&mut self) {
        self.subscribed_dsns.clear();
        let Some(subscription) = self.subscription.take() else { return };
        // Without a readable response there is no id.
        if subscription.id.is_blank() {
            return;
        }
        let deletion = self.upstream.unsubscribe(subscription.id);
        while self.deletions.try_join_next().is_some() {}
        self.deletions.spawn(async move {
            if let Err(error) = deletion.await {
                tracing::debug!(kind = ?error.kind(), status = error.status(), "deleting an old subscription failed");
            }
        });
    }

    fn has_devices(&self) -> bool {
        !self.devices.dsns().is_empty()
    }

    fn on_manager_state(&mut self, state: DeviceManagerState) {
        self.handle(match state {
            DeviceManagerState::Paused | DeviceManagerState::Error => Event::DevicesPaused,
            _ => Event::DevicesResumed { devices: self.has_devices() },
        });
    }

    fn on_devices_added(&mut self, dsns: &[Dsn]) {
        if dsns.iter().any(|dsn| !self.subscribed_dsns.contains(dsn)) {
            self.handle(Event::DeviceAdded);
        }
    }

    /// Handles devices that were added without an event.
    fn check_for_new_devices(&mut self) {
        let dsns = self.devices.dsns();
        self.on_devices_added(&dsns);
    }

    fn on_response(&mut self, response: Result<Subscription>) {
        self.request = None;
        match response {
            Ok(subscription) => {
                self.subscription = Some(subscription);
                self.handle(Event::Subscribed);
                self.check_for_new_devices();
            }
            Err(error) => {
                tracing::warn!(kind = ?error.kind(), status = error.status(), "creating a subscription failed");
                self.subscribed_dsns.clear();
                self.fail(error, Event::NotSubscribed);
            }
        }
    }

    fn on_stream_event(&mut self, event: Option<StreamEvent>) {
        match event {
            Some(StreamEvent::Connected) => self.handle(Event::Opened),
            Some(StreamEvent::Disconnected) => self.handle(Event::Closed),
            Some(StreamEvent::Gap) => self.handle(Event::Gap),
            Some(StreamEvent::ConnectFailed(error)) => {
                self.reports.events.send(&LiveStreamEvent::ConnectFailed(error));
            }
            Some(StreamEvent::GaveUp(error)) => self.fail(error, Event::Refused { devices: self.has_devices() }),
            // The task of the stream ends without a reason only if it panics.
            None => {
                let error = Error::new(ErrorKind::Internal, messages::TASK_FAILED);
                self.fail(error, Event::Refused { devices: self.has_devices() });
            }
            Some(event) => self.devices.apply(event),
        }
    }

    /// Deletes remaining subscriptions in the cloud, as far as it can be reached.
    async fn clean_up(mut self) {
        if let Some(Ok(subscription)) = OptionFuture::from(self.request.take()).await {
            self.subscription = Some(subscription);
            self.handle(Event::Subscribed);
        }
        while self.deletions.join_next().await.is_some() {}
    }
}

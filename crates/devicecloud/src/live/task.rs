//! Performs the effects of the state machine and feeds it with events.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::OptionFuture;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::error::Result;
use crate::live::fleet::Fleet;
use crate::live::machine::{Effect, Event, LiveStreamState, Stage, State};
use crate::live::upstream::Upstream;
use crate::manager::{DeviceManagerEvent, DeviceManagerState};
use crate::model::{DataSource, Dsn, Subscription};
use crate::session::BoxFuture;
use crate::stream::{StreamEvent, StreamHandle};

/// The delay before the second attempt to create a subscription.
pub(super) const RETRY_DELAY: Duration = Duration::from_millis(3000);

/// A control message from the manager's handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Pause,
    Resume,
    Stop,
}

/// The resources that the effects of the state machine have started.
struct Task {
    upstream: Arc<dyn Upstream>,
    fleet: Arc<dyn Fleet>,
    state: State,
    shown: watch::Sender<LiveStreamState>,
    /// The devices of the current or requested subscription.
    named: HashSet<Dsn>,
    request: Option<BoxFuture<'static, Result<Subscription>>>,
    subscription: Option<Subscription>,
    stream: Option<StreamHandle>,
    retry: Option<Instant>,
    /// Subscriptions that are being deleted.
    ending: JoinSet<()>,
}

/// Runs until it is stopped, all handles are dropped, or the device manager is dropped.
pub(super) async fn run(
    upstream: Arc<dyn Upstream>,
    fleet: Arc<dyn Fleet>,
    mut wishes: mpsc::UnboundedReceiver<Wish>,
    shown: watch::Sender<LiveStreamState>,
) {
    let (mut devices, mut manager) = (fleet.events(), fleet.state());
    let mut task = Task {
        upstream,
        fleet,
        state: State::default(),
        shown,
        named: HashSet::new(),
        request: None,
        subscription: None,
        stream: None,
        retry: None,
        ending: JoinSet::new(),
    };
    task.handle(Event::Start);
    task.manager_is(*manager.borrow_and_update());
    // Devices may have been added before the subscription to events.
    task.compare();
    while task.state.stage != Stage::Stopped {
        tokio::select! {
            // Control messages first; the stream last, because it may always have events.
            biased;
            wish = wishes.recv() => task.handle(match wish {
                Some(Wish::Pause) => Event::Pause,
                Some(Wish::Resume) => Event::Resume { devices: task.has_devices() },
                Some(Wish::Stop) | None => Event::Stop,
            }),
            changed = manager.changed() => match changed {
                Ok(()) => task.manager_is(*manager.borrow_and_update()),
                Err(_) => task.handle(Event::Stop),
            },
            event = devices.recv() => match event {
                Ok(DeviceManagerEvent::Devices { added, .. }) => task.added(&added),
                Ok(DeviceManagerEvent::Lagged) | Err(RecvError::Lagged(_)) => task.compare(),
                Ok(_) => {}
                Err(RecvError::Closed) => task.handle(Event::Stop),
            },
            Some(answer) = OptionFuture::from(task.request.as_mut()) => task.answered(answer),
            Some(()) = OptionFuture::from(task.retry.map(tokio::time::sleep_until)) => task.handle(Event::RetryDue),
            Some(event) = OptionFuture::from(task.stream.as_mut().map(StreamHandle::next)) => task.told(event),
        }
    }
    task.end().await;
}

impl Task {
    fn handle(&mut self, event: Event) {
        let (next, effects) = self.state.next(event);
        if next.stage != self.state.stage {
            tracing::debug!(?event, from = ?self.state.stage, to = ?next.stage, "the live stream manager");
        }
        self.state = next;
        if next.stage != Stage::Waiting {
            self.retry = None;
        }
        effects.into_iter().for_each(|effect| self.perform(effect));
        let shown = self.state.shown();
        self.shown.send_if_modified(|before| std::mem::replace(before, shown) != shown);
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Subscribe => {
                let dsns = self.fleet.dsns();
                self.named = dsns.iter().cloned().collect();
                self.request = Some(self.upstream.subscribe(dsns));
            }
            Effect::Wait => self.retry = Some(Instant::now() + RETRY_DELAY),
            Effect::Open => self.stream = self.subscription.as_ref().map(|it| self.upstream.open(it)),
            Effect::Close => self.stream = None,
            Effect::Unsubscribe => self.unsubscribe(),
            Effect::Refresh => self.fleet.refresh(),
            Effect::Live => self.fleet.source_changed(DataSource::Dss, true),
            Effect::NotLive => self.fleet.source_changed(DataSource::Cloud, false),
        }
    }

    fn unsubscribe(&mut self) {
        self.named.clear();
        let Some(subscription) = self.subscription.take() else { return };
        // Without a readable response there is no id.
        if subscription.id.is_blank() {
            return;
        }
        let deletion = self.upstream.unsubscribe(subscription.id);
        while self.ending.try_join_next().is_some() {}
        self.ending.spawn(async move {
            if let Err(error) = deletion.await {
                tracing::debug!(kind = ?error.kind(), status = error.status(), "an old subscription was not deleted");
            }
        });
    }

    fn has_devices(&self) -> bool {
        !self.fleet.dsns().is_empty()
    }

    fn manager_is(&mut self, state: DeviceManagerState) {
        self.handle(match state {
            DeviceManagerState::Paused | DeviceManagerState::Error => Event::FleetPaused,
            _ => Event::FleetResumed { devices: self.has_devices() },
        });
    }

    fn added(&mut self, dsns: &[Dsn]) {
        if dsns.iter().any(|dsn| !self.named.contains(dsn)) {
            self.handle(Event::DeviceAdded);
        }
    }

    /// Handles devices that were added without an event.
    fn compare(&mut self) {
        let dsns = self.fleet.dsns();
        self.added(&dsns);
    }

    fn answered(&mut self, answer: Result<Subscription>) {
        self.request = None;
        match answer {
            Ok(subscription) => {
                self.subscription = Some(subscription);
                self.handle(Event::Subscribed);
                self.compare();
            }
            Err(error) => {
                tracing::warn!(kind = ?error.kind(), status = error.status(), "no subscription to live data was made");
                self.named.clear();
                self.handle(Event::NotSubscribed);
            }
        }
    }

    fn told(&mut self, event: Option<StreamEvent>) {
        match event {
            Some(StreamEvent::Connected) => self.handle(Event::Opened),
            Some(StreamEvent::Disconnected) => self.handle(Event::Closed),
            Some(StreamEvent::Gap) => self.handle(Event::Gap),
            Some(StreamEvent::Refused) | None => self.handle(Event::Refused { devices: self.has_devices() }),
            Some(event) => self.fleet.apply(event),
        }
    }

    /// Deletes remaining subscriptions in the cloud, as far as it can be reached.
    async fn end(mut self) {
        if let Some(Ok(subscription)) = OptionFuture::from(self.request.take()).await {
            self.subscription = Some(subscription);
            self.handle(Event::Subscribed);
        }
        while self.ending.join_next().await.is_some() {}
    }
}

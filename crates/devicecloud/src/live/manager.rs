use std::sync::{Arc, Weak};

use tokio::sync::{mpsc, watch};

use crate::client::Client;
use crate::clock::Jitter;
use crate::error::Error;
use crate::events::{EventSender, Events};
use crate::live::devices::ManagedDevices;
use crate::live::events::{LiveStreamEvent, LiveStreamEvents, QUEUE};
use crate::live::state_machine::LiveStreamState;
use crate::live::task::{self, Control, Reports};
use crate::live::upstream::{Cloud, Upstream};
use crate::model::SubscriptionType;

/// Maintains a subscription and its stream for the devices of a session, so that they stay up to date without polling.
/// Cheap to clone; dropping the last clone stops it.
///
/// - It subscribes as soon as there are devices, and again when a device is added. A failed request is retried once
///   after 3 s, or later if the cloud asks for it (`Retry-After`); if that fails too, the manager
///   [gives up](Self::gave_up) until it is resumed or a device is added.
/// - A lost stream reconnects with the same key, as described at [`StreamHandle`](crate::StreamHandle); a rejected key is
///   replaced by a new subscription.
/// - [`events`](Self::events) has the reason of each failed attempt.
/// - While it is connected, devices are not polled. Whenever events may have been missed, all devices are reloaded.
/// - It is paused while the device manager is paused or in error.
#[derive(Clone, Debug)]
pub struct LiveStreamManager {
    controls: mpsc::UnboundedSender<Control>,
    state: watch::Receiver<LiveStreamState>,
    gave_up: watch::Receiver<Option<Error>>,
    /// The sender ends with the task.
    events: Weak<EventSender<LiveStreamEvent>>,
}

impl LiveStreamManager {
    /// Starts updating these devices with events of these types.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub(crate) fn start(client: &Client, devices: Arc<dyn ManagedDevices>, types: Vec<SubscriptionType>) -> Self {
        Self::over(Arc::new(Cloud { client: client.clone(), types }), devices, client.jitter().clone())
    }

    pub(crate) fn over(upstream: Arc<dyn Upstream>, devices: Arc<dyn ManagedDevices>, jitter: Jitter) -> Self {
        let (controls, received) = mpsc::unbounded_channel();
        let (state_sender, state) = watch::channel(LiveStreamState::Uninitialized);
        let (gave_up_sender, gave_up) = watch::channel(None);
        let sender = Arc::new(EventSender::new(QUEUE));
        let events = Arc::downgrade(&sender);
        let reports = Reports { state: state_sender, gave_up: gave_up_sender, events: sender };
        tokio::spawn(task::run(upstream, devices, received, reports, jitter));
        Self { controls, state, gave_up, events }
    }

    /// The current state.
    #[must_use]
    pub fn state(&self) -> LiveStreamState {
        *self.state.borrow()
    }

    /// Why the manager has given up connecting. `None` while it is connected, while it tries to connect or reconnects
    /// automatically, and before it was started.
    ///
    /// ```no_run
    /// # async fn run(stream: &devicecloud::LiveStreamManager) {
    /// use devicecloud::LiveStreamEvent;
    ///
    /// let mut events = stream.events();
    /// while let Some(event) = events.next().await {
    ///     match event {
    ///         LiveStreamEvent::ConnectFailed(error) => println!("no live data: {error}; the manager tries again"),
    ///         LiveStreamEvent::GaveUp(error) => println!("no live data: {error}; offer a button for `resume`"),
    ///         _ => println!("{:?}, {:?}", stream.state(), stream.gave_up()),
    ///     }
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn gave_up(&self) -> Option<Error> {
        self.gave_up.borrow().clone()
    }

    /// Subscribes to the events of the manager from now on.
    #[must_use]
    pub fn events(&self) -> LiveStreamEvents {
        self.events.upgrade().map_or_else(Events::ended, |sender| sender.subscribe())
    }

    /// The current state and its changes.
    #[must_use]
    pub fn states(&self) -> LiveStreamStates {
        let mut states = self.state.clone();
        states.mark_changed();
        LiveStreamStates(states)
    }

    /// Closes the stream until it is resumed, and keeps the subscription. Happens in the background.
    pub fn pause(&self) {
        self.send(Control::Pause);
    }

    /// Connects, creating a subscription if there is none. Waits for the first device if there is none, and for the
    /// device manager while it is paused or in error. Happens in the background.
    pub fn resume(&self) {
        self.send(Control::Resume);
    }

    /// Closes the stream permanently and deletes the subscription if the cloud can be reached. Happens in the
    /// background; [`states`](Self::states) ends when it is done.
    pub fn stop(&self) {
        self.send(Control::Stop);
    }

    fn send(&self, control: Control) {
        // A stopped manager ignores control messages.
        let _ = self.controls.send(control);
    }
}

/// A receiver of the states of a [`LiveStreamManager`]; returned by [`LiveStreamManager::states`].
#[derive(Clone, Debug)]
pub struct LiveStreamStates(watch::Receiver<LiveStreamState>);

impl LiveStreamStates {
    /// The current state at first, then each new state; intermediate states may be skipped. `None` once the manager has
    /// stopped. Cancel safe.
    pub async fn next(&mut self) -> Option<LiveStreamState> {
        self.0.changed().await.ok()?;
        Some(*self.0.borrow_and_update())
    }
}

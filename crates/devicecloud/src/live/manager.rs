use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use crate::client::Client;
use crate::live::fleet::Fleet;
use crate::live::machine::LiveStreamState;
use crate::live::task::{self, Wish};
use crate::live::upstream::{Cloud, Upstream};
use crate::model::SubscriptionType;

/// Keeps one subscription and its stream for the devices of a session, so that they are fresh without being polled.
/// Cheap to clone; the last clone that is dropped stops it.
///
/// - It subscribes as soon as there are devices, and again when one comes that the subscription does not name. A request
///   that fails is repeated once after 3 s; when that fails too it gives up, until it is resumed or a device comes.
/// - A stream that is lost comes back after 3 s with the same key; a key that the cloud refuses is replaced.
/// - While it is connected no device is polled. Whenever something may have been missed, all devices are read again.
/// - It is paused while the device manager is paused or in error.
#[derive(Clone, Debug)]
pub struct LiveStreamManager {
    wishes: mpsc::UnboundedSender<Wish>,
    state: watch::Receiver<LiveStreamState>,
}

impl LiveStreamManager {
    /// Starts to keep these devices fresh with events of these types.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub(crate) fn start(client: &Client, fleet: Arc<dyn Fleet>, types: Vec<SubscriptionType>) -> Self {
        Self::over(Arc::new(Cloud { client: client.clone(), types }), fleet)
    }

    pub(super) fn over(upstream: Arc<dyn Upstream>, fleet: Arc<dyn Fleet>) -> Self {
        let (wishes, received) = mpsc::unbounded_channel();
        let (shown, state) = watch::channel(LiveStreamState::Uninitialized);
        tokio::spawn(task::run(upstream, fleet, received, shown));
        Self { wishes, state }
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> LiveStreamState {
        *self.state.borrow()
    }

    /// Where it stands, and what it changes to.
    #[must_use]
    pub fn states(&self) -> LiveStreamStates {
        let mut states = self.state.clone();
        states.mark_changed();
        LiveStreamStates(states)
    }

    /// Closes the stream, and connects no more until it is resumed. The subscription is kept. Happens in the background.
    pub fn pause(&self) {
        self.wish(Wish::Pause);
    }

    /// Connects, after making a subscription if there is none. Without devices that happens when the first one comes, and
    /// while the device manager is paused or in error when it is so no longer. Happens in the background.
    pub fn resume(&self) {
        self.wish(Wish::Resume);
    }

    /// Closes the stream for good and deletes the subscription, if the cloud can be reached. Happens in the background;
    /// [`states`](Self::states) ends when it is done.
    pub fn stop(&self) {
        self.wish(Wish::Stop);
    }

    fn wish(&self, wish: Wish) {
        // A manager that was stopped has no more wishes.
        let _ = self.wishes.send(wish);
    }
}

/// The states of a [`LiveStreamManager`]; made by [`LiveStreamManager::states`].
#[derive(Clone, Debug)]
pub struct LiveStreamStates(watch::Receiver<LiveStreamState>);

impl LiveStreamStates {
    /// The present state, and then each time the state that it has changed to; states in between may be left out.
    /// `None` when the manager has stopped. Cancellation safe.
    pub async fn next(&mut self) -> Option<LiveStreamState> {
        self.0.changed().await.ok()?;
        Some(*self.0.borrow_and_update())
    }
}

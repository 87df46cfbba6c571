use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

const QUEUE: usize = 16;

/// What a client knows about its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionState {
    /// Not known yet: the store may contain an earlier session.
    Unknown,
    /// Signed in.
    Active,
    /// Signed out, or ended by the cloud.
    Closed,
}

/// An event of a session. Sent after the change was saved in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// A user signed in.
    SignedIn,
    /// The tokens were refreshed.
    Refreshed,
    /// Signed out, or a refresh was denied.
    Closed,
    /// Events were missed: read the current state of the client or manager.
    Lagged,
}

/// A receiver of session events.
#[derive(Debug)]
pub struct SessionEvents(broadcast::Receiver<SessionEvent>);

impl SessionEvents {
    /// The next event; `None` if no client or manager of the session is left. Cancel safe.
    pub async fn next(&mut self) -> Option<SessionEvent> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(_)) => Some(SessionEvent::Lagged),
            Err(RecvError::Closed) => None,
        }
    }
}

pub(crate) struct SessionPublisher {
    state: watch::Sender<SessionState>,
    events: broadcast::Sender<SessionEvent>,
}

impl SessionPublisher {
    pub(crate) fn new() -> Self {
        Self { state: watch::Sender::new(SessionState::Unknown), events: broadcast::Sender::new(QUEUE) }
    }

    pub(crate) fn publish(&self, event: SessionEvent) {
        let closed = event == SessionEvent::Closed;
        self.state.send_replace(if closed { SessionState::Closed } else { SessionState::Active });
        // Sending fails only if there are no receivers.
        let _ = self.events.send(event);
    }

    pub(crate) fn state(&self) -> SessionState {
        *self.state.borrow()
    }

    pub(crate) fn subscribe(&self) -> SessionEvents {
        SessionEvents(self.events.subscribe())
    }
}

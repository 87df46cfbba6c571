use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

const QUEUE: usize = 16;

/// What a client knows about its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionState {
    /// Nothing yet: the store may hold a session from before.
    Unknown,
    /// Signed in.
    Active,
    /// Signed out, or ended by the cloud.
    Closed,
}

/// What happened to a session. It is told after it was kept in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// Somebody signed in.
    SignedIn,
    /// The tokens are new.
    Refreshed,
    /// Signed out, or a refresh was denied.
    Closed,
    /// Events were missed: read the state of the client or manager that told them.
    Lagged,
}

/// The events of a session from the moment of asking.
#[derive(Debug)]
pub struct SessionEvents(broadcast::Receiver<SessionEvent>);

impl SessionEvents {
    /// The next event; `None` when no client or manager of the session is left. Cancellation safe.
    pub async fn next(&mut self) -> Option<SessionEvent> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(_)) => Some(SessionEvent::Lagged),
            Err(RecvError::Closed) => None,
        }
    }
}

pub(crate) struct Announcer {
    state: watch::Sender<SessionState>,
    events: broadcast::Sender<SessionEvent>,
}

impl Announcer {
    pub(crate) fn new() -> Self {
        Self { state: watch::Sender::new(SessionState::Unknown), events: broadcast::Sender::new(QUEUE) }
    }

    pub(crate) fn announce(&self, event: SessionEvent) {
        let closed = event == SessionEvent::Closed;
        self.state.send_replace(if closed { SessionState::Closed } else { SessionState::Active });
        // Nobody listening is no fault.
        let _ = self.events.send(event);
    }

    pub(crate) fn state(&self) -> SessionState {
        *self.state.borrow()
    }

    pub(crate) fn subscribe(&self) -> SessionEvents {
        SessionEvents(self.events.subscribe())
    }
}

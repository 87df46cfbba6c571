use tokio::sync::watch;

use crate::events::{EventSender, Events, LossyEvent};

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

impl LossyEvent for SessionEvent {
    fn gap(&self) -> Self {
        Self::Lagged
    }
}

/// A receiver of session events; it ends once no client or manager of the session is left. A receiver that falls more
/// than 16 events behind gets [`SessionEvent::Lagged`] in place of the lost events.
pub type SessionEvents = Events<SessionEvent>;

pub(crate) struct SessionPublisher {
    state: watch::Sender<SessionState>,
    events: EventSender<SessionEvent>,
}

impl SessionPublisher {
    pub(crate) fn new() -> Self {
        Self { state: watch::Sender::new(SessionState::Unknown), events: EventSender::new(QUEUE) }
    }

    pub(crate) fn publish(&self, event: SessionEvent) {
        let closed = event == SessionEvent::Closed;
        self.state.send_replace(if closed { SessionState::Closed } else { SessionState::Active });
        self.events.send(&event);
    }

    pub(crate) fn state(&self) -> SessionState {
        *self.state.borrow()
    }

    pub(crate) fn subscribe(&self) -> SessionEvents {
        self.events.subscribe()
    }
}

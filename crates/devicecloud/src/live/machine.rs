//! The state machine of the live stream manager, as a pure function `(state, event) → (state, effects)`.

/// The state of a live stream manager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LiveStreamState {
    /// Not started.
    #[default]
    Uninitialized,
    /// Waiting for the first device to subscribe to.
    Initialized,
    /// Creating a subscription, or opening its stream.
    Connecting,
    /// The stream is open and delivers events.
    Connected,
    /// No events are delivered: the stream was lost and is reconnecting, it is paused or stopped, or creating a
    /// subscription failed twice.
    Disconnected,
}

/// The internal state of the manager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) stage: Stage,
    pub(super) paused: Paused,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    #[default]
    Uninitialized,
    Initialized,
    /// A subscription is being created. The request is never cancelled, even while paused, because its subscription
    /// would stay in the cloud.
    Asking(Try),
    /// The first attempt failed; the second follows after [`RETRY_DELAY`](super::task::RETRY_DELAY).
    Waiting,
    /// The stream of a subscription is connecting.
    Opening(Subscribed),
    Connected,
    /// The stream was lost and reconnects automatically with the same key.
    Lost,
    /// Paused or given up, with or without a subscription to continue with.
    Down {
        subscribed: bool,
    },
    Stopped,
}

/// The attempt to create a subscription: there are at most two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Try {
    First,
    Second,
}

/// The origin of the subscription of an opening stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subscribed {
    /// Created by this attempt. A key that is rejected at once counts as a failed attempt.
    Now(Try),
    /// Its stream was open before.
    Before,
}

/// The reasons for which the manager is paused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Paused {
    pub(super) by_owner: bool,
    /// The device manager is paused or in error.
    pub(super) by_fleet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Event {
    Start,
    /// Requests of the application.
    Pause,
    Resume {
        devices: bool,
    },
    Stop,
    /// The device manager is paused or in error.
    FleetPaused,
    /// The device manager is no longer paused or in error.
    FleetResumed {
        devices: bool,
    },
    /// There is a device that is not part of the subscription.
    DeviceAdded,
    /// A subscription was created.
    Subscribed,
    /// Creating a subscription failed.
    NotSubscribed,
    RetryDue,
    /// Events of the stream.
    Opened,
    Closed,
    Gap,
    Refused {
        devices: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Effect {
    /// Create a subscription to the current devices.
    Subscribe,
    /// Schedule [`Event::RetryDue`].
    Wait,
    /// Open the stream of the subscription.
    Open,
    /// Close the stream.
    Close,
    /// Delete the subscription in the cloud, in the background.
    Unsubscribe,
    /// Reload the devices.
    Refresh,
    /// Values now arrive by the stream.
    Live,
    /// Values must be polled again.
    NotLive,
}

use Effect::{Close, Live, NotLive, Open, Refresh, Subscribe, Unsubscribe, Wait};
use Stage::{Asking, Connected, Down, Initialized, Lost, Opening, Stopped, Uninitialized, Waiting};

impl State {
    /// The public state.
    pub(super) fn shown(self) -> LiveStreamState {
        match self.stage {
            Uninitialized => LiveStreamState::Uninitialized,
            Initialized => LiveStreamState::Initialized,
            Asking(_) if self.is_paused() => LiveStreamState::Disconnected,
            Asking(_) | Waiting | Opening(_) => LiveStreamState::Connecting,
            Connected => LiveStreamState::Connected,
            Lost | Down { .. } | Stopped => LiveStreamState::Disconnected,
        }
    }

    fn is_paused(self) -> bool {
        self.paused.by_owner || self.paused.by_fleet
    }

    /// The next state and its effects. `Live` and `NotLive` are emitted on entering and leaving `Connected`.
    pub(super) fn next(self, event: Event) -> (Self, Vec<Effect>) {
        let paused = match (self.stage, event) {
            (Stopped, _) => self.paused,
            (_, Event::Pause) => Paused { by_owner: true, ..self.paused },
            (_, Event::Resume { .. }) => Paused { by_owner: false, ..self.paused },
            (_, Event::FleetPaused) => Paused { by_fleet: true, ..self.paused },
            (_, Event::FleetResumed { .. }) => Paused { by_fleet: false, ..self.paused },
            _ => self.paused,
        };
        let next = Self { stage: self.stage, paused };
        let (stage, effects) = match event {
            Event::Start => (if self.stage == Uninitialized { Initialized } else { self.stage }, vec![]),
            Event::Stop => self.stage.stop(),
            Event::Pause | Event::FleetPaused => self.stage.pause(),
            Event::Resume { devices } if !next.is_paused() => self.stage.resume(devices),
            // The device manager resumes the stream only if it paused it.
            Event::FleetResumed { devices } if self.paused.by_fleet && !next.is_paused() => self.stage.resume(devices),
            Event::DeviceAdded => self.stage.outgrow(next.is_paused()),
            Event::Subscribed => self.stage.subscribed(next.is_paused()),
            Event::NotSubscribed => self.stage.not_subscribed(next.is_paused()),
            Event::RetryDue if self.stage == Waiting => (Asking(Try::Second), vec![Subscribe]),
            Event::Opened => self.stage.opened(),
            Event::Closed if self.stage == Connected => (Lost, vec![]),
            Event::Gap if self.stage == Connected => (Connected, vec![Refresh]),
            Event::Refused { devices } => self.stage.refused(devices),
            Event::Resume { .. } | Event::FleetResumed { .. } | Event::RetryDue | Event::Closed | Event::Gap => {
                (self.stage, vec![])
            }
        };
        let border = match (self.stage == Connected, stage == Connected) {
            (false, true) => Some(Live),
            (true, false) => Some(NotLive),
            _ => None,
        };
        (Self { stage, ..next }, border.into_iter().chain(effects).collect())
    }
}

impl Stage {
    fn stop(self) -> (Self, Vec<Effect>) {
        let effects = match self {
            Opening(_) | Connected | Lost => vec![Close, Unsubscribe],
            Down { subscribed: true } => vec![Unsubscribe],
            _ => vec![],
        };
        (Stopped, effects)
    }

    fn pause(self) -> (Self, Vec<Effect>) {
        match self {
            Waiting => (Down { subscribed: false }, vec![]),
            Opening(_) | Connected | Lost => (Down { subscribed: true }, vec![Close]),
            _ => (self, vec![]),
        }
    }

    fn resume(self, devices: bool) -> (Self, Vec<Effect>) {
        match self {
            Initialized | Down { subscribed: false } if devices => (Asking(Try::First), vec![Subscribe]),
            Down { subscribed: true } => (Opening(Subscribed::Before), vec![Open]),
            _ => (self, vec![]),
        }
    }

    /// A subscription has a fixed list of devices, so a new one replaces it. All devices are then reloaded once.
    fn outgrow(self, paused: bool) -> (Self, Vec<Effect>) {
        match self {
            Initialized | Down { subscribed: false } if !paused => (Asking(Try::First), vec![Subscribe]),
            Opening(_) | Connected | Lost => (Asking(Try::First), vec![Close, Unsubscribe, Subscribe]),
            Down { subscribed: true } => (Down { subscribed: false }, vec![Unsubscribe]),
            // The next request includes it; a pending request is compared with the devices when it completes.
            _ => (self, vec![]),
        }
    }

    fn subscribed(self, paused: bool) -> (Self, Vec<Effect>) {
        match self {
            Asking(_) if paused => (Down { subscribed: true }, vec![]),
            Asking(attempt) => (Opening(Subscribed::Now(attempt)), vec![Open]),
            // Too late: delete it again.
            Stopped => (Stopped, vec![Unsubscribe]),
            _ => (self, vec![]),
        }
    }

    fn not_subscribed(self, paused: bool) -> (Self, Vec<Effect>) {
        match self {
            Asking(Try::First) if !paused => (Waiting, vec![Wait]),
            Asking(_) => (Down { subscribed: false }, vec![]),
            _ => (self, vec![]),
        }
    }

    fn opened(self) -> (Self, Vec<Effect>) {
        match self {
            Opening(_) | Lost => (Connected, vec![Refresh]),
            _ => (self, vec![]),
        }
    }

    /// The stream key was rejected, and the stream has ended.
    fn refused(self, devices: bool) -> (Self, Vec<Effect>) {
        match self {
            Opening(Subscribed::Now(Try::First)) => (Waiting, vec![Close, Unsubscribe, Wait]),
            Opening(Subscribed::Now(Try::Second)) => (Down { subscribed: false }, vec![Close, Unsubscribe]),
            Opening(Subscribed::Before) | Connected | Lost if devices => {
                (Asking(Try::First), vec![Close, Unsubscribe, Subscribe])
            }
            Opening(Subscribed::Before) | Connected | Lost => (Initialized, vec![Close, Unsubscribe]),
            _ => (self, vec![]),
        }
    }
}

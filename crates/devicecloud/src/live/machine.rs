//! The rules of the live stream manager (specification section 4, decision A-102): pure, `(state, event) → (state, effects)`.

/// Where a live stream manager stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LiveStreamState {
    /// Nothing was started.
    #[default]
    Uninitialized,
    /// It waits for devices: without any there is nothing to subscribe to.
    Initialized,
    /// A subscription is being made, or its stream opened for the first time.
    Connecting,
    /// Events arrive.
    Connected,
    /// No events arrive: the stream was lost and connects again by itself, it is paused or stopped, or the cloud gave no
    /// subscription twice.
    Disconnected,
}

/// What the manager knows.
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
    /// The cloud was asked for a subscription. A request on its way is never called back, or its subscription would be
    /// forgotten at the cloud; so this goes on while paused.
    Asking(Try),
    /// The first request failed; the second follows after [`RETRY_DELAY`](super::task::RETRY_DELAY).
    Waiting,
    /// The stream of a subscription connects.
    Opening(Subscribed),
    Connected,
    /// The stream was lost and connects again by itself, with the same key.
    Lost,
    /// Nothing happens by itself; whether there is a subscription to go on with.
    Down {
        subscribed: bool,
    },
    Stopped,
}

/// Which of the two requests for a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Try {
    First,
    Second,
}

/// Where the subscription of an opening stream comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subscribed {
    /// This request made it. A key that is refused at once is worth no more than a request that failed.
    Now(Try),
    /// It served before.
    Before,
}

/// Who wants no stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Paused {
    pub(super) by_owner: bool,
    /// The device manager is paused, or in error.
    pub(super) by_fleet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Event {
    Start,
    /// The owner's wishes.
    Pause,
    Resume {
        devices: bool,
    },
    Stop,
    /// The device manager is paused, or in error.
    FleetPaused,
    /// It is so no longer.
    FleetResumed {
        devices: bool,
    },
    /// There is a device that the subscription does not name.
    DeviceAdded,
    /// There is a subscription.
    Subscribed,
    /// The cloud gave none.
    NotSubscribed,
    RetryDue,
    /// The stream.
    Opened,
    Closed,
    Gap,
    Refused {
        devices: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Effect {
    /// Ask the cloud for a subscription to the present devices.
    Subscribe,
    /// Announce [`Event::RetryDue`] later.
    Wait,
    /// Open the stream of the subscription.
    Open,
    /// Close the stream.
    Close,
    /// Delete the subscription at the cloud; nobody waits for it.
    Unsubscribe,
    /// Read the devices again.
    Refresh,
    /// Fresh values come by the stream.
    Live,
    /// Fresh values have to be fetched.
    NotLive,
}

use Effect::{Close, Live, NotLive, Open, Refresh, Subscribe, Unsubscribe, Wait};
use Stage::{Asking, Connected, Down, Initialized, Lost, Opening, Stopped, Uninitialized, Waiting};

impl State {
    /// What the owner sees.
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

    /// What follows an event. `Live` and `NotLive` are the border of `Connected`, whichever way it is crossed.
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
            // What the device manager did not pause, it does not resume.
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

    /// A subscription names its devices, and the protocol of the specification cannot change one. So another takes its
    /// place: the new device is live from its first day, at the price of one more reading of all.
    fn outgrow(self, paused: bool) -> (Self, Vec<Effect>) {
        match self {
            Initialized | Down { subscribed: false } if !paused => (Asking(Try::First), vec![Subscribe]),
            Opening(_) | Connected | Lost => (Asking(Try::First), vec![Close, Unsubscribe, Subscribe]),
            Down { subscribed: true } => (Down { subscribed: false }, vec![Unsubscribe]),
            // The request to come names it; one on its way is compared with the devices when it is answered.
            _ => (self, vec![]),
        }
    }

    fn subscribed(self, paused: bool) -> (Self, Vec<Effect>) {
        match self {
            Asking(_) if paused => (Down { subscribed: true }, vec![]),
            Asking(attempt) => (Opening(Subscribed::Now(attempt)), vec![Open]),
            // It came too late.
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

    /// The key is worthless, and its stream has ended.
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

//! The state machine of the live stream manager, as a pure function `(state, event) → (state, effects)`.
//! A lost stream reconnects with the same key. A rejected key needs a new subscription, and so does an added device,
//! because a subscription lists its devices.

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
    /// No events are delivered: the stream was lost and reconnects automatically, the manager is paused or stopped, or it
    /// has [given up](crate::live::LiveStreamManager::gave_up).
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
    Subscribing(Attempt),
    /// The first attempt failed; the second follows after a delay.
    RetryWait,
    /// The stream of a subscription is connecting.
    Opening(SubscriptionOrigin),
    Connected,
    /// The stream was lost and reconnects automatically with the same key.
    Reconnecting,
    /// Paused or given up, with or without a subscription to continue with.
    Idle {
        subscribed: bool,
    },
    Stopped,
}

/// The attempt to create a subscription: there are at most two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Attempt {
    First,
    Second,
}

/// The origin of the subscription of an opening stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SubscriptionOrigin {
    /// Created by this attempt. A key that is rejected immediately counts as a failed attempt.
    New(Attempt),
    /// Its stream was open before.
    Existing,
}

/// The reasons for which the manager is paused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Paused {
    pub(super) by_application: bool,
    /// The device manager is paused or in error.
    pub(super) by_device_manager: bool,
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
    DevicesPaused,
    /// The device manager is no longer paused or in error.
    DevicesResumed {
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
    ScheduleRetry,
    /// Report that there will be no further attempt.
    GiveUp,
    /// Open the stream of the subscription.
    Open,
    /// Close the stream.
    Close,
    /// Delete the subscription in the cloud, in the background.
    Unsubscribe,
    /// Reload the devices.
    Refresh,
    /// Values now arrive by the stream.
    UseStream,
    /// Values must be polled again.
    UsePolling,
}

use Effect::{Close, GiveUp, Open, Refresh, ScheduleRetry, Subscribe, Unsubscribe, UsePolling, UseStream};
use Stage::{Connected, Idle, Initialized, Opening, Reconnecting, RetryWait, Stopped, Subscribing, Uninitialized};

impl State {
    /// The public state.
    pub(super) fn public(self) -> LiveStreamState {
        match self.stage {
            Uninitialized => LiveStreamState::Uninitialized,
            Initialized => LiveStreamState::Initialized,
            Subscribing(_) if self.is_paused() => LiveStreamState::Disconnected,
            Subscribing(_) | RetryWait | Opening(_) => LiveStreamState::Connecting,
            Connected => LiveStreamState::Connected,
            Reconnecting | Idle { .. } | Stopped => LiveStreamState::Disconnected,
        }
    }

    fn is_paused(self) -> bool {
        self.paused.by_application || self.paused.by_device_manager
    }

    /// The next state and its effects. `UseStream` and `UsePolling` are emitted on entering and leaving `Connected`.
    pub(super) fn next(self, event: Event) -> (Self, Vec<Effect>) {
        let paused = match (self.stage, event) {
            (Stopped, _) => self.paused,
            (_, Event::Pause) => Paused { by_application: true, ..self.paused },
            (_, Event::Resume { .. }) => Paused { by_application: false, ..self.paused },
            (_, Event::DevicesPaused) => Paused { by_device_manager: true, ..self.paused },
            (_, Event::DevicesResumed { .. }) => Paused { by_device_manager: false, ..self.paused },
            _ => self.paused,
        };
        let next = Self { stage: self.stage, paused };
        let (stage, effects) = match event {
            Event::Start => (if self.stage == Uninitialized { Initialized } else { self.stage }, vec![]),
            Event::Stop => self.stage.stop(),
            Event::Pause | Event::DevicesPaused => self.stage.pause(),
            Event::Resume { devices } if !next.is_paused() => self.stage.resume(devices),
            // The device manager resumes the stream only if it paused it.
            Event::DevicesResumed { devices } if self.paused.by_device_manager && !next.is_paused() => {
                self.stage.resume(devices)
            }
            Event::DeviceAdded => self.stage.device_added(next.is_paused()),
            Event::Subscribed => self.stage.subscribed(next.is_paused()),
            Event::NotSubscribed => self.stage.not_subscribed(next.is_paused()),
            Event::RetryDue if self.stage == RetryWait => (Subscribing(Attempt::Second), vec![Subscribe]),
            Event::Opened => self.stage.opened(),
            Event::Closed if self.stage == Connected => (Reconnecting, vec![]),
            Event::Gap if self.stage == Connected => (Connected, vec![Refresh]),
            Event::Refused { devices } => self.stage.refused(devices),
            Event::Resume { .. } | Event::DevicesResumed { .. } | Event::RetryDue | Event::Closed | Event::Gap => {
                (self.stage, vec![])
            }
        };
        let transition = match (self.stage == Connected, stage == Connected) {
            (false, true) => Some(UseStream),
            (true, false) => Some(UsePolling),
            _ => None,
        };
        (Self { stage, ..next }, transition.into_iter().chain(effects).collect())
    }
}

impl Stage {
    fn stop(self) -> (Self, Vec<Effect>) {
        let effects = match self {
            Opening(_) | Connected | Reconnecting => vec![Close, Unsubscribe],
            Idle { subscribed: true } => vec![Unsubscribe],
            _ => vec![],
        };
        (Stopped, effects)
    }

    fn pause(self) -> (Self, Vec<Effect>) {
        match self {
            RetryWait => (Idle { subscribed: false }, vec![]),
            Opening(_) | Connected | Reconnecting => (Idle { subscribed: true }, vec![Close]),
            _ => (self, vec![]),
        }
    }

    fn resume(self, devices: bool) -> (Self, Vec<Effect>) {
        match self {
            Initialized | Idle { subscribed: false } if devices => (Subscribing(Attempt::First), vec![Subscribe]),
            Idle { subscribed: true } => (Opening(SubscriptionOrigin::Existing), vec![Open]),
            _ => (self, vec![]),
        }
    }

    /// A subscription has a fixed list of devices, so a new one replaces it. All devices are then reloaded once.
    fn device_added(self, paused: bool) -> (Self, Vec<Effect>) {
        match self {
            Initialized | Idle { subscribed: false } if !paused => (Subscribing(Attempt::First), vec![Subscribe]),
            Opening(_) | Connected | Reconnecting => (Subscribing(Attempt::First), vec![Close, Unsubscribe, Subscribe]),
            Idle { subscribed: true } => (Idle { subscribed: false }, vec![Unsubscribe]),
            // The next request includes the device; a pending request is compared with the devices when it completes.
            _ => (self, vec![]),
        }
    }

    fn subscribed(self, paused: bool) -> (Self, Vec<Effect>) {
        match self {
            Subscribing(_) if paused => (Idle { subscribed: true }, vec![]),
            Subscribing(attempt) => (Opening(SubscriptionOrigin::New(attempt)), vec![Open]),
            // The manager has stopped meanwhile: delete the subscription again.
            Stopped => (Stopped, vec![Unsubscribe]),
            _ => (self, vec![]),
        }
    }

    fn not_subscribed(self, paused: bool) -> (Self, Vec<Effect>) {
        match self {
            Subscribing(_) if paused => (Idle { subscribed: false }, vec![]),
            Subscribing(Attempt::First) => (RetryWait, vec![ScheduleRetry]),
            Subscribing(Attempt::Second) => (Idle { subscribed: false }, vec![GiveUp]),
            _ => (self, vec![]),
        }
    }

    fn opened(self) -> (Self, Vec<Effect>) {
        match self {
            Opening(_) | Reconnecting => (Connected, vec![Refresh]),
            _ => (self, vec![]),
        }
    }

    /// The stream key was rejected, and the stream has ended.
    fn refused(self, devices: bool) -> (Self, Vec<Effect>) {
        match self {
            Opening(SubscriptionOrigin::New(Attempt::First)) => (RetryWait, vec![Close, Unsubscribe, ScheduleRetry]),
            Opening(SubscriptionOrigin::New(Attempt::Second)) => {
                (Idle { subscribed: false }, vec![Close, Unsubscribe, GiveUp])
            }
            Opening(SubscriptionOrigin::Existing) | Connected | Reconnecting if devices => {
                (Subscribing(Attempt::First), vec![Close, Unsubscribe, Subscribe])
            }
            Opening(SubscriptionOrigin::Existing) | Connected | Reconnecting => (Initialized, vec![Close, Unsubscribe]),
            _ => (self, vec![]),
        }
    }
}

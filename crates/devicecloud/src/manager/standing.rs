//! Where a device manager stands and what follows (specification 001 section 4): pure.

use crate::manager::DeviceManagerState as State;

/// How long a list is good, once the manager was ready.
pub(super) const LIST_POLL_INTERVAL: std::time::Duration = std::time::Duration::from_secs(15);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) state: State,
    /// Whether it was ready once: from then on a list that fails is tolerated.
    pub(super) initialised: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Start {
        auto_fetch: bool,
    },
    Stop,
    Pause,
    Resume,
    ListFetched,
    ListFailed,
    /// The properties of a device were fetched, or could not be, or there were none.
    PropertiesFetched,
    DeviceAdded,
    /// The list was good for long enough.
    ListDue,
    /// Something may have been missed.
    Refresh,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    FetchList,
    /// Those of the first device that is pending.
    FetchProperties,
    /// The devices are polled from now on, and the list in 15 s, unless that is so already.
    Poll,
    /// Read the list and every device again, as soon as nothing is pending.
    ReadAgain,
    /// Drop requests and timers.
    Halt,
    /// Let go of all devices.
    Forget,
    TellInitFailure,
}

use Effect as E;

impl Standing {
    /// `pending`: there is a device whose properties were never asked for.
    pub(super) fn next(self, event: Event, pending: bool) -> (Self, &'static [Effect]) {
        let stay: (Self, &[Effect]) = (self, &[]);
        match (self.state, event) {
            // Never entered (decision A-99).
            (State::FetchingLanConfig, _) => stay,

            (State::Uninitialized | State::Error, Event::Start { auto_fetch: false }) => self.read(pending),
            (State::Uninitialized | State::Error, Event::Start { .. }) => {
                (self.at(State::FetchingDeviceList), &[E::FetchList])
            }
            (State::Uninitialized, _) => stay,

            (_, Event::Stop) => (Self::default(), &[E::Halt, E::Forget]),

            (State::Paused, Event::Resume) if self.initialised => {
                let effects: &[Effect] =
                    if pending { &[E::FetchProperties, E::ReadAgain] } else { &[E::FetchList, E::Poll] };
                (self.read(pending).0, effects)
            }
            (State::Paused, Event::Resume) => (self.at(State::FetchingDeviceList), &[E::FetchList]),
            (State::Paused, _) => stay,
            (_, Event::Pause) => (self.at(State::Paused), &[E::Halt]),

            (State::FetchingDeviceList, Event::ListFetched) => self.read(pending),
            (State::FetchingDeviceList, Event::ListFailed) if self.initialised => self.read(pending),
            (State::FetchingDeviceList, Event::ListFailed) => (self.at(State::Error), &[E::TellInitFailure]),
            (State::FetchingDeviceProperties, Event::PropertiesFetched) => self.read(pending),
            (State::Ready, Event::ListFetched) if pending => self.read(true),
            (State::Ready, Event::ListFetched | Event::ListFailed) => (self, &[E::Poll]),
            (State::Ready, Event::ListDue) => (self, &[E::FetchList]),

            (_, Event::DeviceAdded) => (self.at(State::FetchingDeviceList), &[E::FetchList]),
            (State::FetchingDeviceList | State::FetchingDeviceProperties | State::Ready, Event::Refresh) => {
                (self, &[E::ReadAgain])
            }
            _ => stay,
        }
    }

    /// The next device, or ready when none is left.
    fn read(self, pending: bool) -> (Self, &'static [Effect]) {
        if pending {
            (self.at(State::FetchingDeviceProperties), &[E::FetchProperties])
        } else {
            (Self { state: State::Ready, initialised: true }, &[E::Poll])
        }
    }

    fn at(self, state: State) -> Self {
        Self { state, ..self }
    }
}

#[cfg(test)]
mod tests;

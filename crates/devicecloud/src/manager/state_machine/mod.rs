//! The state machine of a device manager.

use crate::manager::DeviceManagerState as State;

/// The interval between reads of the device list.
pub(super) const LIST_POLL_INTERVAL: std::time::Duration = std::time::Duration::from_secs(15);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StateMachine {
    pub(super) state: State,
    /// Whether the manager was ready once. From then on failures of the list are tolerated.
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
    /// The first read of a device's properties finished, successfully or not.
    PropertiesFetched,
    DeviceAdded,
    /// The list interval has passed.
    ListDue,
    /// Events may have been missed.
    Refresh,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    FetchList,
    /// Fetch the properties of the first pending device.
    FetchProperties,
    /// Start polling the devices, and the list in 15 s, unless already started.
    Poll,
    /// Read the list and every device again once no step is pending.
    Reread,
    /// Cancel requests and timers.
    Cancel,
    /// Release all devices.
    ReleaseDevices,
    ReportInitFailure,
}

use Effect as E;

impl StateMachine {
    /// `pending`: whether there is a device whose properties have not been requested yet.
    pub(super) fn next(self, event: Event, pending: bool) -> (Self, &'static [Effect]) {
        let stay: (Self, &[Effect]) = (self, &[]);
        match (self.state, event) {
            // Never entered: the state is specified, but the library does not use the local network of devices.
            (State::FetchingLanConfig, _) => stay,

            (State::Uninitialized | State::Error, Event::Start { auto_fetch: false }) => self.read(pending),
            (State::Uninitialized | State::Error, Event::Start { .. }) => {
                (self.at(State::FetchingDeviceList), &[E::FetchList])
            }
            (State::Uninitialized, _) => stay,

            (_, Event::Stop) => (Self::default(), &[E::Cancel, E::ReleaseDevices]),

            (State::Paused, Event::Resume) if self.initialised => {
                let effects: &[Effect] =
                    if pending { &[E::FetchProperties, E::Reread] } else { &[E::FetchList, E::Poll] };
                (self.read(pending).0, effects)
            }
            (State::Paused, Event::Resume) => (self.at(State::FetchingDeviceList), &[E::FetchList]),
            (State::Paused, _) => stay,
            (_, Event::Pause) => (self.at(State::Paused), &[E::Cancel]),

            (State::FetchingDeviceList, Event::ListFetched) => self.read(pending),
            (State::FetchingDeviceList, Event::ListFailed) if self.initialised => self.read(pending),
            (State::FetchingDeviceList, Event::ListFailed) => (self.at(State::Error), &[E::ReportInitFailure]),
            (State::FetchingDeviceProperties, Event::PropertiesFetched) => self.read(pending),
            (State::Ready, Event::ListFetched) if pending => self.read(true),
            (State::Ready, Event::ListFetched | Event::ListFailed) => (self, &[E::Poll]),
            (State::Ready, Event::ListDue) => (self, &[E::FetchList]),

            (_, Event::DeviceAdded) => (self.at(State::FetchingDeviceList), &[E::FetchList]),
            (State::FetchingDeviceList | State::FetchingDeviceProperties | State::Ready, Event::Refresh) => {
                (self, &[E::Reread])
            }
            _ => stay,
        }
    }

    /// Reads the next pending device, or becomes ready if there is none.
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

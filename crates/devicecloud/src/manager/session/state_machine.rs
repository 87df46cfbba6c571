//! The state machine of a managed session.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionPhase {
    Active,
    /// The timer expired: the tokens are being refreshed.
    Refreshing,
    Paused,
    /// Resuming: the tokens are being refreshed first. The devices are resumed afterwards, or they would stay paused.
    Resuming,
    Closed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Pause,
    Resume {
        /// Whether the token expires within the grace period.
        under_grace: bool,
    },
    /// The refresh timer expired.
    Due,
    /// The tokens were refreshed, by this or another client.
    Refreshed,
    RefreshFailed,
    /// The tokens were removed: the cloud denied them, or the user signed out.
    Ended,
    ShutDown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Refresh,
    /// Start the refresh timer for the current token.
    Schedule,
    CancelTimer,
    PauseDevices,
    ResumeDevices,
    /// Stop devices and stream, and send `Closed`.
    Close,
}

use Effect as E;

impl SessionPhase {
    pub(super) fn next(self, event: Event) -> (Self, &'static [Effect]) {
        match (self, event) {
            (Self::Closed, _) => (self, &[]),
            (_, Event::RefreshFailed | Event::Ended | Event::ShutDown) => (Self::Closed, &[E::CancelTimer, E::Close]),
            (Self::Active | Self::Refreshing, Event::Pause) => (Self::Paused, &[E::CancelTimer, E::PauseDevices]),
            // The devices are still paused; the refresh runs to completion.
            (Self::Resuming, Event::Pause) => (Self::Paused, &[]),
            (Self::Paused, Event::Resume { under_grace: true }) => (Self::Resuming, &[E::Refresh]),
            (Self::Paused, Event::Resume { under_grace: false }) => (Self::Active, &[E::Schedule, E::ResumeDevices]),
            (Self::Active, Event::Due) => (Self::Refreshing, &[E::Refresh]),
            (Self::Active | Self::Refreshing, Event::Refreshed) => (Self::Active, &[E::Schedule]),
            (Self::Resuming, Event::Refreshed) => (Self::Active, &[E::Schedule, E::ResumeDevices]),
            _ => (self, &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Effect::*;
    use super::*;

    #[test]
    fn every_pair_of_state_and_event_has_the_listed_transition() {
        use SessionPhase as S;
        let events = [
            Event::Pause,
            Event::Resume { under_grace: true },
            Event::Resume { under_grace: false },
            Event::Due,
            Event::Refreshed,
            Event::RefreshFailed,
            Event::Ended,
            Event::ShutDown,
        ];
        let to = |phase: S, effects: &'static [Effect]| Some((phase, effects));
        let close = to(S::Closed, &[CancelTimer, Close]);
        let pause = to(S::Paused, &[CancelTimer, PauseDevices]);
        let active = to(S::Active, &[Schedule]);
        let resume = to(S::Active, &[Schedule, ResumeDevices]);
        #[rustfmt::skip]
        let table = [
            //              pause                  resume, under grace        resume  due                           refreshed failed ended  shut down
            (S::Active,     [pause,                None,                      None,   to(S::Refreshing, &[Refresh]), active, close, close, close]),
            (S::Refreshing, [pause,                None,                      None,   None,                          active, close, close, close]),
            (S::Paused,     [None,                 to(S::Resuming, &[Refresh]), resume, None,                        None,   close, close, close]),
            (S::Resuming,   [to(S::Paused, &[]),   None,                      None,   None,                          resume, close, close, close]),
            (S::Closed,     [None,                 None,                      None,   None,                          None,   None,  None,  None]),
        ];
        for (from, row) in table {
            for (event, cell) in events.into_iter().zip(row) {
                assert_eq!(from.next(event), cell.unwrap_or((from, &[])), "{from:?} {event:?}");
            }
        }
    }
}

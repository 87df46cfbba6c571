//! Every state with every event.

use std::collections::{HashMap, HashSet, VecDeque};

use super::super::state_machine::Attempt::{First, Second};
use super::super::state_machine::Effect::{
    Close, GiveUp, Open, Refresh, ScheduleRetry, Subscribe, Unsubscribe, UsePolling, UseStream,
};
use super::super::state_machine::Event::{
    Closed, DeviceAdded, DevicesPaused, DevicesResumed, Gap, NotSubscribed, Opened, Pause, Refused, Resume, RetryDue,
    Start, Stop, Subscribed,
};
use super::super::state_machine::Stage::{
    Connected, Idle, Initialized, Opening, Reconnecting, RetryWait, Stopped, Subscribing, Uninitialized,
};
use super::super::state_machine::SubscriptionOrigin::{Existing, New};
use super::super::state_machine::{Effect, Event, LiveStreamState, Paused, Stage, State};

const STAGES: [Stage; 13] = [
    Uninitialized,
    Initialized,
    Subscribing(First),
    Subscribing(Second),
    RetryWait,
    Opening(New(First)),
    Opening(New(Second)),
    Opening(Existing),
    Connected,
    Reconnecting,
    Idle { subscribed: false },
    Idle { subscribed: true },
    Stopped,
];

const EVENTS: [Event; 17] = [
    Start,
    Pause,
    Resume { devices: false },
    Resume { devices: true },
    Stop,
    DevicesPaused,
    DevicesResumed { devices: false },
    DevicesResumed { devices: true },
    DeviceAdded,
    Subscribed,
    NotSubscribed,
    RetryDue,
    Opened,
    Closed,
    Gap,
    Refused { devices: false },
    Refused { devices: true },
];

const NOT_PAUSED: Paused = Paused { by_application: false, by_device_manager: false };
const UNSUBSCRIBED: Stage = Idle { subscribed: false };
const SUBSCRIBED: Stage = Idle { subscribed: true };
const DEVICES: Event = Resume { devices: true };

type Row = (Event, Stage, Stage, &'static [Effect]);

/// The transitions while not paused. Pairs without a row must not change anything.
const ROWS: &[Row] = &[
    (Start, Uninitialized, Initialized, &[]),
    // Pause disables retries and closes the socket.
    (Pause, RetryWait, UNSUBSCRIBED, &[]),
    (Pause, Opening(New(First)), SUBSCRIBED, &[Close]),
    (Pause, Opening(New(Second)), SUBSCRIBED, &[Close]),
    (Pause, Opening(Existing), SUBSCRIBED, &[Close]),
    (Pause, Connected, SUBSCRIBED, &[UsePolling, Close]),
    (Pause, Reconnecting, SUBSCRIBED, &[Close]),
    // Resume: create a subscription if there is none and devices exist, then connect.
    (DEVICES, Initialized, Subscribing(First), &[Subscribe]),
    (DEVICES, UNSUBSCRIBED, Subscribing(First), &[Subscribe]),
    (DEVICES, SUBSCRIBED, Opening(Existing), &[Open]),
    (Resume { devices: false }, SUBSCRIBED, Opening(Existing), &[Open]),
    // A new device.
    (DeviceAdded, Initialized, Subscribing(First), &[Subscribe]),
    (DeviceAdded, UNSUBSCRIBED, Subscribing(First), &[Subscribe]),
    (DeviceAdded, SUBSCRIBED, UNSUBSCRIBED, &[Unsubscribe]),
    (DeviceAdded, Opening(New(First)), Subscribing(First), &[Close, Unsubscribe, Subscribe]),
    (DeviceAdded, Opening(New(Second)), Subscribing(First), &[Close, Unsubscribe, Subscribe]),
    (DeviceAdded, Opening(Existing), Subscribing(First), &[Close, Unsubscribe, Subscribe]),
    (DeviceAdded, Connected, Subscribing(First), &[UsePolling, Close, Unsubscribe, Subscribe]),
    (DeviceAdded, Reconnecting, Subscribing(First), &[Close, Unsubscribe, Subscribe]),
    // One retry after a delay.
    (Subscribed, Subscribing(First), Opening(New(First)), &[Open]),
    (Subscribed, Subscribing(Second), Opening(New(Second)), &[Open]),
    (Subscribed, Stopped, Stopped, &[Unsubscribe]),
    (NotSubscribed, Subscribing(First), RetryWait, &[ScheduleRetry]),
    (NotSubscribed, Subscribing(Second), UNSUBSCRIBED, &[GiveUp]),
    (RetryDue, RetryWait, Subscribing(Second), &[Subscribe]),
    // Events of the stream.
    (Opened, Opening(New(First)), Connected, &[UseStream, Refresh]),
    (Opened, Opening(New(Second)), Connected, &[UseStream, Refresh]),
    (Opened, Opening(Existing), Connected, &[UseStream, Refresh]),
    (Opened, Reconnecting, Connected, &[UseStream, Refresh]),
    (Closed, Connected, Reconnecting, &[UsePolling]),
    (Gap, Connected, Connected, &[Refresh]),
    // A rejected key is replaced immediately if its stream was open before; otherwise it counts as a failed attempt.
    (Refused { devices: true }, Opening(New(First)), RetryWait, &[Close, Unsubscribe, ScheduleRetry]),
    (Refused { devices: false }, Opening(New(First)), RetryWait, &[Close, Unsubscribe, ScheduleRetry]),
    (Refused { devices: true }, Opening(New(Second)), UNSUBSCRIBED, &[Close, Unsubscribe, GiveUp]),
    (Refused { devices: false }, Opening(New(Second)), UNSUBSCRIBED, &[Close, Unsubscribe, GiveUp]),
    (Refused { devices: true }, Opening(Existing), Subscribing(First), &[Close, Unsubscribe, Subscribe]),
    (Refused { devices: true }, Connected, Subscribing(First), &[UsePolling, Close, Unsubscribe, Subscribe]),
    (Refused { devices: true }, Reconnecting, Subscribing(First), &[Close, Unsubscribe, Subscribe]),
    (Refused { devices: false }, Opening(Existing), Initialized, &[Close, Unsubscribe]),
    (Refused { devices: false }, Connected, Initialized, &[UsePolling, Close, Unsubscribe]),
    (Refused { devices: false }, Reconnecting, Initialized, &[Close, Unsubscribe]),
    // Stop.
    (Stop, Uninitialized, Stopped, &[]),
    (Stop, Initialized, Stopped, &[]),
    (Stop, Subscribing(First), Stopped, &[]),
    (Stop, Subscribing(Second), Stopped, &[]),
    (Stop, RetryWait, Stopped, &[]),
    (Stop, UNSUBSCRIBED, Stopped, &[]),
    (Stop, SUBSCRIBED, Stopped, &[Unsubscribe]),
    (Stop, Opening(New(First)), Stopped, &[Close, Unsubscribe]),
    (Stop, Opening(New(Second)), Stopped, &[Close, Unsubscribe]),
    (Stop, Opening(Existing), Stopped, &[Close, Unsubscribe]),
    (Stop, Connected, Stopped, &[UsePolling, Close, Unsubscribe]),
    (Stop, Reconnecting, Stopped, &[Close, Unsubscribe]),
];

/// The transitions while paused, in the remaining stages.
const PAUSED_ROWS: &[Row] = &[
    (Start, Uninitialized, Initialized, &[]),
    (DeviceAdded, SUBSCRIBED, UNSUBSCRIBED, &[Unsubscribe]),
    (Subscribed, Subscribing(First), SUBSCRIBED, &[]),
    (Subscribed, Subscribing(Second), SUBSCRIBED, &[]),
    (Subscribed, Stopped, Stopped, &[Unsubscribe]),
    (NotSubscribed, Subscribing(First), UNSUBSCRIBED, &[]),
    (NotSubscribed, Subscribing(Second), UNSUBSCRIBED, &[]),
    (Stop, Uninitialized, Stopped, &[]),
    (Stop, Initialized, Stopped, &[]),
    (Stop, Subscribing(First), Stopped, &[]),
    (Stop, Subscribing(Second), Stopped, &[]),
    (Stop, UNSUBSCRIBED, Stopped, &[]),
    (Stop, SUBSCRIBED, Stopped, &[Unsubscribe]),
];
const PAUSED_STAGES: [Stage; 7] =
    [Uninitialized, Initialized, Subscribing(First), Subscribing(Second), UNSUBSCRIBED, SUBSCRIBED, Stopped];

fn lookup(rows: &[Row], stage: Stage, event: Event) -> (Stage, Vec<Effect>) {
    let row = rows.iter().find(|row| row.0 == event && row.1 == stage);
    row.map_or((stage, vec![]), |(_, _, next, effects)| (*next, effects.to_vec()))
}

fn expected(state: State, event: Event) -> (State, Vec<Effect>) {
    let State { stage, paused } = state;
    if stage == Stopped {
        return (state, lookup(ROWS, stage, event).1);
    }
    let (after, resumes) = match event {
        Pause => (Paused { by_application: true, ..paused }, None),
        DevicesPaused => (Paused { by_device_manager: true, ..paused }, None),
        Resume { devices } => (Paused { by_application: false, ..paused }, Some(devices)),
        // The device manager resumes only its own pause.
        DevicesResumed { devices } => {
            (Paused { by_device_manager: false, ..paused }, paused.by_device_manager.then_some(devices))
        }
        _ => (paused, None),
    };
    let (stage, effects) = match (event, resumes) {
        (Resume { .. } | DevicesResumed { .. }, Some(devices)) if after == NOT_PAUSED => {
            lookup(ROWS, stage, Resume { devices })
        }
        (Resume { .. } | DevicesResumed { .. }, _) => (stage, vec![]),
        (Pause | DevicesPaused, _) => lookup(ROWS, stage, Pause),
        _ => lookup(if paused == NOT_PAUSED { ROWS } else { PAUSED_ROWS }, stage, event),
    };
    (State { stage, paused: after }, effects)
}

/// All reachable states, each with a shortest sequence of events.
fn reachable() -> HashMap<State, Vec<Event>> {
    let mut found = HashMap::from([(State::default(), vec![])]);
    let mut open = VecDeque::from([State::default()]);
    while let Some(state) = open.pop_front() {
        for event in EVENTS {
            let next = state.next(event).0;
            if !found.contains_key(&next) {
                let way = [found[&state].as_slice(), &[event]].concat();
                found.insert(next, way);
                open.push_back(next);
            }
        }
    }
    found
}

#[test]
fn every_pair_of_state_and_event_has_the_listed_transition() {
    for (state, way) in reachable() {
        for event in EVENTS {
            assert_eq!(state.next(event), expected(state, event), "{state:?} {event:?}, by {way:?}");
        }
    }
}

#[test]
fn transition_table_covers_exactly_the_reachable_states() {
    let all: HashSet<(Stage, bool)> =
        reachable().into_keys().map(|state| (state.stage, state.paused == NOT_PAUSED)).collect();
    let free = STAGES.iter().filter(|stage| **stage != SUBSCRIBED).map(|stage| (*stage, true));
    let table: HashSet<_> = free.chain(PAUSED_STAGES.map(|stage| (stage, false))).collect();
    assert_eq!(all, table, "an unused subscription is kept only while paused");
    for rows in [ROWS, PAUSED_ROWS] {
        let pairs: HashSet<_> = rows.iter().map(|row| (row.0, row.1)).collect();
        assert_eq!(pairs.len(), rows.len(), "no pair has two rows");
    }
}

#[test]
fn public_states_are_the_specified_ones() {
    use LiveStreamState;
    let table = [
        LiveStreamState::Uninitialized,
        LiveStreamState::Initialized,
        LiveStreamState::Connecting,
        LiveStreamState::Connecting,
        LiveStreamState::Connecting,
        LiveStreamState::Connecting,
        LiveStreamState::Connecting,
        LiveStreamState::Connecting,
        LiveStreamState::Connected,
        LiveStreamState::Disconnected,
        LiveStreamState::Disconnected,
        LiveStreamState::Disconnected,
        LiveStreamState::Disconnected,
    ];
    for (stage, public) in STAGES.into_iter().zip(table) {
        assert_eq!(State { stage, paused: NOT_PAUSED }.public(), public, "{stage:?}");
    }
    let paused = Paused { by_application: true, by_device_manager: false };
    assert_eq!(State { stage: Subscribing(First), paused }.public(), LiveStreamState::Disconnected);
}

#[test]
fn values_come_by_stream_exactly_while_connected() {
    for (state, _) in reachable() {
        for event in EVENTS {
            let (next, effects) = state.next(event);
            let switches = effects.iter().filter(|effect| matches!(effect, UseStream | UsePolling)).collect::<Vec<_>>();
            let expected: &[&Effect] = match (state.stage == Connected, next.stage == Connected) {
                (false, true) => &[&UseStream],
                (true, false) => &[&UsePolling],
                _ => &[],
            };
            assert_eq!(switches, expected, "{state:?} {event:?}");
        }
    }
}

//! Every state with every event.

use std::collections::{HashMap, HashSet, VecDeque};

use super::super::machine::Effect::{Close, Live, NotLive, Open, Refresh, Subscribe, Unsubscribe, Wait};
use super::super::machine::Event::{
    Closed, DeviceAdded, FleetPaused, FleetResumed, Gap, NotSubscribed, Opened, Pause, Refused, Resume, RetryDue,
    Start, Stop, Subscribed as IsSubscribed,
};
use super::super::machine::Stage::{
    Asking, Connected, Down, Initialized, Lost, Opening, Stopped, Uninitialized, Waiting,
};
use super::super::machine::Subscribed::{Before, Now};
use super::super::machine::Try::{First, Second};
use super::super::machine::{Effect, Event, LiveStreamState, Paused, Stage, State};

const STAGES: [Stage; 13] = [
    Uninitialized,
    Initialized,
    Asking(First),
    Asking(Second),
    Waiting,
    Opening(Now(First)),
    Opening(Now(Second)),
    Opening(Before),
    Connected,
    Lost,
    Down { subscribed: false },
    Down { subscribed: true },
    Stopped,
];

const EVENTS: [Event; 17] = [
    Start,
    Pause,
    Resume { devices: false },
    Resume { devices: true },
    Stop,
    FleetPaused,
    FleetResumed { devices: false },
    FleetResumed { devices: true },
    DeviceAdded,
    IsSubscribed,
    NotSubscribed,
    RetryDue,
    Opened,
    Closed,
    Gap,
    Refused { devices: false },
    Refused { devices: true },
];

const FREE: Paused = Paused { by_owner: false, by_fleet: false };
const GONE: Stage = Down { subscribed: false };
const KEPT: Stage = Down { subscribed: true };
const DEVICES: Event = Resume { devices: true };

type Row = (Event, Stage, Stage, &'static [Effect]);

/// What happens while nobody has paused. Where a stage has no row for an event, nothing may happen.
const ROWS: &[Row] = &[
    (Start, Uninitialized, Initialized, &[]),
    // Pause disables retries and closes the socket.
    (Pause, Waiting, GONE, &[]),
    (Pause, Opening(Now(First)), KEPT, &[Close]),
    (Pause, Opening(Now(Second)), KEPT, &[Close]),
    (Pause, Opening(Before), KEPT, &[Close]),
    (Pause, Connected, KEPT, &[NotLive, Close]),
    (Pause, Lost, KEPT, &[Close]),
    // Resume: a subscription if there is none and devices exist, then connect.
    (DEVICES, Initialized, Asking(First), &[Subscribe]),
    (DEVICES, GONE, Asking(First), &[Subscribe]),
    (DEVICES, KEPT, Opening(Before), &[Open]),
    (Resume { devices: false }, KEPT, Opening(Before), &[Open]),
    // A new device.
    (DeviceAdded, Initialized, Asking(First), &[Subscribe]),
    (DeviceAdded, GONE, Asking(First), &[Subscribe]),
    (DeviceAdded, KEPT, GONE, &[Unsubscribe]),
    (DeviceAdded, Opening(Now(First)), Asking(First), &[Close, Unsubscribe, Subscribe]),
    (DeviceAdded, Opening(Now(Second)), Asking(First), &[Close, Unsubscribe, Subscribe]),
    (DeviceAdded, Opening(Before), Asking(First), &[Close, Unsubscribe, Subscribe]),
    (DeviceAdded, Connected, Asking(First), &[NotLive, Close, Unsubscribe, Subscribe]),
    (DeviceAdded, Lost, Asking(First), &[Close, Unsubscribe, Subscribe]),
    // Once more after a delay, and no more.
    (IsSubscribed, Asking(First), Opening(Now(First)), &[Open]),
    (IsSubscribed, Asking(Second), Opening(Now(Second)), &[Open]),
    (IsSubscribed, Stopped, Stopped, &[Unsubscribe]),
    (NotSubscribed, Asking(First), Waiting, &[Wait]),
    (NotSubscribed, Asking(Second), GONE, &[]),
    (RetryDue, Waiting, Asking(Second), &[Subscribe]),
    // Events of the stream.
    (Opened, Opening(Now(First)), Connected, &[Live, Refresh]),
    (Opened, Opening(Now(Second)), Connected, &[Live, Refresh]),
    (Opened, Opening(Before), Connected, &[Live, Refresh]),
    (Opened, Lost, Connected, &[Live, Refresh]),
    (Closed, Connected, Lost, &[NotLive]),
    (Gap, Connected, Connected, &[Refresh]),
    // A key that served and is refused is replaced at once; one that never served counts as a failed request.
    (Refused { devices: true }, Opening(Now(First)), Waiting, &[Close, Unsubscribe, Wait]),
    (Refused { devices: false }, Opening(Now(First)), Waiting, &[Close, Unsubscribe, Wait]),
    (Refused { devices: true }, Opening(Now(Second)), GONE, &[Close, Unsubscribe]),
    (Refused { devices: false }, Opening(Now(Second)), GONE, &[Close, Unsubscribe]),
    (Refused { devices: true }, Opening(Before), Asking(First), &[Close, Unsubscribe, Subscribe]),
    (Refused { devices: true }, Connected, Asking(First), &[NotLive, Close, Unsubscribe, Subscribe]),
    (Refused { devices: true }, Lost, Asking(First), &[Close, Unsubscribe, Subscribe]),
    (Refused { devices: false }, Opening(Before), Initialized, &[Close, Unsubscribe]),
    (Refused { devices: false }, Connected, Initialized, &[NotLive, Close, Unsubscribe]),
    (Refused { devices: false }, Lost, Initialized, &[Close, Unsubscribe]),
    // Stop.
    (Stop, Uninitialized, Stopped, &[]),
    (Stop, Initialized, Stopped, &[]),
    (Stop, Asking(First), Stopped, &[]),
    (Stop, Asking(Second), Stopped, &[]),
    (Stop, Waiting, Stopped, &[]),
    (Stop, GONE, Stopped, &[]),
    (Stop, KEPT, Stopped, &[Unsubscribe]),
    (Stop, Opening(Now(First)), Stopped, &[Close, Unsubscribe]),
    (Stop, Opening(Now(Second)), Stopped, &[Close, Unsubscribe]),
    (Stop, Opening(Before), Stopped, &[Close, Unsubscribe]),
    (Stop, Connected, Stopped, &[NotLive, Close, Unsubscribe]),
    (Stop, Lost, Stopped, &[Close, Unsubscribe]),
];

/// What happens all the same while somebody has paused, in the stages that this leaves.
const PAUSED_ROWS: &[Row] = &[
    (Start, Uninitialized, Initialized, &[]),
    (DeviceAdded, KEPT, GONE, &[Unsubscribe]),
    (IsSubscribed, Asking(First), KEPT, &[]),
    (IsSubscribed, Asking(Second), KEPT, &[]),
    (IsSubscribed, Stopped, Stopped, &[Unsubscribe]),
    (NotSubscribed, Asking(First), GONE, &[]),
    (NotSubscribed, Asking(Second), GONE, &[]),
    (Stop, Uninitialized, Stopped, &[]),
    (Stop, Initialized, Stopped, &[]),
    (Stop, Asking(First), Stopped, &[]),
    (Stop, Asking(Second), Stopped, &[]),
    (Stop, GONE, Stopped, &[]),
    (Stop, KEPT, Stopped, &[Unsubscribe]),
];
const PAUSED_STAGES: [Stage; 7] = [Uninitialized, Initialized, Asking(First), Asking(Second), GONE, KEPT, Stopped];

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
        Pause => (Paused { by_owner: true, ..paused }, None),
        FleetPaused => (Paused { by_fleet: true, ..paused }, None),
        Resume { devices } => (Paused { by_owner: false, ..paused }, Some(devices)),
        // It resumes what it paused.
        FleetResumed { devices } => (Paused { by_fleet: false, ..paused }, paused.by_fleet.then_some(devices)),
        _ => (paused, None),
    };
    let (stage, effects) = match (event, resumes) {
        (Resume { .. } | FleetResumed { .. }, Some(devices)) if after == FREE => {
            lookup(ROWS, stage, Resume { devices })
        }
        (Resume { .. } | FleetResumed { .. }, _) => (stage, vec![]),
        (Pause | FleetPaused, _) => lookup(ROWS, stage, Pause),
        _ => lookup(if paused == FREE { ROWS } else { PAUSED_ROWS }, stage, event),
    };
    (State { stage, paused: after }, effects)
}

/// All states that can come about, each with the events of a shortest way there.
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
fn every_pair_of_state_and_event() {
    for (state, way) in reachable() {
        for event in EVENTS {
            assert_eq!(state.next(event), expected(state, event), "{state:?} {event:?}, by {way:?}");
        }
    }
}

#[test]
fn the_table_speaks_of_every_state_and_of_no_other() {
    let all: HashSet<(Stage, bool)> =
        reachable().into_keys().map(|state| (state.stage, state.paused == FREE)).collect();
    let free = STAGES.iter().filter(|stage| **stage != KEPT).map(|stage| (*stage, true));
    let table: HashSet<_> = free.chain(PAUSED_STAGES.map(|stage| (stage, false))).collect();
    assert_eq!(all, table, "a subscription that nobody uses is kept only while somebody has paused");
    for rows in [ROWS, PAUSED_ROWS] {
        let pairs: HashSet<_> = rows.iter().map(|row| (row.0, row.1)).collect();
        assert_eq!(pairs.len(), rows.len(), "no pair has two rows");
    }
}

#[test]
fn states_are_shown_as_the_specification_names_them() {
    use LiveStreamState as Shown;
    let table = [
        Shown::Uninitialized,
        Shown::Initialized,
        Shown::Connecting,
        Shown::Connecting,
        Shown::Connecting,
        Shown::Connecting,
        Shown::Connecting,
        Shown::Connecting,
        Shown::Connected,
        Shown::Disconnected,
        Shown::Disconnected,
        Shown::Disconnected,
        Shown::Disconnected,
    ];
    for (stage, shown) in STAGES.into_iter().zip(table) {
        assert_eq!(State { stage, paused: FREE }.shown(), shown, "{stage:?}");
    }
    let paused = Paused { by_owner: true, by_fleet: false };
    assert_eq!(State { stage: Asking(First), paused }.shown(), Shown::Disconnected);
}

#[test]
fn whatever_happens_values_are_live_exactly_while_connected() {
    for (state, _) in reachable() {
        for event in EVENTS {
            let (next, effects) = state.next(event);
            let told = effects.iter().filter(|effect| matches!(effect, Live | NotLive)).collect::<Vec<_>>();
            let expected: &[&Effect] = match (state.stage == Connected, next.stage == Connected) {
                (false, true) => &[&Live],
                (true, false) => &[&NotLive],
                _ => &[],
            };
            assert_eq!(told, expected, "{state:?} {event:?}");
        }
    }
}

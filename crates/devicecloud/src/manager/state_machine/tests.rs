use super::Effect::{Cancel, FetchList, FetchProperties, Poll, ReleaseDevices, ReportInitFailure, Reread};
use super::*;

type Cell = (StateMachine, &'static [Effect]);

const EVENTS: [Event; 11] = [
    Event::Start { auto_fetch: true },
    Event::Start { auto_fetch: false },
    Event::Stop,
    Event::Pause,
    Event::Resume,
    Event::ListFetched,
    Event::ListFailed,
    Event::PropertiesFetched,
    Event::DeviceAdded,
    Event::ListDue,
    Event::Refresh,
];

const fn first(state: State) -> StateMachine {
    StateMachine { state, initialised: false }
}

const fn again(state: State) -> StateMachine {
    StateMachine { state, initialised: true }
}

const NEW: StateMachine = first(State::Uninitialized);
const LIST: StateMachine = first(State::FetchingDeviceList);
const LIST_AGAIN: StateMachine = again(State::FetchingDeviceList);
const PROPERTIES: StateMachine = first(State::FetchingDeviceProperties);
const PROPERTIES_AGAIN: StateMachine = again(State::FetchingDeviceProperties);
const READY: StateMachine = again(State::Ready);
const ERROR: StateMachine = first(State::Error);
const PAUSED: StateMachine = first(State::Paused);
const PAUSED_AGAIN: StateMachine = again(State::Paused);
const LAN: StateMachine = first(State::FetchingLanConfig);

/// The transitions without pending devices, in the order of `EVENTS`; `None` means no transition.
#[rustfmt::skip]
fn table() -> [(StateMachine, [Option<Cell>; 11]); 10] {
    let to = |machine: StateMachine, effects: &'static [Effect]| Some((machine, effects));
    let stop = to(NEW, &[Cancel, ReleaseDevices]);
    let start = to(LIST, &[FetchList]);
    let list = to(LIST_AGAIN, &[FetchList]);
    let pause = to(PAUSED, &[Cancel]);
    let pause_again = to(PAUSED_AGAIN, &[Cancel]);
    let ready = to(READY, &[Poll]);
    let same_again = |machine: StateMachine| to(machine, &[Reread]);
    [
        //                   start  no auto stop  pause        resume                        list ok list failed                     properties added  due                      refresh
        (NEW,              [start, ready, None, None,        None,                         None,  None,                         None,  None,  None,                    None]),
        (LIST,             [None,  None,  stop, pause,       None,                         ready, to(ERROR, &[ReportInitFailure]), None, start, None,                    same_again(LIST)]),
        (LIST_AGAIN,       [None,  None,  stop, pause_again, None,                         ready, ready,                        None,  list,  None,                    same_again(LIST_AGAIN)]),
        (PROPERTIES,       [None,  None,  stop, pause,       None,                         None,  None,                         ready, start, None,                    same_again(PROPERTIES)]),
        (PROPERTIES_AGAIN, [None,  None,  stop, pause_again, None,                         None,  None,                         ready, list,  None,                    same_again(PROPERTIES_AGAIN)]),
        (READY,            [None,  None,  stop, pause_again, None,                         ready, ready,                        None,  list,  to(READY, &[FetchList]), same_again(READY)]),
        (ERROR,            [start, ready, stop, pause,       None,                         None,  None,                         None,  start, None,                    None]),
        (PAUSED,           [None,  None,  stop, None,        start,                        None,  None,                         None,  None,  None,                    None]),
        (PAUSED_AGAIN,     [None,  None,  stop, None,        to(READY, &[FetchList, Poll]), None, None,                         None,  None,  None,                    None]),
        (LAN,              [None,  None,  None, None,        None,                         None,  None,                         None,  None,  None,                    None]),
    ]
}

/// The transitions that differ with a pending device.
fn when_pending(from: StateMachine, event: Event) -> Option<Cell> {
    const FIRST: Cell = (PROPERTIES, &[FetchProperties]);
    const LATER: Cell = (PROPERTIES_AGAIN, &[FetchProperties]);
    match (from, event) {
        (NEW | ERROR, Event::Start { auto_fetch: false }) => Some(FIRST),
        (LIST, Event::ListFetched) | (PROPERTIES, Event::PropertiesFetched) => Some(FIRST),
        (LIST_AGAIN, Event::ListFetched | Event::ListFailed) => Some(LATER),
        (PROPERTIES_AGAIN, Event::PropertiesFetched) | (READY, Event::ListFetched) => Some(LATER),
        (PAUSED_AGAIN, Event::Resume) => Some((PROPERTIES_AGAIN, &[FetchProperties, Reread])),
        _ => None,
    }
}

#[test]
fn every_pair_of_state_and_event_has_the_listed_transition() {
    for (from, row) in table() {
        for (event, cell) in EVENTS.into_iter().zip(row) {
            let expected = cell.unwrap_or((from, &[]));
            assert_eq!(from.next(event, false), expected, "{from:?} {event:?}");
            let expected = when_pending(from, event).unwrap_or(expected);
            assert_eq!(from.next(event, true), expected, "{from:?} {event:?} with a device pending");
        }
    }
}

#[test]
fn list_poll_interval_is_15_seconds() {
    assert_eq!(LIST_POLL_INTERVAL.as_millis(), 15_000);
}

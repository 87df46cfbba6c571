use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::fault::Fault;
use super::open_stream::OpenStream;
use super::request::MockRequest;
use super::route;
use crate::clock::Clock;
use crate::model::Time;

/// All calls, in [`MockCloud::fault`] and [`MockCloud::fault_once`].
pub const ALL_CALLS: &str = "*";

/// 2026-11-20T10:00:00Z, the time of the golden answers.
const START: i64 = 1_795_168_800_000_000;

/// A cloud in the same process. It answers each call of the library with the response of a golden file of the protocol:
/// status and members are those of a real cloud, with the texts `text`, the numbers 7 and the time
/// 2026-11-20T10:00:00Z wherever the protocol does not define the value. Tests replace the answers that matter to them
/// with [`answer`](Self::answer), and make calls fail with [`fault`](Self::fault).
///
/// It has no state: a write does not change the answer to the next read. Only the content of uploaded files is kept.
///
/// Calls are named as in their documentation, for example `GET apiv1/devices/{key}/addr`. Names of arguments do not
/// matter. Clones share everything.
#[derive(Clone)]
pub struct MockCloud {
    clock: Clock,
    state: Arc<Mutex<State>>,
}

pub(super) type Answer = Arc<dyn Fn(&MockRequest) -> (u16, Value) + Send + Sync>;

#[derive(Default)]
struct State {
    requests: Vec<MockRequest>,
    /// The last matching one counts.
    faults: Vec<FaultRule>,
    /// The last matching one counts.
    answers: Vec<(String, Answer)>,
    streams: Vec<OpenStream>,
    files: HashMap<String, Vec<u8>>,
}

struct FaultRule {
    calls: String,
    fault: Fault,
    once: bool,
}

impl MockCloud {
    /// A cloud without faults.
    #[must_use]
    pub fn new() -> Self {
        Self { clock: Clock::mock(Time::from_unix_micros(START)), state: Arc::default() }
    }

    /// The clock of the clients. It starts at 2026-11-20T10:00:00Z, and moves only by [`Clock::advance`].
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.clock.clone()
    }

    /// Answers a call with this status and JSON from now on; `Value::Null` is an empty body.
    ///
    /// # Panics
    /// If the library has no such call.
    pub fn answer(&self, call: &str, status: u16, body: Value) {
        self.answer_with(call, move |_| (status, body.clone()));
    }

    /// Answers a call with the result of this function from now on: a status, and JSON or `Value::Null`.
    ///
    /// ```
    /// use devicecloud::testing::MockCloud;
    /// use serde_json::json;
    ///
    /// MockCloud::new().answer_with("GET apiv1/dsns/{dsn}", |request| match request.call.as_str() {
    ///     "GET apiv1/dsns/AC000W000000001" => (200, json!({"device": {"dsn": "AC000W000000001"}})),
    ///     _ => (404, json!({"error": "Not found"})),
    /// });
    /// ```
    ///
    /// # Panics
    /// If the library has no such call.
    pub fn answer_with(&self, call: &str, answer: impl Fn(&MockRequest) -> (u16, Value) + Send + Sync + 'static) {
        check(call);
        self.lock().answers.push((call.to_owned(), Arc::new(answer)));
    }

    /// Makes a call, or [`ALL_CALLS`], fail in this way until [`clear_faults`](Self::clear_faults). The last matching
    /// fault counts.
    ///
    /// # Panics
    /// If the library has no such call.
    pub fn fault(&self, calls: &str, fault: Fault) {
        self.add_fault(calls, fault, false);
    }

    /// Makes the next request of a call fail in this way.
    ///
    /// # Panics
    /// If the library has no such call.
    pub fn fault_once(&self, calls: &str, fault: Fault) {
        self.add_fault(calls, fault, true);
    }

    /// Ends all faults.
    pub fn clear_faults(&self) {
        self.lock().faults.clear();
    }

    /// The requests so far, the oldest first. Includes those that failed.
    #[must_use]
    pub fn requests(&self) -> Vec<MockRequest> {
        self.lock().requests.clone()
    }

    /// Sends an event on all open streams; see [`events`](super::events). A stream that opens later does not get it.
    ///
    /// # Panics
    /// If the event is not a JSON object.
    pub fn publish(&self, event: &Value) {
        self.lock().streams.iter_mut().for_each(|stream| stream.send(event));
    }

    /// Skips the number of one event on all open streams, so that the next event reveals a gap.
    pub fn lose_event(&self) {
        self.lock().streams.iter_mut().for_each(OpenStream::lose_event);
    }

    /// The number of streams that clients have open.
    #[must_use]
    pub fn open_streams(&self) -> usize {
        self.lock().streams.iter().filter(|stream| stream.is_open()).count()
    }

    /// Cuts all open streams. Clients reconnect after their delay.
    pub fn cut_streams(&self) {
        self.lock().streams.clear();
    }

    /// Records a request and returns its fault.
    pub(super) fn record(&self, request: &MockRequest) -> Option<Fault> {
        let mut state = self.lock();
        state.requests.push(request.clone());
        let at = state.faults.iter().rposition(|rule| rule.calls == ALL_CALLS || request.is(&rule.calls))?;
        let rule = &state.faults[at];
        let (fault, once) = (rule.fault, rule.once);
        if once {
            state.faults.remove(at);
        }
        Some(fault)
    }

    /// The answer that the test set for a call.
    pub(super) fn own_answer(&self, call: &str) -> Option<Answer> {
        let state = self.lock();
        let (_, answer) = state.answers.iter().rev().find(|(route, _)| route::matches(route, call))?;
        Some(Arc::clone(answer))
    }

    pub(super) fn add_stream(&self, stream: OpenStream) {
        let mut state = self.lock();
        state.streams.retain(OpenStream::is_open);
        state.streams.push(stream);
    }

    pub(super) fn store_file(&self, name: String, content: Vec<u8>) {
        self.lock().files.insert(name, content);
    }

    /// The content of a file; empty if nothing was uploaded.
    pub(super) fn file(&self, name: &str) -> Vec<u8> {
        self.lock().files.get(name).cloned().unwrap_or_default()
    }

    fn add_fault(&self, calls: &str, fault: Fault, once: bool) {
        if calls != ALL_CALLS {
            check(calls);
        }
        self.lock().faults.push(FaultRule { calls: calls.to_owned(), fault, once });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A mistyped call would never match.
fn check(call: &str) {
    assert!(route::is_known(call), "the library has no call `{call}`; use the text of its documentation");
}

impl Default for MockCloud {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MockCloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MockCloud").field("clock", &self.clock).finish_non_exhaustive()
    }
}

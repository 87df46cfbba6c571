//! Faults between clients and the cloud.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::sync::Notify;

/// A fault of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The connection is cut without a response; the request is not executed.
    Drop,
    /// The request is executed, then the connection is cut without a response.
    DropAnswer,
    /// The caller disconnects when the request has waited this many times for something, or immediately if zero.
    Disconnect {
        /// Number of polls of the request.
        after: usize,
    },
    /// The request waits before its execution until it is [released](Faults::release).
    Hold,
    /// The request is delayed before its execution.
    Delay(Duration),
    /// The request is executed, and its response is delayed.
    DelayAnswer(Duration),
    /// 429 with `Retry-After: 1`; the request is not executed.
    TooManyRequests,
    /// 404; the request is not executed.
    NotFound,
    /// 422, which clients do not retry; the request is not executed.
    UnprocessableEntity,
    /// 500; the request is not executed.
    InternalServerError,
}

/// A fault that no request has received yet.
#[derive(Clone, Debug)]
struct Waiting {
    fault: Fault,
    /// As the client spells it; `None`: any.
    path: Option<String>,
}

/// The faults of the next requests, in order, and a record of the executed requests. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    queue: Arc<Mutex<VecDeque<Waiting>>>,
    is_unavailable: Arc<AtomicBool>,
    holds: Arc<Notify>,
    releases: Arc<Notify>,
    carried_out: Arc<Mutex<HashMap<String, Vec<String>>>>,
}

impl Faults {
    /// Adds a fault for the next request without one.
    ///
    /// # Panics
    /// Never: no holder of the lock can panic.
    pub fn push(&self, fault: Fault) {
        self.add(Waiting { fault, path: None });
    }

    /// Adds a fault for the next request without one for this path, as the client spells it.
    ///
    /// # Panics
    /// Never: no holder of the lock can panic.
    pub fn push_for(&self, path: impl Into<String>, fault: Fault) {
        self.add(Waiting { fault, path: Some(path.into()) });
    }

    fn add(&self, waiting: Waiting) {
        self.queue.lock().expect("no holder of this lock can panic").push_back(waiting);
    }

    fn take(&self, path: &str) -> Option<Fault> {
        let mut queue = self.queue.lock().expect("no holder of this lock can panic");
        let place = queue.iter().position(|waiting| waiting.path.as_deref().is_none_or(|its| its == path))?;
        queue.remove(place).map(|waiting| waiting.fault)
    }

    /// Removes the faults that no request has received yet.
    ///
    /// # Panics
    /// Never: no holder of the lock can panic.
    pub fn clear(&self) {
        self.queue.lock().expect("no holder of this lock can panic").clear();
    }

    /// Waits until a request is held.
    pub async fn held(&self) {
        self.holds.notified().await;
    }

    /// Executes the request that is held.
    pub fn release(&self) {
        self.releases.notify_one();
    }

    /// Whether all requests are answered with 503 and not executed, until this is set to false.
    pub fn set_unavailable(&self, is_unavailable: bool) {
        self.is_unavailable.store(is_unavailable, Ordering::SeqCst);
    }

    /// The number of faults that no request has received yet.
    ///
    /// # Panics
    /// Never: no holder of the lock can panic.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.lock().expect("no holder of this lock can panic").len()
    }

    /// The number of executed requests for this path, as the client spelled it.
    ///
    /// # Panics
    /// Never: no holder of the lock can panic.
    #[must_use]
    pub fn carried_out(&self, path: &str) -> usize {
        self.queries(path).len()
    }

    /// The query strings of executed requests for this path, in order.
    ///
    /// # Panics
    /// Never: no holder of the lock can panic.
    #[must_use]
    pub fn queries(&self, path: &str) -> Vec<String> {
        self.carried_out.lock().expect("no holder of this lock can panic").get(path).cloned().unwrap_or_default()
    }
}

pub(super) async fn apply(State(faults): State<Faults>, request: Request, next: Next) -> Response {
    if faults.is_unavailable.load(Ordering::SeqCst) {
        return failed(StatusCode::SERVICE_UNAVAILABLE);
    }
    let path = request.uri().path().to_owned();
    let fault = faults.take(&path);
    let query = request.uri().query().unwrap_or_default().to_owned();
    let carry_out = async {
        let response = next.run(request).await;
        faults.carried_out.lock().expect("no holder of this lock can panic").entry(path).or_default().push(query);
        response
    };
    match fault {
        None => carry_out.await,
        Some(Fault::Drop) => cut(),
        Some(Fault::DropAnswer) => {
            carry_out.await;
            cut()
        }
        Some(Fault::Disconnect { after }) => poll_at_most(after, carry_out).await.unwrap_or_else(cut),
        Some(Fault::Hold) => {
            faults.holds.notify_one();
            faults.releases.notified().await;
            carry_out.await
        }
        Some(Fault::Delay(time)) => {
            tokio::time::sleep(time).await;
            carry_out.await
        }
        Some(Fault::DelayAnswer(time)) => {
            let response = carry_out.await;
            tokio::time::sleep(time).await;
            response
        }
        Some(Fault::TooManyRequests) => {
            let mut response = failed(StatusCode::TOO_MANY_REQUESTS);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            response
        }
        Some(Fault::NotFound) => failed(StatusCode::NOT_FOUND),
        Some(Fault::UnprocessableEntity) => failed(StatusCode::UNPROCESSABLE_ENTITY),
        Some(Fault::InternalServerError) => failed(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

/// The output of a future if it is ready after this many polls. Otherwise it is dropped where it waits.
async fn poll_at_most<F: Future>(mut polls: usize, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|context| {
        if polls > 0 {
            polls -= 1;
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(Some(output));
            }
        }
        if polls > 0 { Poll::Pending } else { Poll::Ready(None) }
    })
    .await
}

fn failed(status: StatusCode) -> Response {
    (status, Json(json!({ "error": "An injected fault" }))).into_response()
}

/// Unwinding through the connection's task closes its socket without printing anything.
fn cut() -> Response {
    std::panic::resume_unwind(Box::new("the connection was to be cut"))
}

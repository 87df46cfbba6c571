//! Requests beyond a rate limit are answered with 429 and Retry-After.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{ConnectInfo, DefaultBodyLimit, FromRequest, FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use jiff::SignedDuration;
use platform::db::Writer;
use platform::run::rate_limit::{LimitReached, network};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use super::body::Body;
use super::error::Error;
use crate::app::App;
use crate::domain::principal::Principal;
use crate::limits::request_limits::RequestSlot;

/// Delay before a refused request is answered. Otherwise a client that retries immediately could keep the node busy.
const REFUSAL_DELAY: Duration = Duration::from_millis(250);
/// Maximum number of refused requests that wait for their answer; further ones are answered immediately.
const DELAYED_REFUSALS: usize = 1_000;

/// Maximum size in bytes of a request that needs no session.
const SMALL_BODY: usize = 16 * 1024;

/// The slots in which refused requests wait for their answer.
pub(super) fn delayed_refusals() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(DELAYED_REFUSALS))
}

/// Middleware that answers refused requests late.
pub(super) async fn delay_refusal(State(delayed): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    if response.status() == StatusCode::TOO_MANY_REQUESTS
        && let Ok(_slot) = delayed.try_acquire()
    {
        tokio::time::sleep(REFUSAL_DELAY).await;
    }
    response
}

/// The slot of a request, kept by [`hold_slot`] until the request is handled.
#[derive(Clone, Default)]
struct HeldSlot(Arc<Mutex<Option<RequestSlot>>>);

/// Middleware that keeps the slot that an extractor takes. Writes of the request are on behalf of the requester.
pub(super) async fn hold_slot(mut request: Request, next: Next) -> Response {
    let held = HeldSlot::default();
    request.extensions_mut().insert(held.clone());
    let response = Writer::scope(next.run(request)).await;
    drop(held);
    response
}

/// An extractor for requests whose URL is their only right: they are counted by address.
pub(super) struct CountedByAddress;

impl FromRequestParts<App> for CountedByAddress {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        count_address(app, parts)?;
        Ok(Self)
    }
}

/// The members of a request that needs no session. It is counted by address, read, and then waits for the turn of its address: a
/// client that sends slowly does not keep the others waiting.
pub(super) struct LimitedBody(pub(super) Map<String, Value>);

impl FromRequest<App> for LimitedBody {
    type Rejection = Error;

    async fn from_request(mut request: Request, app: &App) -> Result<Self, Error> {
        DefaultBodyLimit::max(SMALL_BODY).apply(&mut request);
        let (parts, body) = request.into_parts();
        count_address(app, &parts)?;
        let Body(members) = Body::from_request(Request::from_parts(parts.clone(), body), app).await?;
        if let Some(address) = address(&parts) {
            let slot = app.limits.enter_address(address).await;
            // Requests of a trusted proxy are those of many people.
            if slot.is_some() {
                Writer::Address(network(address)).assume();
            }
            keep(&parts, slot);
        }
        Ok(Self(members))
    }
}

/// Counts a request with a token or a stream key before it is looked up: for its user if the token is known, otherwise by address.
/// Waits until the request of a known user can be handled.
///
/// # Errors
/// 429.
pub(super) async fn enter_token(app: &App, token: &str, parts: &Parts) -> Result<Option<RequestSlot>, Error> {
    let slot = app.limits.enter_token(token).await?;
    if slot.is_none() {
        count_address(app, parts)?;
    }
    Ok(slot)
}

/// Waits for the turn of a request of a signed-in user, and counts it, unless it has a `slot`.
///
/// # Errors
/// 429.
pub(super) async fn enter(
    app: &App,
    user: &Principal,
    token: &str,
    slot: Option<RequestSlot>,
    parts: &Parts,
) -> Result<(), Error> {
    keep(parts, Some(app.limits.enter_user(user, token, slot).await?));
    Writer::User(user.user_id).assume();
    Ok(())
}

/// Counts a request without a valid session.
///
/// # Errors
/// 429.
pub(super) fn count_address(app: &App, parts: &Parts) -> Result<(), Error> {
    address(parts).map_or(Ok(()), |address| Ok(app.limits.count_address(address)?))
}

fn keep(parts: &Parts, slot: Option<RequestSlot>) {
    if let Some(HeldSlot(held)) = parts.extensions.get() {
        *held.lock().expect("no holder of this lock can panic") = slot;
    }
}

fn address(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get().map(|ConnectInfo::<SocketAddr>(peer)| peer.ip())
}

impl From<LimitReached> for Error {
    fn from(LimitReached { wait }: LimitReached) -> Self {
        // Rounded up: the header has whole seconds.
        let wait = wait.max(Duration::from_millis(1));
        let retry_after = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        Self::TooManyRequests { text: "Too many requests; try again later", retry_after }
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::to_bytes;
    use axum::middleware::{from_fn, from_fn_with_state};
    use axum::routing::get;
    use tokio::time::Instant;
    use tower::ServiceExt;

    use super::*;
    use crate::http::extract::Caller;
    use crate::testing::{TestCloud, World};

    /// The time until a request is answered if the handler returns this status.
    async fn duration(status: StatusCode, delayed: &Arc<Semaphore>) -> Duration {
        let router = Router::new().fallback(move || async move { status });
        let started = Instant::now();
        let router = router.layer(from_fn_with_state(delayed.clone(), delay_refusal));
        let response = router.oneshot(Request::new(axum::body::Body::empty())).await.unwrap();
        assert_eq!(response.status(), status);
        started.elapsed()
    }

    #[tokio::test]
    async fn request_writes_on_behalf_of_its_user_or_address() {
        let cloud = TestCloud::start().await;
        let world = cloud.seed().await;
        let token = cloud.access_token(&world, World::ADMIN).await;
        let is_user = async |caller: Caller| (Writer::current() == Writer::User(caller.0.user_id)).to_string();
        let router = Router::new()
            .route("/user", get(is_user))
            .route("/open", get(async |_: LimitedBody| format!("{:?}", Writer::current())))
            .layer(from_fn(hold_slot))
            .with_state(cloud.app().clone());
        let writer = async |path: &str, address: &str| {
            let peer = ConnectInfo(SocketAddr::new(address.parse().unwrap(), 4711));
            let request = Request::get(path).extension(peer).header("authorization", format!("auth_token {token}"));
            let response = router.clone().oneshot(request.body(axum::body::Body::empty()).unwrap()).await.unwrap();
            to_bytes(response.into_body(), 100).await.unwrap()
        };
        assert_eq!(writer("/user", "192.0.2.7").await, "true");
        assert_eq!(writer("/open", "192.0.2.7").await, "Address(192.0.2.7)");
        // Consoles are trusted by default.
        assert_eq!(writer("/open", "127.0.0.1").await, "Program");
    }

    #[tokio::test(start_paused = true)]
    async fn only_refused_requests_are_answered_late() {
        let delayed = delayed_refusals();
        // The paused clock moves in whole milliseconds.
        let late = duration(StatusCode::TOO_MANY_REQUESTS, &delayed).await;
        assert!(late >= REFUSAL_DELAY && late < REFUSAL_DELAY * 2, "{late:?}");
        assert_eq!(duration(StatusCode::OK, &delayed).await, Duration::ZERO);
        assert_eq!(duration(StatusCode::UNAUTHORIZED, &delayed).await, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn refused_requests_beyond_the_maximum_are_answered_immediately() {
        let delayed = delayed_refusals();
        let others = delayed.clone().acquire_many_owned(u32::try_from(DELAYED_REFUSALS).unwrap()).await.unwrap();
        assert_eq!(duration(StatusCode::TOO_MANY_REQUESTS, &delayed).await, Duration::ZERO);
        drop(others);
        assert!(duration(StatusCode::TOO_MANY_REQUESTS, &delayed).await >= REFUSAL_DELAY);
    }
}

//! Stream service: the WebSocket of a subscription.

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};

use super::error::{Error, Result, Service};
use super::limits;
use super::query::Query;
use crate::app::App;
use crate::domain::policy::{DeviceScope, device_scope};
use crate::store;
use crate::stream::socket::{Stream, serve};

/// Clients send heartbeats only.
const MAX_MESSAGE: usize = 4 * 1024;

/// GET stream?stream_key=: a key that is unknown, or whose session has ended, fails the handshake with 401.
pub(super) async fn open(
    State(app): State<App>,
    parts: Parts,
    query: Query,
    upgrade: std::result::Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response> {
    const REFUSED: Error = Error::Unauthenticated(Service::Device);
    let Some(key) = query.get("stream_key") else {
        limits::count_address(&app, &parts)?;
        return Err(REFUSED);
    };
    let slot = limits::enter_token(&app, key, &parts).await?;
    let Some(subscription) = store::subscriptions::by_stream_key(&app.db, key).await? else {
        app.limits.forget_token(key);
        return Err(REFUSED);
    };
    // Subscribe to the bus first, so that no event after the handshake is missed, and no change of rights or end of the
    // subscription after they are read below.
    let reader = app.hub.read(&subscription, DeviceScope::Nothing);
    if !store::subscriptions::exists(&app.db, subscription.id).await? {
        return Err(REFUSED);
    }
    let principal = store::roles::principal(&app.db, subscription.user_id).await?.ok_or(REFUSED)?;
    limits::enter(&app, &principal, key, slot, &parts).await?;
    reader.set_scope(device_scope(&principal, app.clock.now()));
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE),
        Err(rejection) => return Ok(rejection.into_response()),
    };
    let stream = Stream {
        db: app.db.clone(),
        clock: app.clock.clone(),
        subscription,
        reader,
        heartbeat: app.heartbeat,
        stop: app.stop.clone(),
    };
    let tasks = app.tasks.clone();
    Ok(upgrade.on_upgrade(async move |socket| {
        let _ = tasks.spawn(serve(socket, stream)).await;
    }))
}

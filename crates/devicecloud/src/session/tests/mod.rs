//! Tests of sessions, by subject.

mod panics;
mod refresh;
mod saving;
mod sign_in;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::join_all;
use http::Method;
use serde_json::json;

use super::*;
use crate::clock::Clock;
use crate::config::endpoints::Service;
use crate::http::testing::{Reply, ScriptedTransport, SentRequest};
use crate::model::Time;

const NOW: &str = "2026-11-20T10:00:00Z";
const SECOND: Duration = Duration::from_secs(1);

fn authorization(access: &str, expires_in_secs: u64) -> Authorization {
    Authorization {
        access_token: access.into(),
        refresh_token: format!("refresh-{access}").into(),
        expires_in_secs,
        role: None,
        created_at: NOW.parse::<Time>().unwrap(),
    }
}

fn tokens(access: &str) -> Reply {
    Reply::Status(
        200,
        json!({"access_token": access, "refresh_token": format!("refresh-{access}"), "expires_in": 86400}),
    )
}

/// A cloud that accepts only the token "new" and returns it from a refresh.
fn cloud(refresh: impl Fn() -> Reply + Send + Sync + 'static) -> ScriptedTransport {
    ScriptedTransport::from_fn(move |seen: &SentRequest, _| {
        if seen.url.ends_with("refresh_token.json") {
            return refresh();
        }
        let known = seen.token.as_deref() == Some("auth_token new");
        if known { Reply::Status(200, json!({})) } else { Reply::Status(401, json!({"error": {"message": "expired"}})) }
    })
}

fn session(script: &ScriptedTransport, store: impl TokenStore) -> (Arc<CloudSession>, Clock) {
    let clock = Clock::mock(NOW.parse().unwrap());
    let http = Arc::new(script.http(clock.clone()));
    (CloudSession::new(Arc::clone(&http), Arc::new(CloudAuth(http)), Arc::new(store)), clock)
}

async fn call(session: &Arc<CloudSession>) -> Result<Response> {
    session
        .call(messages::NO_SESSION_ACTIVE, Request::new(Method::GET, Service::Device, "apiv1/devices.json", &[]))
        .await
}

async fn stored(store: &impl TokenStore) -> Option<String> {
    store.load().await.unwrap().map(|authorization| authorization.access_token.expose().to_owned())
}

/// A store that takes a second for each operation and can fail to save.
#[derive(Clone)]
struct SlowStore {
    inner: MemoryTokenStore,
    broken: Arc<AtomicBool>,
}

struct SlowLock(Box<dyn TokenLock>, Arc<AtomicBool>);

impl SlowStore {
    fn with(authorization: Authorization) -> Self {
        Self { inner: MemoryTokenStore::with(authorization), broken: Arc::default() }
    }
}

impl TokenStore for SlowStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        self.inner.load()
    }

    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>> {
        Box::pin(async {
            tokio::time::sleep(SECOND).await;
            let lock = self.inner.lock().await?;
            Ok(Box::new(SlowLock(lock, Arc::clone(&self.broken))) as Box<dyn TokenLock>)
        })
    }
}

impl TokenLock for SlowLock {
    fn load(&mut self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        Box::pin(async {
            tokio::time::sleep(SECOND).await;
            self.0.load().await
        })
    }

    fn save<'a>(self: Box<Self>, authorization: Option<&'a Authorization>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            tokio::time::sleep(SECOND).await;
            if self.1.load(Ordering::SeqCst) {
                return Err(Error::new(ErrorKind::Internal, "disk full"));
            }
            self.0.save(authorization).await
        })
    }
}

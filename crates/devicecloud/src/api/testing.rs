use std::sync::Arc;

use crate::client::Client;
use crate::clock::Clock;
use crate::config::Config;
use crate::http::testing::ScriptedTransport;
use crate::model::Time;
use crate::session::{Authorization, MemoryTokenStore};

/// A client over a scripted transport, signed in or not.
pub(super) fn client(script: &ScriptedTransport, signed_in: bool) -> Client {
    let now: Time = "2026-11-20T10:00:00Z".parse().unwrap();
    let authorization = || Authorization {
        access_token: "5ec2e7".into(),
        refresh_token: "5ec2e7".into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: now,
    };
    let store = if signed_in { MemoryTokenStore::with(authorization()) } else { MemoryTokenStore::new() };
    let config = Config::local("https://cloud.test", "app", "app-secret").unwrap();
    let builder = Client::builder(config, Arc::new(store)).clock(Clock::mock(now));
    builder.build_over(Box::new(script.clone())).unwrap()
}

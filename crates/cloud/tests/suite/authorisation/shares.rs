//! Calls on shares, each on a new share of the device that an administrator gave.

use std::sync::atomic::{AtomicUsize, Ordering};

use cloud::testing::{RouteEntry, World};
use reqwest::Method;
use serde_json::json;

use crate::client::Fixture;
use crate::shares::{SHARES, device, give, guest};

pub(super) const PATH: &str = SHARES;

pub(super) fn names_a_device(route: RouteEntry) -> bool {
    route.method != "GET" || route.path.contains("{id}")
}

pub(super) async fn call(fixture: &Fixture, route: RouteEntry, dsn: &str, token: Option<&str>) -> u16 {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let recipient = format!("recipient{}@example.com", COUNT.fetch_add(1, Ordering::Relaxed));
    guest(fixture, &recipient).await;
    let wanted = device(dsn, &recipient, json!({}));
    let mut path = route.path.to_owned();
    if route.method != "POST" {
        let administrator = fixture.token(World::ADMIN).await;
        let share = give(fixture, &administrator, wanted.clone()).await.body["share"].take();
        path = match (route.method, route.path) {
            ("DELETE", SHARES) => format!("{path}?resource_name=device&resource_id={dsn}&user_id={}", share["user_id"]),
            _ => path.replace("{id}", &share["id"].to_string()),
        };
    }
    let body = ["POST", "PUT"].contains(&route.method).then(|| json!({ "share": wanted }));
    fixture.call(Method::from_bytes(route.method.as_bytes()).unwrap(), &path, token, body).await.status
}

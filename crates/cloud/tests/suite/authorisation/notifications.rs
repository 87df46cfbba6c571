//! Calls on notifications and triggers, each on new ones that an administrator created for the device.

use cloud::testing::{RouteEntry, World};
use reqwest::Method;
use serde_json::Value;

use crate::client::{Answer, Fixture};
use crate::{notifications, triggers};

pub(super) fn names_one(path: &str) -> bool {
    path.contains("notification") || path.contains("trigger")
}

pub(super) fn is_one(route: RouteEntry) -> bool {
    names_one(route.path)
}

pub(super) async fn call(fixture: &Fixture, route: RouteEntry, dsn: &str, token: Option<&str>) -> u16 {
    let administrator = fixture.token(World::ADMIN).await;
    let delete = async |path: String| fixture.delete(&administrator, &path).await;
    if route.path.contains("notification") {
        let device = fixture.device_key(&administrator, dsn).await;
        let (id, app) = notifications::with_app(fixture, &administrator, dsn).await;
        let path = route.path.replace("{key}", &device.to_string()).replace("{id}", &id.to_string());
        let is_app = path.contains("/notification_apps");
        let body = if is_app { notifications::email() } else { notifications::lost() };
        let answer = send(fixture, route, &path.replace("{app}", &app.to_string()), token, body).await;
        // A device has no room for the notifications of all calls.
        delete(format!("/apiv1/notifications/{id}")).await;
        delete(format!("/apiv1/notifications/{}", answer.body["notification"]["id"])).await;
        return answer.status;
    }
    let (trigger, app) = triggers::with_app(fixture, &administrator, dsn).await;
    let key = match route.path {
        path if path.contains("/properties/{key}") => {
            fixture.property(&administrator, dsn, "intensity").await["key"].as_i64().unwrap()
        }
        path if path.contains("/trigger_apps/{key}") => app,
        _ => trigger,
    };
    let path = route.path.replace("{dsn}", dsn).replace("{name}", "intensity").replace("{key}", &key.to_string());
    let body = if path.contains("/trigger_apps") { triggers::email() } else { triggers::below("20") };
    let answer = send(fixture, route, &path, token, body).await;
    delete(format!("/apiv1/triggers/{trigger}")).await;
    delete(format!("/apiv1/triggers/{}", answer.body["trigger"]["key"])).await;
    answer.status
}

async fn send(fixture: &Fixture, route: RouteEntry, path: &str, token: Option<&str>, body: Value) -> Answer {
    let method = Method::from_bytes(route.method.as_bytes()).unwrap();
    fixture.call(method, path, token, matches!(route.method, "POST" | "PUT").then_some(body)).await
}

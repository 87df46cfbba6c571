//! Calls on schedules and their actions, each on a new schedule that an administrator created for the device.

use cloud::testing::{RouteEntry, World};
use reqwest::Method;
use serde_json::json;

use crate::client::Fixture;
use crate::schedules::{action, schedule};

pub(super) fn is_about(route: RouteEntry) -> bool {
    route.path.contains("/schedule")
}

pub(super) fn names_one(route: RouteEntry) -> bool {
    route.path.contains('{')
}

pub(super) async fn call(fixture: &Fixture, route: RouteEntry, dsn: &str, token: Option<&str>) -> u16 {
    let administrator = fixture.token(World::ADMIN).await;
    let device = fixture.device_key(&administrator, dsn).await;
    let schedules = format!("/apiv1/devices/{device}/schedules");
    let made = fixture.post(&administrator, &schedules, json!({ "schedule": schedule("nights") })).await.body;
    let key = made["schedule"]["key"].to_string();
    let actions = format!("/apiv1/schedules/{key}/schedule_actions");
    let done = fixture.post(&administrator, &actions, json!({ "schedule_action": action() })).await.body;
    let id = match route.path {
        path if path.starts_with("/apiv1/schedule_actions") => done["schedule_action"]["key"].to_string(),
        _ => key.clone(),
    };
    let path = route.path.replace("{key}", &device.to_string()).replace("{dsn}", dsn).replace("{id}", &id);
    let path = if path.ends_with("/find_by_name") { format!("{path}?name=nights") } else { path };
    let body = match (route.method, route.path) {
        ("GET" | "DELETE", _) | (_, "/apiv1/schedules/{id}/clear") => None,
        (_, path) if path.contains("schedule_actions") => Some(json!({ "schedule_action": action() })),
        ("POST", _) => Some(json!({ "schedule": schedule("mornings") })),
        _ => Some(json!({ "schedule": { "active": true } })),
    };
    let method = Method::from_bytes(route.method.as_bytes()).unwrap();
    let status = fixture.call(method, &path, token, body).await.status;
    let left = fixture.get(&administrator, &schedules).await.body;
    for schedule in left.as_array().unwrap() {
        fixture.delete(&administrator, &format!("/apiv1/schedules/{}", schedule["schedule"]["key"])).await;
    }
    status
}

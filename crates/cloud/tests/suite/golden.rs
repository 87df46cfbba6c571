//! The golden wire files of the client library (crates/devicecloud/tests/wire/README.md): the cloud accepts each
//! request and answers in the shape that the file defines.

mod files;
mod shape;

use std::collections::HashMap;

use cloud::testing::{APP_ID, APP_SECRET, PASSWORD, World};
use futures::SinkExt;
use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::client::{Fixture, answer};
use crate::stream::{event, frame, open};
use files::{File, Variables};
use shape::{mismatch, other_case};

/// A role for users of partners.
const ROLE: &str = "OEM::Partner::Admin";

/// The state that every file requires: a signed-in caller (by default a partner's administrator), a device, a pending
/// command and a subscription.
#[expect(clippy::too_many_lines, reason = "a table")]
async fn prepared(fixture: &Fixture, caller: Option<&str>) -> Variables {
    let email = match caller {
        None => World::PARTNER_ADMIN_A,
        Some("administrator") => World::ADMIN,
        Some("recipient") => World::END_USER,
        Some(other) => panic!("unknown caller {other}"),
    };
    let share = crate::shares::device("DEV-A1", World::END_USER, json!({ "operation": "write" }));
    let owner = fixture.token(World::PARTNER_ADMIN_A).await;
    let share = fixture.post(&owner, "/api/v1/users/shares", json!({ "share": share })).await.body["share"].take();
    let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
    let user = json!({ "email": email, "password": PASSWORD, "application": application });
    let sign_in = fixture.call(Method::POST, "/users/sign_in", None, Some(json!({ "user": user }))).await;
    let session = sign_in.body;
    let token = session["access_token"].as_str().unwrap();
    let datapoint = fixture.command(token, "DEV-A1", "intensity", json!(30)).await;
    let file =
        fixture.post(token, "/apiv1/dsns/DEV-A1/properties/log/datapoints", json!({})).await.body["datapoint"].take();
    let subscription = json!({
        "name": "JS_DSS", "description": "DATAPOINT", "subscription_type": "datapoint,datapointack,connectivity,location,registration",
    });
    let subscription = fixture.post(token, "/api/v1/subscriptions", subscription).await.body["subscription"].take();
    fixture.post(token, "/api/v1/users/data", json!({ "datum": { "key": "units", "value": "metric" } })).await;
    let contact = json!({ "contact": { "firstname": "Jo" } });
    let contact = fixture.post(token, "/api/v1/users/contacts", contact).await.body["contact"].take();
    let schedules = format!("/apiv1/devices/{}/schedules", fixture.device_key(token, "DEV-A1").await);
    let schedule = fixture.get(token, &schedules).await.body[0]["schedule"].take();
    Variables::new(&[
        ("schedule_key", schedule["key"].clone()),
        ("schedule_action_key", schedule["schedule_actions"][0]["key"].clone()),
        ("unconfirmed_email", json!(World::UNCONFIRMED)),
        ("unknown_email", json!("nobody@example.com")),
        ("invalid_email", json!("jo@")),
        ("new_email", json!("jo.new@example.com")),
        ("new_password", json!("Battery-Staple-2")),
        ("weak_password", json!("weak")),
        ("template", json!("short")),
        ("wrong_confirmation_token", json!("0".repeat(32))),
        ("wrong_reset_password_token", json!("0".repeat(32))),
        ("wrong_cancellation_token", json!("0".repeat(32))),
        ("email", json!(email)),
        ("password", json!(PASSWORD)),
        ("app_id", json!(APP_ID)),
        ("app_secret", json!(APP_SECRET)),
        ("access_token", session["access_token"].clone()),
        ("refresh_token", session["refresh_token"].clone()),
        ("dsn", json!("DEV-A1")),
        ("other_dsn", json!("DEV-A2")),
        ("device_key", json!(fixture.device_key(token, "DEV-A1").await)),
        ("property", json!("intensity")),
        ("datum_key", json!("units")),
        ("contact_id", contact["id"].clone()),
        ("recipient", json!(World::END_USER)),
        ("share_id", share["id"].clone()),
        ("role", json!(ROLE)),
        ("role_label_id", role_label(fixture, token).await),
        ("property_key", fixture.property(token, "DEV-A1", "intensity").await["key"].take()),
        ("file_property", json!("log")),
        ("file_property_key", fixture.property(token, "DEV-A1", "log").await["key"].take()),
        ("file_id", file["id"].clone()),
        ("file", file["file"].clone()),
        ("datapoint_id", json!(datapoint)),
        ("subscription_id", subscription["id"].clone()),
        ("stream_key", subscription["stream_key"].clone()),
        ("oem_id", json!(fixture.world.oem.id)),
        ("oem_key", json!(fixture.world.oem.key)),
        ("user_id", fixture.user(email).await["id"].take()),
        ("other_user_id", fixture.user(World::TECHNICIAN_A).await["id"].take()),
        ("other_user_uuid", fixture.user(World::TECHNICIAN_A).await["uuid"].take()),
        ("other_email", json!(World::TECHNICIAN_A)),
        ("customer_id", fixture.user(World::END_USER).await["id"].take()),
        ("customer_email", json!(World::END_USER)),
        ("wrong_oem_id", json!(999_999_999)),
        ("wrong_user_id", json!(999_999_999)),
        ("wrong_password", json!("wrong")),
        ("wrong_app_id", json!("wrong")),
        ("wrong_access_token", json!("0".repeat(32))),
        ("wrong_refresh_token", json!("0".repeat(32))),
        ("wrong_dsn", json!("NO-SUCH")),
        ("wrong_stream_key", json!("0".repeat(32))),
    ])
}

/// Adds the tokens of mails to the caller (password, change of address) and to the unconfirmed user.
async fn mailed(fixture: &Fixture, variables: Variables) -> Variables {
    let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
    let body = |email: &str| json!({ "user": { "email": email, "application": application } });
    let administrator = fixture.token(World::ADMIN).await;
    let requested = fixture.call(Method::POST, "/users/password", None, Some(body(&variables.text("email")))).await;
    let resent = fixture.post(&administrator, "/users/confirmation", body(World::UNCONFIRMED)).await;
    let change = json!({ "email": "jo.newer@example.com" });
    let changed = fixture.put(&variables.text("access_token"), "/users/update_email", change).await;
    assert_eq!((requested.status, resent.status, changed.status), (201, 201, 200));
    let outbox = fixture.cloud.outbox().await;
    let names = ["reset_password_token", "confirmation_token", "cancellation_token"];
    let tokens: Vec<_> = names.iter().zip(&outbox).map(|(name, mail)| (*name, mail.token().into())).collect();
    variables.and(&tokens)
}

/// Adds a notification and a trigger of the device, each with an app.
async fn watched(fixture: &Fixture, variables: Variables) -> Variables {
    let token = variables.text("access_token");
    let (notification, notification_app) = crate::notifications::with_app(fixture, &token, "DEV-A1").await;
    let (trigger, trigger_app) = crate::triggers::with_app(fixture, &token, "DEV-A1").await;
    variables.and(&[
        ("notification_id", notification.into()),
        ("notification_app_id", notification_app.into()),
        ("trigger_key", trigger.into()),
        ("trigger_app_key", trigger_app.into()),
    ])
}

/// Adds a rule of the partner with its action, and an action without a rule.
async fn ruled(fixture: &Fixture, variables: Variables) -> Variables {
    let owner = fixture.token(World::PARTNER_ADMIN_A).await;
    let [rule, action, unused_action] = crate::rules::golden(fixture, &owner).await;
    variables.and(&[
        ("rule_uuid", rule),
        ("action_uuid", action),
        ("unused_action_uuid", unused_action),
        ("wrong_uuid", json!("33333333-4444-5555-6666-999999999999")),
    ])
}

/// The id of the partner's label with [`ROLE`] on the device.
async fn role_label(fixture: &Fixture, token: &str) -> Value {
    let path = format!("/apiv1/devices/{}/role_labels", fixture.device_key(token, "DEV-A1").await);
    let mut labels = fixture.get(token, &path).await.body;
    let of_role = labels.as_array_mut().unwrap().iter_mut().find(|label| label["role_label"]["role_name"] == ROLE);
    of_role.unwrap()["role_label"]["id"].take()
}

/// The state that a golden file requires in addition to [`prepared`]; the file's `source` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Plain,
    CommandAcknowledged,
    DeviceConnected,
    FileUploaded,
    FileComplete,
    RoleAssociated,
    RoleRevoked,
    Mailed,
    Watched,
    Ruled,
}

impl State {
    fn of(file: &str) -> Self {
        let (family, call) = file.split_once('/').unwrap();
        match (family, call) {
            ("datapoints", "get.acked") => Self::CommandAcknowledged,
            ("devices", call) if call.starts_with("connection_history") => Self::DeviceConnected,
            ("files", "complete" | "get.406" | "fetched.406") => Self::FileUploaded,
            ("files", "get" | "fetched") => Self::FileComplete,
            ("roles", "disassociate_role_user" | "disassociate_user" | "index_by_label") => Self::RoleAssociated,
            ("admin", "get_user.custody") => Self::RoleRevoked,
            ("users", _) => Self::Mailed,
            ("notifications" | "triggers", _) => Self::Watched,
            (family, _) if family.starts_with("rule") => Self::Ruled,
            _ => Self::Plain,
        }
    }

    /// A cloud in this state.
    async fn start(self, caller: Option<&str>) -> (Fixture, Variables) {
        let fixture = Fixture::start().await;
        let variables = prepared(&fixture, caller).await;
        let variables = match self {
            Self::Plain => variables,
            Self::CommandAcknowledged => {
                fixture.cloud.device("DEV-A1").await.ack(&variables.text("datapoint_id"), 200, 0).await;
                variables
            }
            Self::DeviceConnected => {
                fixture.cloud.device("DEV-A1").await.connect().await;
                variables
            }
            Self::FileUploaded => {
                upload(&variables).await;
                variables
            }
            Self::FileComplete => {
                upload(&variables).await;
                let path = format!("/apiv1/datapoints/{}", variables.text("file_id"));
                let token = variables.text("access_token");
                assert_eq!(fixture.call(Method::PUT, &path, Some(&token), None).await.status, 200);
                variables
            }
            Self::RoleAssociated => {
                let admin = fixture.token(World::ADMIN).await;
                let body = json!({ "role": ROLE, "label": { "partner_id": "A" }, "user_email": World::END_USER });
                assert_eq!(fixture.put(&admin, "/api/v1/users/associate_role_user", body).await.status, 204);
                variables
            }
            Self::RoleRevoked => {
                let partner = fixture.token(World::PARTNER_ADMIN_A).await;
                let body = json!({ "role": crate::people::TECHNICIAN, "user_email": World::TECHNICIAN_A });
                assert_eq!(fixture.put(&partner, "/api/v1/users/revoke_role", body).await.status, 204);
                variables
            }
            Self::Mailed => mailed(&fixture, variables).await,
            Self::Watched => watched(&fixture, variables).await,
            Self::Ruled => ruled(&fixture, variables).await,
        };
        (fixture, variables)
    }
}

async fn upload(variables: &Variables) {
    let sent = crate::client::client().put(variables.text("file")).body("bytes").send().await.unwrap();
    assert_eq!(sent.status(), 200);
}

/// Requests that write nothing share one cloud per caller and state. Every other request has its own cloud.
#[tokio::test]
async fn every_request_gets_an_answer_of_the_golden_shape() {
    let mut wrong = Vec::new();
    let mut shared = HashMap::new();
    for file in files::with("request") {
        let caller = file.json["caller"].as_str().map(str::to_owned);
        let state = State::of(&file.name);
        if !file.writes_nothing() {
            let (fixture, variables) = state.start(caller.as_deref()).await;
            wrong.extend(difference(&file, &fixture, &variables).await);
            continue;
        }
        let key = (caller, state);
        if !shared.contains_key(&key) {
            let started = state.start(key.0.as_deref()).await;
            shared.insert(key.clone(), started);
        }
        let (fixture, variables) = &shared[&key];
        let before = fixture.cloud.rows_written().await;
        wrong.extend(difference(&file, fixture, variables).await);
        if fixture.cloud.rows_written().await != before {
            wrong.push(format!("{} writes and shares a cloud", file.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The difference between the answer and the golden file, if there is any.
async fn difference(file: &File, fixture: &Fixture, variables: &Variables) -> Option<String> {
    let (request, response) = (variables.replaced(&file.json["request"]), variables.replaced(&file.json["response"]));
    let (status, body) = ask(fixture, &request).await;
    let difference = if response["status"] != status {
        format!("status {status}: {body}")
    } else if let Some(text) = response.get("body").and_then(|shape| mismatch(shape, &body)) {
        text
    } else {
        format!("{:?} is not in snake_case", other_case(&body)?)
    };
    Some(format!("{}: {difference}", file.name))
}

async fn ask(fixture: &Fixture, request: &Value) -> (u16, Value) {
    let text = |member: &str| request[member].as_str().unwrap().to_owned();
    // The path has the service's prefix, as in the library's table of addresses.
    let path = format!("/{}{}", text("service"), text("path"));
    let query: Vec<(&str, &str)> = request["query"].as_array().map_or_else(Vec::new, |pairs| {
        pairs.iter().map(|pair| pair.as_str().unwrap().split_once('=').unwrap()).collect()
    });
    if text("service") == "stream" {
        return match open(fixture, &path, query[0].1).await {
            Ok(_) => (101, Value::Null),
            Err(Error::Http(response)) => (response.status().as_u16(), Value::Null),
            Err(error) => panic!("{error}"),
        };
    }
    let method = Method::from_bytes(text("method").as_bytes()).unwrap();
    let mut call = fixture.request(method, &path).query(&query);
    for (name, value) in request["headers"].as_object().into_iter().flatten() {
        call = call.header(name, value.as_str().unwrap());
    }
    if let Some(body) = request.get("body") {
        call = call.body(body.to_string());
    }
    let answer = answer(call.send().await.unwrap()).await;
    (answer.status, answer.body)
}

#[tokio::test]
async fn every_event_has_the_golden_shape() {
    for file in files::with("event") {
        let fixture = Fixture::start().await;
        let variables = prepared(&fixture, None).await;
        let device = fixture.cloud.device("DEV-A1").await;
        let generation = device.connect().await;
        let mut socket = open(&fixture, "/stream/stream", &variables.text("stream_key")).await.unwrap();
        match &*file.name {
            "stream/datapoint" => {
                fixture.command(&variables.text("access_token"), "DEV-A1", "intensity", json!(30)).await;
            }
            "stream/datapoint.reported" => device.report(&[("intensity", json!(30))]).await,
            "stream/datapointack" => device.ack(&variables.text("datapoint_id"), 200, 0).await,
            "stream/connectivity.online" => {
                device.connect().await;
            }
            "stream/connectivity.offline" => device.disconnect(generation).await,
            "stream/location" => {
                let location = json!({ "location": { "lat": "48.864716", "long": "2.349014" } });
                let path = format!("/apiv1/devices/{}/locations", variables.text("device_key"));
                fixture.post(&variables.text("access_token"), &path, location).await;
            }
            "stream/registration" => {
                let path = format!("/apiv1/devices/{}", variables.text("device_key"));
                let administrator = fixture.token(World::ADMIN).await;
                fixture.call(Method::DELETE, &path, Some(&administrator), None).await;
            }
            other => panic!("no trigger for the event {other}"),
        }
        let shape = variables.replaced(&file.json["event"]);
        let event = event(&mut socket).await;
        assert_eq!(mismatch(&shape, &event), None, "{}: {event}", file.name);
    }
}

#[tokio::test]
async fn every_golden_frame_is_accepted() {
    let names: Vec<String> = files::with("frame").into_iter().map(|file: File| file.name).collect();
    assert_eq!(names, ["stream/heartbeat", "stream/keep_alive"]);
    let fixture = Fixture::on(
        cloud::testing::TestCloud::start_with(|config| config.heartbeat = std::time::Duration::from_millis(20)).await,
    )
    .await;
    let variables = prepared(&fixture, None).await;
    let mut socket = open(&fixture, "/stream/stream", &variables.text("stream_key")).await.unwrap();
    for file in files::with("frame") {
        assert_eq!(frame(&mut socket).await, "1|Z");
        socket.send(Message::text(file.json["frame"].as_str().unwrap())).await.unwrap();
    }
    assert_eq!(frame(&mut socket).await, "1|Z");
}

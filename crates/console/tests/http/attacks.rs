//! Attackers with a bad cookie, another site's page or another CSP's identifiers, against every operation of
//! api/openapi.json. Hostile values are tested in hostile_input.rs.

use reqwest::Method;
use reqwest::header::COOKIE;
use serde_json::{Value, json};

use crate::authorisation::operations;
use crate::contract::Contract;
use crate::scene::{Call, Scene, answer};
use crate::world::*;

#[tokio::test]
async fn cookie_without_a_session_is_ignored() {
    let mut scene = Scene::set().await;
    let mut good = scene.world.signed_in(ADMIN).await;
    let mut ended = scene.world.signed_in(ADMIN).await;
    let ended_cookie = ended.cookie.clone().unwrap();
    ended.delete("/api/session").await;
    let nobody = scene.world.browser();
    for operation in operations() {
        scene.stay_signed_in(&mut good, ADMIN).await;
        let live = good.cookie.clone().unwrap();
        let call = scene.call(&mut good, &operation, ADMIN).await;
        let without = answer(call.request(&nobody)).await;
        let cookies = [
            ended_cookie.clone(),
            live[..live.len() - 1].to_owned(),
            format!("{live}0"),
            format!("{live}%00"),
            live.replace("sillage=", "__Host-sillage="),
            "sillage=".to_owned(),
            format!("sillage={}", "0".repeat(64)),
            format!("sillage={}", "a".repeat(4000)),
            "sillage=\"; DROP TABLE sessions; --\"".to_owned(),
        ];
        for cookie in cookies {
            let with = answer(call.request(&nobody).header(COOKIE, &cookie)).await;
            assert_eq!((with.status, with.code()), (without.status, without.code()), "{call:?} with {cookie}");
        }
    }
}

#[tokio::test]
async fn every_write_from_another_site_is_refused() {
    let mut scene = Scene::set().await;
    let mut browser = scene.world.signed_in(ADMIN).await;
    let own_port = format!("http://{}", scene.world.console.addr());
    let foreign = [
        ("origin", "https://evil.example".to_owned()),
        ("origin", "null".to_owned()),
        ("origin", format!("{own_port}0")),
        ("origin", own_port.replace("http:", "https:")),
        ("sec-fetch-site", "cross-site".to_owned()),
        ("sec-fetch-site", "same-site".to_owned()),
    ];
    for operation in operations() {
        if operation.method == Method::GET {
            continue;
        }
        let call = scene.call(&mut browser, &operation, ADMIN).await;
        let before = scene.state().await;
        for (name, value) in &foreign {
            let refused = answer(call.request(&browser).header(*name, value)).await;
            assert_eq!((refused.status, refused.code()), (403, "foreign_origin"), "{call:?} with {name}: {value}");
        }
        assert_eq!(scene.state().await, before, "{call:?}");
    }
    assert_eq!(browser.get("/api/jwt/ping").await.status, 200, "nobody was signed out");
}

#[tokio::test]
async fn another_site_cannot_read_responses() {
    let mut scene = Scene::set().await;
    let mut browser = scene.world.signed_in(ADMIN).await;
    for operation in operations() {
        if operation.method == Method::GET {
            let call = scene.call(&mut browser, &operation, ADMIN).await;
            let answer = answer(call.request(&browser).header("origin", "https://evil.example")).await;
            assert!(!answer.headers.contains_key("access-control-allow-origin"), "{call:?}");
        }
    }
}

#[tokio::test]
async fn records_of_another_csp_are_not_found_in_any_path() {
    let mut scene = Scene::set().await;
    let mut stranger = scene.world.signed_in(SOUTH_ADMIN).await;
    let sessions = stranger.get("/api/account/sessions").await.body;
    let session = sessions[0]["id"].as_str().unwrap().to_owned();
    for email in [NORTH_ADMIN, NORTH_TECH, NORTH_OBSERVER] {
        let mut browser = scene.world.signed_in(email).await;
        let own_session = browser.get("/api/account/sessions").await.body[0]["id"].as_str().unwrap().to_owned();
        let ours = [NORTH.to_owned(), scene.people[0].clone(), own_session];
        let theirs = [SOUTH.to_owned(), scene.people[1].clone(), session.clone()];
        for operation in operations() {
            let mut call = scene.call(&mut browser, &operation, email).await;
            let Some((ours, theirs)) = ours.iter().zip(&theirs).find(|(ours, _)| call.path.contains(*ours)) else {
                continue;
            };
            // Any dsn has a base device to look up, and an event stream ignores devices outside the scope of its reader.
            if ["get_base_device", "stream_events"].contains(&operation.id.as_str()) {
                continue;
            }
            call.path = call.path.replace(ours, theirs);
            let before = scene.state().await;
            let refused = answer(call.request(&browser)).await;
            assert!([403, 404].contains(&refused.status), "{call:?} by {email}: {}", refused.body);
            assert_eq!(scene.state().await, before, "{call:?} by {email}");
        }
    }
    assert_eq!(stranger.get("/api/jwt/ping").await.status, 200, "the session of the other CSP is still open");
}

#[tokio::test]
async fn no_request_body_moves_a_record_into_or_out_of_another_csp() {
    let (mut scene, contract) = (Scene::set().await, Contract::read());
    let mut browser = scene.world.signed_in(NORTH_ADMIN).await;
    let before = records_of_south(&mut scene).await;
    for operation in operations() {
        for (member, _) in contract.members(&operation) {
            let others = [("csp", "South".to_owned()), ("dsn", SOUTH.to_owned()), ("id", scene.people[1].clone())];
            let Some((_, other)) = others.into_iter().find(|(name, _)| *name == member) else { continue };
            let mut call = scene.call(&mut browser, &operation, NORTH_ADMIN).await;
            call.body[member] = json!(other);
            answer(call.request(&browser)).await;
            assert_eq!(records_of_south(&mut scene).await, before, "{call:?}");
        }
    }
}

/// The devices and the guest of South.
async fn records_of_south(scene: &mut Scene) -> Value {
    let person = scene.people[1].clone();
    json!([
        scene.witness.dsns("&csp=South").await,
        scene.witness.device(SOUTH).await,
        scene.witness.post(&format!("/api/users/{person}"), &Value::Null).await.body,
    ])
}

#[tokio::test]
async fn no_query_reveals_another_csp() {
    let (mut scene, contract) = (Scene::set().await, Contract::read());
    let secrets = [SOUTH.to_owned(), SOUTH_ADMIN.to_owned(), SOUTH_GUEST.to_owned(), scene.people[1].clone()];
    let mut stranger = scene.world.signed_in(SOUTH_ADMIN).await;
    // Leaves an entry in the audit that a query could reveal.
    stranger.put(&format!("/api/devices/dsns/{SOUTH}/settings"), &json!({ "fan": 5 })).await;
    for email in [NORTH_ADMIN, NORTH_OBSERVER, NORTH_TECH, NO_ROLE] {
        let mut browser = scene.world.signed_in(email).await;
        for operation in operations() {
            let call = scene.call(&mut browser, &operation, email).await;
            let call = Call { path: call.path.split('?').next().unwrap().to_owned(), ..call };
            for (parameter, _) in contract.query(&operation) {
                for wanted in secrets.iter().map(String::as_str).chain(["South", "*", "%", ""]) {
                    let mut answer = answer(call.request(&browser).query(&[(&parameter, wanted)])).await;
                    // A report repeats the filters of its request.
                    answer.body.as_object_mut().and_then(|body| body.remove("filters"));
                    // So does its entry in the audit.
                    for member in ["entries", "items"] {
                        let rows = answer.body.get_mut(member).and_then(Value::as_array_mut);
                        for row in rows.into_iter().flatten().filter(|row| row["operation"] == "report_audit") {
                            row["changes"] = Value::Null;
                        }
                    }
                    let text = answer.body.to_string();
                    for secret in &secrets {
                        assert!(!text.contains(secret.as_str()), "{email}: {call:?} with {parameter}={wanted}: {text}");
                    }
                }
            }
        }
    }
}

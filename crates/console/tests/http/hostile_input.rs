//! Hostile values in every text, query, path and body of every operation of api/openapi.json. Each is refused with a clear
//! error or stored and returned as plain text; none causes a server error or a page.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::authorisation::{Operation, operations};
use crate::browser::{Answer, Browser};
use crate::contract::Contract;
use crate::scene::{Call, Scene, answer};
use crate::world::*;

/// Markup, formulas, bidirectional overrides, fragments of SQL and of templates: valid texts that must not be interpreted.
/// None of them satisfies the password rules.
const HOSTILE: [&str; 5] = [
    "=1+1<script>alert(1)</script>",
    "@sum(1+1)\"><img src=x onerror=alert(1)>",
    "+cmd|' /c calc'!a0",
    "-2+3'; drop table sessions; --",
    "\u{202e}%s%n{{7*7}}${7*7}",
];

/// Texts that no field accepts. None of them satisfies the password rules, which allow any character.
fn refused_texts() -> [String; 3] {
    ["a\0b".to_owned(), "a\u{1b}[31m\r\nb".to_owned(), "x".repeat(1_000_000)]
}

/// Expects no server error, and no content that a browser renders as a page.
fn expect_clear(answer: &Answer, case: &str) {
    assert!(answer.status < 500, "{case}: {} {}", answer.status, answer.body);
    if let Some(kind) = answer.headers.get("content-type") {
        let kind = kind.to_str().unwrap();
        let clear = ["application/json", "application/problem+json", "text/event-stream"];
        assert!(clear.contains(&kind), "{case}: {kind}");
    }
    if answer.status >= 400 {
        assert!(!answer.code().is_empty(), "{case}: {}", answer.body);
    }
}

/// Whether a body of this shape omits every field of an existing record, so that nothing changes.
fn is_empty_change(operation: &Operation, shape: &Value) -> bool {
    operation.id.starts_with("update_") && shape.is_object()
}

/// The call with another value for one member (of the first element if the body is a list).
fn with(call: &Call, member: &str, value: Value) -> Call {
    let mut call = call.clone();
    match &mut call.body {
        Value::Array(elements) => elements[0][member] = value,
        body => body[member] = value,
    }
    call
}

#[tokio::test]
async fn hostile_texts_are_refused_or_returned_unchanged() {
    let (mut scene, contract) = (Scene::set().await, Contract::read());
    let mut browser = scene.world.signed_in(ADMIN).await;
    for operation in operations() {
        let mut good = scene.call(&mut browser, &operation, ADMIN).await;
        for (member, _) in contract.members(&operation).into_iter().filter(|(_, is_text)| *is_text) {
            for text in HOSTILE {
                let case = format!("{} {member}={text:?}", operation.id);
                let hostile = with(&good, &member, json!(text));
                let answer = scene.send(&mut browser, &operation, ADMIN, &hostile, &mut good).await;
                expect_clear(&answer, &case);
                if let Some(kept) = answer.body.get(&member).and_then(Value::as_str) {
                    assert!(kept == text || answer.status >= 400, "{case} became {kept:?}");
                }
            }
        }
    }
    scene.stay_signed_in(&mut browser, ADMIN).await;
    for operation in operations().iter().filter(|operation| operation.method == Method::GET) {
        let call = scene.call(&mut browser, operation, ADMIN).await;
        assert_eq!(answer(call.request(&browser)).await.status, 200, "{call:?} after all that was kept");
    }
}

#[tokio::test]
async fn control_characters_and_megabyte_texts_are_never_stored() {
    let (mut scene, contract) = (Scene::set().await, Contract::read());
    let mut browser = scene.world.signed_in(ADMIN).await;
    for operation in operations() {
        scene.stay_signed_in(&mut browser, ADMIN).await;
        let good = scene.call(&mut browser, &operation, ADMIN).await;
        let before = scene.state().await;
        let members = contract.members(&operation);
        // The password of the caller may be any text: a wrong one is audited as a failed change.
        let own_password = if operation.id == "create_account_token" { "password" } else { "current" };
        for (member, _) in members.iter().filter(|(name, is_text)| *is_text && name != own_password) {
            for text in refused_texts() {
                let case = format!("{} {member}={:.20?}", operation.id, text);
                let refused = answer(with(&good, member, json!(text)).request(&browser)).await;
                expect_clear(&refused, &case);
                assert!(refused.status >= 400, "{case}: {}", refused.status);
                let is_another = |field: &&str| *field != member && members.iter().any(|(other, _)| other == field);
                assert!(!refused.fields().iter().any(is_another), "{case}: {}", refused.body);
                assert!(refused.body.to_string().len() < 1000, "{case}: the text came back");
            }
        }
        // A refused sign-in is recorded in the audit, without what was typed.
        if operation.id != "create_session" {
            assert_eq!(scene.state().await, before, "{}", operation.id);
        }
    }
}

#[tokio::test]
async fn body_of_another_type_is_refused() {
    let (mut scene, contract) = (Scene::set().await, Contract::read());
    let mut browser = scene.world.signed_in(ADMIN).await;
    let shapes =
        [json!(null), json!(true), json!(-1), json!(1e300), json!("x"), json!([]), json!([[]]), json!({ "a": 1 })];
    let raw = ["", "{", "{]", "\u{feff}{}", "{\"a\":}", "nul", "\"\\ud800\""];
    let nested = "[".repeat(200_000);
    for operation in operations() {
        let members = contract.members(&operation);
        if members.is_empty() {
            continue;
        }
        scene.stay_signed_in(&mut browser, ADMIN).await;
        let good = scene.call(&mut browser, &operation, ADMIN).await;
        let before = scene.state().await;
        let json = |body: &str| bare(&browser, &good).header("content-type", "application/json").body(body.to_owned());
        for body in raw {
            let refused = answer(json(body)).await;
            assert_eq!((refused.status, refused.code()), (400, "malformed"), "{} {body}", operation.id);
        }
        let refused = answer(json(&nested)).await;
        assert!([400, 422].contains(&refused.status), "{} deeply nested: {}", operation.id, refused.status);
        let text = good.body.to_string();
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json"]
        {
            let refused = answer(bare(&browser, &good).header("content-type", kind).body(text.clone())).await;
            assert_eq!(refused.status, 415, "{} as {kind}", operation.id);
        }
        assert_eq!(answer(bare(&browser, &good).body(text)).await.status, 415, "{} as nothing", operation.id);
        for shape in &shapes {
            let case = format!("{} {shape}", operation.id);
            let call = Call { body: shape.clone(), ..good.clone() };
            let refused = answer(bare(&browser, &good).json(&call.body)).await;
            expect_clear(&refused, &case);
            assert!(refused.status >= 400 || is_empty_change(&operation, shape), "{case}: {}", refused.status);
        }
        assert_eq!(scene.state().await, before, "{}", operation.id);
        let mut good = good;
        for (member, _) in &members {
            for shape in &shapes {
                let call = with(&good, member, shape.clone());
                let answer = scene.send(&mut browser, &operation, ADMIN, &call, &mut good).await;
                expect_clear(&answer, &format!("{} {member}={shape}", operation.id));
            }
        }
    }
}

#[tokio::test]
async fn unknown_members_grant_nothing() {
    let (mut scene, contract) = (Scene::set().await, Contract::read());
    let mut browser = scene.world.signed_in(NORTH_TECH).await;
    let session = browser.get("/api/session").await.body;
    for operation in operations() {
        let members = contract.members(&operation);
        if members.is_empty() {
            continue;
        }
        let mut good = scene.call(&mut browser, &operation, NORTH_TECH).await;
        for (name, value) in [
            ("role", json!("OEM::Admin")),
            ("can", json!(["csps.edit"])),
            ("canEdit", json!(true)),
            ("isAdmin", json!(true)),
            ("__proto__", json!({ "role": "OEM::Admin" })),
        ] {
            if members.iter().any(|(member, _)| member == name) {
                continue;
            }
            let call = with(&good, name, value);
            let answer = scene.send(&mut browser, &operation, NORTH_TECH, &call, &mut good).await;
            expect_clear(&answer, &format!("{} {name}", operation.id));
        }
    }
    scene.stay_signed_in(&mut browser, NORTH_TECH).await;
    let after = browser.get("/api/session").await.body;
    for member in ["role", "csp", "can", "roleChoices"] {
        assert_eq!(after[member], session[member]);
    }
}

#[tokio::test]
async fn hostile_queries_are_refused_or_find_nothing() {
    let (mut scene, contract) = (Scene::set().await, Contract::read());
    let mut browser = scene.world.signed_in(ADMIN).await;
    let long = "x".repeat(20_000);
    let values = ["%00", "%ff%fe", "%zz", "%", "%27%3B--", "-1", "99999999999999999999", "%E2%80%AE", long.as_str()];
    for operation in operations() {
        scene.stay_signed_in(&mut browser, ADMIN).await;
        let mut call = scene.call(&mut browser, &operation, ADMIN).await;
        let path = call.path.split('?').next().unwrap().to_owned();
        for (parameter, is_list) in contract.query(&operation) {
            for value in values {
                call.path = format!("{path}?{parameter}={value}");
                expect_clear(&answer(call.request(&browser)).await, &format!("{path}?{parameter}={value:.20}"));
            }
            call.path = format!("{path}?{parameter}=1&{parameter}=2");
            let twice = answer(call.request(&browser)).await;
            if !is_list {
                assert_eq!(twice.status, 422, "{}", call.path);
                assert!(twice.fields().contains(&parameter.as_str()), "{}: {:?}", call.path, twice.fields());
            }
            let many: Vec<String> = (0..2000).map(|number| format!("{parameter}=d{number}")).collect();
            call.path = format!("{path}?{}", many.join("&"));
            let too_many = answer(call.request(&browser)).await;
            assert!((400..500).contains(&too_many.status), "2000 times {parameter}: {}", too_many.status);
        }
        let unknown: Vec<String> = (0..2000).map(|number| format!("f{number}=1")).collect();
        call.path = format!("{path}?{}", unknown.join("&"));
        expect_clear(&answer(call.request(&browser)).await, &format!("{path} with 2000 unknown parameters"));
    }
}

#[tokio::test]
async fn hostile_paths_are_refused() {
    let mut scene = Scene::set().await;
    let mut browser = scene.world.signed_in(ADMIN).await;
    let long = "x".repeat(4000);
    let segments =
        ["%00", "%ff", "..%2f..%2fsession", "%2e%2e", "%3Cscript%3E", "'%20or%201=1", "%E2%80%AE", long.as_str()];
    for operation in operations() {
        let call = scene.call(&mut browser, &operation, ADMIN).await;
        let ours = [NORTH.to_owned(), scene.people[0].clone()];
        let Some(own) = ours.iter().find(|own| call.path.contains(*own)) else { continue };
        let before = scene.state().await;
        for segment in segments {
            let call = Call { path: call.path.split('?').next().unwrap().replace(own, segment), ..call.clone() };
            let refused = answer(call.request(&browser)).await;
            expect_clear(&refused, &format!("{call:.200?}"));
            assert!((400..500).contains(&refused.status) || operation.id == "stream_events", "{call:.200?}");
        }
        assert_eq!(scene.state().await, before, "{}", operation.id);
    }
}

/// The request of a call without its body.
fn bare(browser: &Browser, call: &Call) -> RequestBuilder {
    browser.request(call.method.clone(), &call.path)
}

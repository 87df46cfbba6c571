//! Hostile values in every text, query, path and body of every operation of api/openapi.json. Each is refused with a clear
//! error or stored and returned as plain text; none causes a server error or a page. Texts go to both databases.

use platform::testing::TestDb;
use platform::testing::hostile::{long_number, refused_texts};
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

/// The call with another value at a JSON pointer into its body.
fn with(call: &Call, pointer: &str, value: Value) -> Call {
    let mut call = call.clone();
    let mut at = &mut call.body;
    for member in pointer[1..].split('/') {
        at = match member {
            "0" => {
                if !at.is_array() {
                    *at = json!([null]);
                }
                &mut at[0]
            }
            member => &mut at[member],
        };
    }
    *at = value;
    call
}

/// The JSON pointer to a member of the body, or of its first element.
fn pointer_to(member: &str, call: &Call) -> String {
    if call.body.is_array() { format!("/0/{member}") } else { format!("/{member}") }
}

/// One world for all of it, because nearly every call has to be refused and changes nothing.
async fn hostile_texts_are_refused_or_returned_unchanged(database: TestDb) {
    let (mut scene, contract) = (Scene::set_on(&database).await, Contract::read());
    let mut browser = scene.world.signed_in(ADMIN).await;
    for operation in operations() {
        scene.stay_signed_in(&mut browser, ADMIN).await;
        let good = scene.call(&mut browser, &operation, ADMIN).await;
        let before = scene.state().await;
        refuses_texts_of_the_body(&browser, &contract, &operation, &good).await;
        refuses_texts_of_the_path(&browser, &operation, &good).await;
        // An import is carried out with any name of its file, and only its query has the name.
        let is_import = operation.id == "update_fragrances";
        if !is_import {
            refuses_texts_of_the_query(&browser, &contract, &operation, &good).await;
        }
        // A refused sign-in is recorded in the audit, without what was typed, and so is a report.
        if operation.id != "create_session" && !operation.id.starts_with("report_") {
            assert_eq!(scene.state().await, before, "{}", operation.id);
        }
        if is_import {
            refuses_texts_of_the_query(&browser, &contract, &operation, &good).await;
        }
    }
    for operation in operations() {
        let mut good = scene.call(&mut browser, &operation, ADMIN).await;
        for pointer in contract.texts(&operation) {
            for text in HOSTILE {
                let case = format!("{} {pointer}={text:?}", operation.id);
                let hostile = with(&good, &pointer, json!(text));
                let answer = scene.send(&mut browser, &operation, ADMIN, &hostile, &mut good).await;
                expect_clear(&answer, &case);
                if let Some(kept) = answer.body.pointer(&pointer).and_then(Value::as_str) {
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

/// Control characters and texts of a megabyte are never stored.
async fn refuses_texts_of_the_body(browser: &Browser, contract: &Contract, operation: &Operation, good: &Call) {
    let members = contract.members(operation);
    // The password of the caller may be any text: a wrong one is audited as a failed change.
    let own_password = if operation.id == "create_account_token" { "/password" } else { "/current" };
    let pointers: Vec<String> = contract.texts(operation).into_iter().filter(|at| at != own_password).collect();
    for (number, pointer) in pointers.into_iter().enumerate() {
        let member = pointer[1..].trim_start_matches("0/").split('/').next().unwrap();
        let is_seen = member == "seen";
        let nothing = Call { body: json!({}), ..good.clone() };
        // One for each operation, because a megabyte takes its time.
        let longest = (number == 0).then(|| "x".repeat(1_000_000));
        for text in refused_texts().into_iter().chain(longest) {
            let case = format!("{} {pointer}={text:.20?}", operation.id);
            let refused =
                answer(with(if is_seen { &nothing } else { good }, &pointer, json!(text)).request(browser)).await;
            expect_clear(&refused, &case);
            // Another application may have stored what a person saw, so it is only compared.
            if is_seen {
                continue;
            }
            assert!(refused.status >= 400, "{case}: {}", refused.status);
            assert!(refused.body.to_string().len() < 1000, "{case}: the text came back");
            let is_another = |field: &&str| *field != member && members.iter().any(|(other, _)| other == field);
            assert!(!refused.fields().iter().any(is_another), "{case}: {}", refused.body);
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
                let call = with(&good, &pointer_to(member, &good), shape.clone());
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
            let call = with(&good, &pointer_to(name, &good), value);
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

async fn refuses_texts_of_the_query(browser: &Browser, contract: &Contract, operation: &Operation, good: &Call) {
    let (number, long) = (long_number(), "x".repeat(20_000));
    let refused = ["%00", "a%00b", number.as_str(), long.as_str()];
    let unclear = ["%ff%fe", "%zz", "%", "%27%3B--", "-1", "99999999999999999999", "%E2%80%AE"];
    let path = good.path.split('?').next().unwrap();
    let ask = |query: String| {
        let call = Call { path: format!("{path}?{query}"), ..good.clone() };
        answer(call.request(browser))
    };
    for (parameter, is_list) in contract.query(operation) {
        for value in refused {
            let (answer, case) = (ask(format!("{parameter}={value}")).await, format!("{path}?{parameter}={value:.20}"));
            expect_clear(&answer, &case);
            // A stream ignores devices that its reader cannot see.
            assert!(answer.status >= 400 || operation.id == "stream_events", "{case}: {}", answer.status);
        }
        for value in unclear {
            expect_clear(&ask(format!("{parameter}={value}")).await, &format!("{path}?{parameter}={value}"));
        }
        let twice = ask(format!("{parameter}=1&{parameter}=2")).await;
        if !is_list {
            assert_eq!(twice.status, 422, "{path} {parameter}");
            assert!(twice.fields().contains(&parameter.as_str()), "{path} {parameter}: {:?}", twice.fields());
        }
        let many: Vec<String> = (0..2000).map(|number| format!("{parameter}=d{number}")).collect();
        let too_many = ask(many.join("&")).await;
        assert!((400..500).contains(&too_many.status), "2000 times {parameter}: {}", too_many.status);
    }
    if operation.method == Method::GET {
        let unknown: Vec<String> = (0..2000).map(|number| format!("f{number}=1")).collect();
        expect_clear(&ask(unknown.join("&")).await, &format!("{path} with 2000 unknown parameters"));
    }
}

/// Replaces each segment of the path that names a record.
async fn refuses_texts_of_the_path(browser: &Browser, operation: &Operation, good: &Call) {
    let (number, long) = (long_number(), "x".repeat(4000));
    let hostile = [
        "%00",
        "a%00b",
        "%ff",
        "..%2f..%2fsession",
        "%2e%2e",
        "%3Cscript%3E",
        "'%20or%201=1",
        "%E2%80%AE",
        number.as_str(),
        long.as_str(),
    ];
    let path: Vec<&str> = good.path.split('?').next().unwrap().split('/').collect();
    for (at, _) in operation.path.split('/').enumerate().filter(|(_, segment)| segment.starts_with('{')) {
        for text in hostile {
            let mut path = path.clone();
            path[at] = text;
            let call = Call { path: path.join("/"), ..good.clone() };
            let refused = answer(call.request(browser)).await;
            expect_clear(&refused, &format!("{call:.200?}"));
            assert!((400..500).contains(&refused.status), "{call:.200?}: {}", refused.status);
        }
    }
}

on_both_databases!(hostile_texts_are_refused_or_returned_unchanged);

/// The request of a call without its body.
fn bare(browser: &Browser, call: &Call) -> RequestBuilder {
    browser.request(call.method.clone(), &call.path)
}

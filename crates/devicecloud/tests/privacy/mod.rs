//! Neither logs nor `Debug` output contain secrets or data of people, for every call.

mod builders;
mod files;
mod log;
#[cfg(feature = "managers")]
mod managers;
#[cfg(feature = "stream")]
mod stream;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use devicecloud::{Error, RetryPolicy};
use futures::FutureExt;
use log::Log;

use super::*;

/// Occurs in every sensitive member of a response.
const MARK: &str = "5ec2e7";

/// Members with secrets, and with data of people or of their homes.
const SENSITIVE: [&str; 33] = [
    "access_token",
    "refresh_token",
    "stream_key",
    "file",
    "password",
    "username",
    "email",
    "firstname",
    "lastname",
    "company",
    "phone",
    "phone_number",
    "phone_country_code",
    "street",
    "street_address",
    "city",
    "zip",
    "zip_code",
    "lat",
    "lng",
    "long",
    "ssid",
    "ip",
    "lan_ip",
    "mac",
    "notes",
    "message",
    "email_subject",
    "email_body_html",
    "nickname",
    "display_name",
    "email_to",
    "value",
];

/// What the calls send: secrets and data of people.
const SENT: [&str; 13] = [
    "@example.com",
    "correct horse",
    "app secret",
    "Battery-Staple-2",
    "a0000000000000",
    "b0000000000000",
    "c0000000000000",
    "d1000000000000",
    "e1000000000000",
    "f1000000000000",
    "Main Street",
    "75001",
    "48.85",
];

/// The body of a golden response, with the mark in each sensitive member that the file does not fix.
fn marked(pattern: &Value) -> Value {
    match pattern {
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| match member.as_str() {
                Some("<text>" | "<text?>" | "<any>" | "<any?>") if SENSITIVE.contains(&&**name) => {
                    (name.clone(), MARK.into())
                }
                _ => (name.clone(), marked(member)),
            })
            .chain([("surplus".to_owned(), MARK.into())])
            .collect(),
        Value::Array(items) => items.iter().map(marked).collect(),
        other => golden::samples(other)[0].clone(),
    }
}

fn assert_private(text: &str, name: &str) {
    let found: Vec<_> = SENT.iter().chain([&MARK]).filter(|secret| text.contains(**secret)).collect();
    assert!(found.is_empty(), "{name}: {found:?} in {text}");
}

/// Everything that is logged while the call runs, and its error. The case's own assertions do not count, because they
/// expect responses without the mark.
async fn run_logged(client: Client, run: cases::Run) -> (String, Option<Error>) {
    let log = Log::start();
    let result = AssertUnwindSafe(run(client)).catch_unwind().await;
    (log.text(), result.ok().and_then(Result::err))
}

#[tokio::test]
async fn no_call_logs_its_arguments_or_its_response() {
    for (name, run) in cases::all() {
        let file = golden::load(name);
        let status = u16::try_from(file["response"]["status"].as_u64().unwrap()).unwrap();
        let server = Server::answering(status, marked(&file["response"]["body"]).to_string()).await;
        let (log, error) = run_logged(client(&server, &file["request"]), run).await;
        assert!(log.contains("devicecloud.request") && log.contains(&format!("status={status}")), "{name}: {log}");
        assert_private(&format!("{log} {error:?}"), name);
    }
}

/// Retries once, without a delay.
fn impatient(server: &Server, request: &Value) -> Client {
    let retry = RetryPolicy::attempts(2).delays(Duration::ZERO, Duration::ZERO);
    builder(server, request).retry_policy(retry).build().unwrap()
}

#[tokio::test]
async fn no_failed_call_logs_the_response_or_shows_it_in_debug_output() {
    let page = format!("<html>{MARK}");
    let text = json!({"error": MARK}).to_string();
    let fields = json!({"errors": {"email": [format!("{MARK} is taken")], "base": [MARK]}}).to_string();
    let table = [(422, &fields), (401, &text), (503, &page), (200, &page)];
    for (status, body) in table {
        for (name, run) in cases::all() {
            let server = Server::answering(status, body.clone()).await;
            let (log, error) = run_logged(impatient(&server, &golden::load(name)["request"]), run).await;
            let error = error.expect("the call fails");
            assert!(log.contains(&format!("status={status}")), "{name}: {log}");
            assert_private(&format!("{log} {error:?}"), name);
        }
    }
}

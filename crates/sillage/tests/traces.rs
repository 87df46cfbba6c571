//! Traces of console and cloud as a collector receives them. Only with the feature `otel`.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[expect(dead_code, reason = "shared with other tests")]
mod support;

use std::collections::HashMap;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use support::{Demo, Person};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How long spans may take from their end to the collector.
const SENT: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn trace_of_a_request_continues_at_the_cloud_and_holds_no_secret() {
    let (sender, mut received) = mpsc::unbounded_channel();
    let collector = Router::new().route("/v1/traces", post(async move |body: Bytes| sender.send(body).unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, collector).await.unwrap() });

    let folder = tempfile::tempdir().unwrap();
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", address.as_str()), ("OTEL_BSP_SCHEDULE_DELAY", "100")];
    let demo = Demo::start_with(folder.path(), &[], &environment);
    let account = &demo.ready()["accounts"][0];
    Person::sign_in(&demo, account).await;

    let (mut traces, mut everything) = (HashMap::new(), Vec::new());
    let whole = async {
        loop {
            let body = received.recv().await.unwrap();
            for span in fields(&body, 1).flat_map(|it| fields(it, 2)).flat_map(|it| fields(it, 2)) {
                let [trace, name] = [1, 5].map(|number| fields(span, number).next().unwrap());
                let names: &mut Vec<String> = traces.entry(trace.to_vec()).or_default();
                names.push(String::from_utf8(name.to_vec()).unwrap());
            }
            everything.extend(body);
            let has = |names: &[String], name: &str| names.iter().any(|it| it == name);
            if traces.values().any(|it| has(it, "POST /api/session") && has(it, "POST /users/sign_in")) {
                return;
            }
        }
    };
    timeout(SENT, whole).await.expect("the sign-in at the cloud belongs to the trace of the sign-in at the console");
    for secret in ["email", "password"].map(|name| account[name].as_str().unwrap()) {
        assert!(!everything.windows(secret.len()).any(|part| part == secret.as_bytes()));
    }
    assert!(demo.stop().success());
}

/// The values of the fields with this number, of a message in the encoding of Protocol Buffers.
fn fields(mut message: &[u8], number: u64) -> impl Iterator<Item = &[u8]> {
    let mut values = Vec::new();
    while !message.is_empty() {
        let tag = varint(&mut message);
        let length = match tag & 7 {
            0 => {
                varint(&mut message);
                0
            }
            1 => 8,
            2 => usize::try_from(varint(&mut message)).unwrap(),
            _ => 4,
        };
        let (value, rest) = message.split_at(length);
        if tag >> 3 == number {
            values.push(value);
        }
        message = rest;
    }
    values.into_iter()
}

fn varint(message: &mut &[u8]) -> u64 {
    let length = 1 + message.iter().position(|byte| byte & 0x80 == 0).unwrap();
    let (bytes, rest) = message.split_at(length);
    *message = rest;
    bytes.iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f))
}

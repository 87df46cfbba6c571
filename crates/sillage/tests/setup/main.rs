//! Invalid settings: the binary names the option at its start or in its log, and users get 503, never an error about their
//! password (B-10).

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod alarms;
mod cloud_node;
mod configuration;
#[path = "../support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console;
mod console_node;
mod databases;
mod gate;
mod log_causes;
mod logging;
mod metrics;
mod mistakes;
mod process;
mod readiness;
mod simulate;
mod stopping;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod support;
mod token_key;
mod wrong_settings;

use std::fs::OpenOptions;
use std::path::Path;

use reqwest::header::ORIGIN;
use serde_json::{Value, json};

const ANY: &str = "127.0.0.1:0";
/// The text that users get while the service is not available.
const SERVICE_TEXT: &str = "The service is not available at the moment. Please try again later.";

/// The database in this file, which is empty if it is new.
fn sqlite(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    OpenOptions::new().create(true).append(true).open(&path).unwrap();
    format!("sqlite:{}", path.display())
}

fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}

/// Signs in at a console and returns the status and the problem.
async fn sign_in(console: &str, email: &str, password: &str) -> (u16, Value) {
    let call = client().post(format!("{console}/api/session")).header(ORIGIN, console);
    let answer = call.json(&json!({"email": email, "password": password})).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// Asserts a 503 that does not blame the password.
fn assert_unavailable(code: &str, answer: (u16, Value)) {
    let (status, problem) = answer;
    assert_eq!((status, &problem["code"], &problem["detail"]), (503, &json!(code), &json!(SERVICE_TEXT)));
}

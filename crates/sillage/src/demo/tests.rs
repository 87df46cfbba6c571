//! A demo in this process, on a clock that the test moves.

use std::collections::BTreeSet;

use clap::Parser;
use jiff::SignedDuration;
use platform::testing::TestMailServer;
use reqwest::header::{COOKIE, ORIGIN, SET_COOKIE};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::*;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

/// Starts a demo with these options, and makes its console send the first administrator a digest. Returns the demo, the
/// administrator and the address of the console.
async fn demo_with_digest(folder: &Path, options: &[&str]) -> (Running, Account, String) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let any = "127.0.0.1:0";
    let words = ["demo", "--devices", "8", "--listen", any, "--cloud-listen", any, "--mqtt-listen", any];
    let words = words.iter().chain(options).map(|word| (*word).into());
    let words = words.chain(["--data".into(), folder.as_os_str().to_owned()]);
    let args = Cli::try_parse_from(words).map(|cli| cli.args).ok().unwrap();
    let (clock, random) = (Clock::mock("2026-11-20T12:00:00Z".parse().unwrap()), Random::system());
    let data = DataFolder::lock(folder).unwrap();
    let saved = data.load_or_create(args.fleet.plan(clock.now()), &random).unwrap();
    let demo = start(&args, &saved, &clock, &random).await.unwrap();

    let (url, admin, browser) = (http_url(demo.console.addr()), saved.accounts[0].clone(), reqwest::Client::new());
    let login = json!({"email": admin.email, "password": admin.password});
    let answer = browser.post(format!("{url}/api/session")).header(ORIGIN, &url).json(&login).send().await.unwrap();
    let cookie = answer.headers()[SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
    let request = browser.put(format!("{url}/api/account/digest")).header(ORIGIN, &url).header(COOKIE, &cookie);
    let digest = request.json(&json!({"hour": 8, "timeZone": "UTC"})).send().await.unwrap();
    let digest: Value = digest.json().await.unwrap();
    assert_eq!(digest["available"], true, "{digest}");
    // Partners without a technician.
    loop {
        let request = browser.get(format!("{url}/api/attention/count")).header(COOKIE, &cookie);
        if request.send().await.unwrap().json::<Value>().await.unwrap()["new"].as_u64() > Some(0) {
            break;
        }
    }

    clock.advance(SignedDuration::from_hours(24));
    demo.console.resync().await;
    // Unless the console has done so already.
    demo.console.send_digests().await;
    (demo, admin, url)
}

#[tokio::test]
async fn daily_digest_arrives_in_the_mailbox() {
    let folder = tempfile::tempdir().unwrap();
    let (demo, admin, url) = demo_with_digest(folder.path(), &[]).await;
    let operator = demo.cloud.operator();
    let mail = loop {
        if let Some(mail) = operator.messages(None, 10).await.unwrap().pop() {
            break mail;
        }
    };
    assert_eq!((&mail.recipient, mail.state.as_str()), (&admin.email, "kept"));
    assert!(mail.body.contains(&format!("{url}/attention?")), "{}", mail.body);
    demo.stop().await;
}

#[tokio::test]
async fn cloud_and_console_send_through_the_mail_server_of_the_options() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestMailServer::start(&[]);
    let port = server.port.to_string();
    let options = ["--smtp-host", "127.0.0.1", "--smtp-port", &port, "--smtp-security", "none"];
    let options = [&options[..], &["--smtp-from", "Sillage <no-reply@example.com>"]].concat();
    let (demo, admin, _) = demo_with_digest(folder.path(), &options).await;
    let operator = demo.cloud.operator();
    let oem = operator.ensure_oem(load::OEM).await.unwrap();
    operator.write_test_message(&oem, "ada@example.com").await.unwrap();
    let mut missing = BTreeSet::from([admin.email, "ada@example.com".to_owned()]);
    // The demo runs on this thread, and sends messages about its devices, too.
    let received = spawn_blocking(move || {
        while !missing.is_empty() {
            missing.remove(&server.next_recipient());
        }
    });
    received.await.unwrap();
    demo.stop().await;
}

//! `sillage demo` as a person or a script meets it: the real binary, its files, its signals.

#![expect(clippy::unwrap_used, reason = "what is missing here fails the run")]

mod support;

use serde_json::{Value, json};
use support::{Demo, Person};

const UNPLUGGED: &str = "AC000W000100000";

#[tokio::test]
async fn the_ready_file_names_addresses_and_an_account_for_every_role() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let ready = demo.ready();
    for address in ["console", "cloud", "mqtt"] {
        assert!(ready[address].as_str().unwrap().contains("://127.0.0.1:"), "{address}: {}", ready[address]);
    }
    let roles: Vec<Option<&str>> =
        ready["accounts"].as_array().unwrap().iter().map(|account| account["role"].as_str()).collect();
    assert_eq!(
        roles,
        [
            Some("OEM::Admin"),
            Some("OEM::Observer"),
            Some("OEM::ProlitecCommercial::CspAdmin"),
            Some("OEM::ProlitecCommercial::CspObserver"),
            Some("OEM::ProlitecCommercial::CspTech"),
            Some("OEM::ProlitecCommercial::CspAdmin"),
            None,
            Some("EndUser"),
        ]
    );
    for account in ready["accounts"].as_array().unwrap() {
        Person::sign_in(&demo, account).await;
    }
}

#[tokio::test]
async fn a_second_start_finds_the_same_accounts_devices_and_state() {
    let folder = tempfile::tempdir().unwrap();
    let first = Demo::start(folder.path(), &[]);
    let accounts = first.ready()["accounts"].clone();
    let admin = Person::sign_in(&first, &accounts[0]).await;
    let mut events = admin.events("AC000W000100001").await;
    admin.set("AC000W000100001", json!({"mode": 3, "intensity": 7})).await;
    events.acknowledged(2).await;
    let devices = admin.get("/api/devices?pageSize=50&orderBy=dsn&order=asc").await;
    assert!(first.stop().success());

    let second = Demo::start(folder.path(), &["--devices", "30"]);
    assert_eq!(second.ready()["accounts"], accounts);
    let admin = Person::sign_in(&second, &accounts[0]).await;
    let again = admin.get("/api/devices?pageSize=50&orderBy=dsn&order=asc").await;
    let dsns = |list: &Value| -> Vec<Value> {
        list["devices"].as_array().unwrap().iter().map(|device| device["dsn"].clone()).collect()
    };
    assert_eq!(dsns(&again), dsns(&devices));
    let device = admin.get("/api/devices/dsns/AC000W000100001").await;
    assert_eq!((&device["mode"], &device["intensity"]), (&json!(3), &json!(7)));
}

#[tokio::test]
async fn a_write_survives_kill_9_and_reaches_the_diffuser_when_it_is_plugged_in() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &["--unplugged", UNPLUGGED]);
    let admin = Person::sign_in(&demo, &demo.ready()["accounts"][0]).await;
    let answer = admin.set(UNPLUGGED, json!({"mode": 3, "intensity": 9})).await;
    assert_eq!(answer["commands"]["intensity"]["state"], "pending");
    demo.kill();

    let demo = Demo::start(folder.path(), &["--unplugged", UNPLUGGED]);
    let admin = Person::sign_in(&demo, &demo.ready()["accounts"][0]).await;
    let device = admin.get(&format!("/api/devices/dsns/{UNPLUGGED}")).await;
    assert_eq!((&device["intensity"], &device["commands"]["intensity"]["state"]), (&json!(9), &json!("pending")));
    assert_eq!(device["commands"]["intensity"]["acknowledgedAt"], Value::Null);

    let mut events = admin.events(UNPLUGGED).await;
    let diffuser = demo.simulate(folder.path(), UNPLUGGED);
    events.acknowledged(2).await;
    let device = admin.get(&format!("/api/devices/dsns/{UNPLUGGED}")).await;
    assert_eq!(device["commands"]["intensity"]["state"], "acknowledged");
    assert_eq!(device["commands"]["intensity"]["reported"], 9);
    assert!(diffuser.stop().success());
}

#[tokio::test]
async fn a_clean_stop_takes_the_ready_file_away() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let ready = demo.ready_file();
    assert!(ready.exists());
    assert!(demo.stop().success());
    assert!(!ready.exists());
}

#[tokio::test]
async fn what_cannot_start_says_why_and_what_to_change() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let data = folder.path().to_str().unwrap();
    for flag in ["--listen", "--cloud-listen", "--mqtt-listen"] {
        let told = support::refused(data, &[flag, &address]);
        assert!(told.contains(flag) && told.contains(&address) && told.contains("in use"), "{flag}: {told}");
    }
    for (arguments, words) in [
        (["--devices", "0"], "--devices"),
        (["--devices", "many"], "--devices"),
        (["--seed", "many"], "--seed"),
        (["--listen", "nowhere"], "--listen"),
        (["--cloud-url", "not a url"], "--cloud-url"),
    ] {
        let told = support::refused(data, &arguments);
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
}

#[tokio::test]
async fn a_diffuser_that_the_demo_does_not_know_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let told = support::fail(&["simulate", "--data", data, "--dsn", "X"]);
    assert!(told.contains("start `sillage demo` on this folder first"), "{told}");
    assert!(Demo::start(folder.path(), &[]).stop().success());
    let told = support::fail(&["simulate", "--data", data, "--dsn", "X"]);
    assert!(told.contains("X is no diffuser of this demo"), "{told}");
}

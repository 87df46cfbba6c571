//! `sillage demo`: the real binary, its files and its signals.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[expect(dead_code, reason = "shared with other tests")]
mod support;

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use platform::db::{Db, params};
use serde_json::{Value, json};
use support::{CloudUser, Demo, Person};

const UNPLUGGED: &str = "AC000W000100000";

#[tokio::test]
async fn ready_file_lists_addresses_and_an_account_for_every_role() {
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
async fn second_start_keeps_accounts_devices_and_settings() {
    let folder = tempfile::tempdir().unwrap();
    let first = Demo::start(folder.path(), &[]);
    let accounts = first.ready()["accounts"].clone();
    let admin = Person::sign_in(&first, &accounts[0]).await;
    let mut events = admin.events("AC000W000100001").await;
    admin.set("AC000W000100001", json!({"mode": 3, "intensity": 7})).await;
    events.acknowledged(&admin, "AC000W000100001", &["mode", "intensity"]).await;
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
async fn loaded_databases_are_those_of_a_demo() {
    let folder = tempfile::tempdir().unwrap();
    let database = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let (cloud, console) = (database("cloud.db"), database("console.db"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_sillage"));
    // The number of devices that `make demo` has: smaller fleets do not have every fault.
    command.args(["demo", "load", "--data"]).arg(folder.path());
    command.args(["--cloud-database", &cloud, "--console-database", &console]);
    let [first, second] = [command.output().unwrap(), command.output().unwrap()];
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert_eq!(first, second, "a second run only adds what is missing");
    let count = async |database: &str, rows: &'static str| {
        let db = Db::connect(database).await.unwrap();
        db.fetch_one::<(i64,)>(rows, params![]).await.unwrap().0
    };
    assert_eq!(count(&cloud, "select count(*) from device where registered").await, 200);
    assert!(count(&cloud, "select count(*) from datapoint").await > 1000, "the fleet has a history");
    assert_eq!(count(&console, "select count(*) from fragrances").await, 24);

    let demo = Demo::start(folder.path(), &[]);
    let printed = String::from_utf8(first.stdout).unwrap();
    for account in demo.ready()["accounts"].as_array().unwrap() {
        let line = printed.lines().find(|line| line.contains(account["email"].as_str().unwrap())).unwrap();
        assert!(line.ends_with(account["password"].as_str().unwrap()));
    }
    Person::sign_in(&demo, &demo.ready()["accounts"][0]).await;
    assert!(demo.stop().success());
}

#[tokio::test]
async fn command_survives_kill_9_and_reaches_the_diffuser_when_it_connects() {
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
    assert_eq!(device["commands"]["intensity"]["answeredAt"], Value::Null);

    let mut events = admin.events(UNPLUGGED).await;
    let diffuser = demo.simulate(folder.path(), UNPLUGGED);
    let device = events.acknowledged(&admin, UNPLUGGED, &["mode", "intensity"]).await;
    assert_eq!(device["commands"]["intensity"]["reported"], 9);
    assert!(diffuser.stop().success());
}

#[tokio::test]
async fn mailbox_is_served_only_on_loopback() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let (cloud, mailbox) = (demo.ready()["cloud"].as_str().unwrap(), demo.ready()["mailbox"].as_str().unwrap());
    let key = mailbox.strip_prefix(&format!("{cloud}/demo/outbox/")).unwrap();
    assert!(key.len() >= 32, "{key}");
    assert_eq!(support::page(mailbox).await.0, 200);
    assert_eq!(support::page(&mailbox.replace(key, &"0".repeat(key.len()))).await.0, 404);
    assert!(demo.stop().success());

    let open = Demo::start(folder.path(), &["--cloud-listen", "0.0.0.0:0"]);
    assert!(open.ready()["mailbox"].is_null());
}

#[tokio::test]
async fn clean_stop_removes_the_ready_file() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let ready = demo.ready_file();
    assert!(ready.exists());
    assert!(demo.stop().success());
    assert!(!ready.exists());
}

#[tokio::test]
async fn data_files_are_private_with_any_umask() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let mut seen = Vec::new();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        let (name, metadata) = (entry.file_name().into_string().unwrap(), entry.metadata().unwrap());
        if metadata.is_file() {
            assert_eq!(metadata.mode() & 0o777, 0o600, "{name}");
            seen.push(name);
        }
    }
    for name in ["cloud.db", "cloud.db-wal", "console.db", "console.db-shm", "demo.json", "ready.json"] {
        assert!(seen.iter().any(|one| one == name), "{name} is not among {seen:?}");
    }
    assert!(demo.stop().success());
}

#[tokio::test]
async fn start_failure_names_the_cause_and_the_option() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere.pem");
    let nowhere = nowhere.to_str().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let data = folder.path().to_str().unwrap();
    for flag in ["--listen", "--cloud-listen", "--mqtt-listen"] {
        let stderr = support::refused(data, &[flag, &address]);
        assert!(stderr.contains(flag) && stderr.contains(&address) && stderr.contains("in use"), "{flag}: {stderr}");
    }
    for (arguments, words) in [
        (&["--devices", "0"][..], "--devices"),
        (&["--devices", "many"], "--devices"),
        (&["--seed", "many"], "--seed"),
        (&["--listen", "nowhere"], "--listen"),
        (&["--cloud-url", "not a url"], "--cloud-url"),
        (&["--cloud-url", "http://192.0.2.7:8081"], "must be https"),
        (&["--unplugged", "X"], "--unplugged: there is no diffuser X"),
        (&["--mqtts-listen", "127.0.0.1:0"], "--mqtts-cert"),
        (&["--mqtts-cert", nowhere, "--mqtts-key", nowhere], "--mqtts-listen"),
        (&["--mqtts-listen", "127.0.0.1:0", "--mqtts-cert", nowhere, "--mqtts-key", nowhere], nowhere),
    ] {
        let stderr = support::refused(data, arguments);
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
}

#[tokio::test]
async fn folder_of_an_earlier_build_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    for (name, migrations) in [("cloud.db", &cloud::MIGRATIONS), ("console.db", &console::MIGRATIONS)] {
        let path = folder.path().join(name);
        // A demo that was interrupted before the console had its database leaves one alone.
        let _ = std::fs::remove_file(folder.path().join("cloud.db"));
        let db = Db::connect(&format!("sqlite:{}", path.display())).await.unwrap();
        db.migrate(migrations).await.unwrap();
        db.execute("update _sqlx_migrations set checksum = x'00'", params![]).await.unwrap();
        db.close().await;
        let expected = format!("{data} was made by an earlier build; remove it or name another folder with --data");
        for arguments in [&[][..], &["--devices", "2"]] {
            let stderr = support::refused(data, arguments);
            assert!(stderr.contains(&expected), "{name}: {stderr}");
        }
        assert!(path.exists(), "nothing is removed");
    }
}

#[tokio::test]
async fn unknown_diffuser_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let stderr = support::fail(&["simulate", "--data", data, "--dsn", "X"]);
    assert!(stderr.contains("start `sillage demo` on this folder first"), "{stderr}");
    assert!(Demo::start(folder.path(), &[]).stop().success());
    let stderr = support::fail(&["simulate", "--data", data, "--dsn", "X"]);
    assert!(stderr.contains("there is no diffuser X"), "{stderr}");
}

/// Datapoints from before the start of the demo.
async fn history(cloud: &CloudUser, dsn: &str, property: &str, begun: &str) -> Vec<Value> {
    let path = format!("dsns/{dsn}/properties/{property}/datapoints?limit=100&filter[created_at_end_date]={begun}");
    let wrapped = cloud.get(&path).await;
    wrapped.as_array().unwrap().iter().map(|one| one["datapoint"].clone()).collect()
}

#[tokio::test]
async fn restart_does_not_change_two_months_of_history() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &["--unplugged", "all"]);
    let saved: Value = serde_json::from_slice(&std::fs::read(folder.path().join("demo.json")).unwrap()).unwrap();
    let begun = saved["plan"]["begun_at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let begun = begun.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let cloud = CloudUser::sign_in(&demo).await;
    let mut first = Vec::new();
    for property in ["appliance_life", "cartridge_life", "fragrance_remaining"] {
        first.push(history(&cloud, UNPLUGGED, property, &begun).await);
    }
    let lives: Vec<f64> = first[0].iter().map(|point| point["value"].as_f64().unwrap()).collect();
    assert!((60..=61).contains(&lives.len()) && lives.is_sorted(), "{lives:?}");
    assert!(first.iter().flatten().all(|point| point["echo"] == true), "the datapoints are reports");
    let device = cloud.get(&format!("dsns/{UNPLUGGED}.json")).await["device"].clone();
    assert!(device["activated_at"].is_string() && device["connected_at"].is_string(), "{device}");
    demo.kill();

    let demo = Demo::start(folder.path(), &["--unplugged", "all"]);
    let cloud = CloudUser::sign_in(&demo).await;
    for (property, before) in ["appliance_life", "cartridge_life", "fragrance_remaining"].iter().zip(&first) {
        assert_eq!(&history(&cloud, UNPLUGGED, property, &begun).await, before, "{property}");
    }
    let console = Person::sign_in(&demo, &demo.ready()["accounts"][0]).await;
    let shown = console.get(&format!("/api/devices/dsns/{UNPLUGGED}")).await;
    let level = first[2].iter().max_by_key(|point| point["created_at"].as_str().unwrap().to_owned()).unwrap();
    assert_eq!(shown["fragranceRemaining"], level["value"]);
}

#[tokio::test]
async fn stock_is_only_in_the_cloud_and_some_devices_never_connected() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &["--devices", "60", "--unplugged", "all"]);
    let stock = demo.ready()["stock"].as_array().unwrap();
    assert_eq!(stock.len(), 10);
    let cloud = CloudUser::sign_in(&demo).await;
    for dsn in stock {
        let device = cloud.get(&format!("dsns/{}.json", dsn.as_str().unwrap())).await["device"].clone();
        assert_eq!(device["registered"], false);
        assert!(device["activated_at"].is_null() && device["connected_at"].is_null(), "{device}");
    }

    let console = Person::sign_in(&demo, &demo.ready()["accounts"][0]).await;
    let mut devices = Vec::new();
    for page in 1..=2 {
        let list = console.get(&format!("/api/devices?pageSize=50&page={page}&orderBy=dsn&order=asc")).await;
        assert_eq!(list["total"], 60);
        devices.extend(list["devices"].as_array().unwrap().clone());
    }
    assert!(devices.iter().all(|device| device["connectionStatus"] == "Offline"), "all of them are unplugged");
    let count = |wanted: fn(&Value) -> bool| devices.iter().filter(|device| wanted(device)).count();
    let never = count(|device| device["connectedAt"].is_null());
    assert!((1..=2).contains(&never), "{never}");
    assert_eq!(never, count(|device| device["mode"].is_null() && device["fragranceRemaining"].is_null()));
    for device in devices.iter().filter(|device| device["connectedAt"].is_null()) {
        let dsn = device["dsn"].as_str().unwrap();
        let device = cloud.get(&format!("dsns/{dsn}.json")).await["device"].clone();
        assert_eq!(device["registered"], true);
        assert!(device["activated_at"].is_null(), "{device}");
        assert_eq!(history(&cloud, dsn, "appliance_life", "2100-01-01T00:00:00Z").await, [] as [Value; 0]);
    }
    assert!(count(|device| device["mode"] == 2) >= 1);
    assert!(count(|device| device["fragranceRemaining"].as_u64().is_some_and(|level| level < 20)) >= 1);
    let text = |name: &str| devices.iter().map(|device| device[name].as_str().unwrap()).collect::<HashSet<_>>().len();
    assert!(text("customer") >= 8 && text("city") >= 8 && text("timeZone") >= 6 && text("country") >= 5);
}

/// A strict client decodes these members as strings; a single null would fail the whole list (B-13).
#[tokio::test]
async fn strict_client_decodes_the_device_list() {
    #[derive(serde::Deserialize)]
    struct Wrapper {
        device: Device,
    }
    #[derive(serde::Deserialize)]
    struct Device {
        product_name: String,
        dsn: String,
        model: String,
        oem_model: String,
        sw_version: String,
        mac: String,
        connection_status: String,
        lan_ip: String,
        hwsig: String,
        product_class: String,
        connected_at: Option<String>,
    }
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &["--devices", "60"]);
    let cloud = CloudUser::sign_in(&demo).await;
    let devices: Vec<Wrapper> = serde_json::from_value(cloud.get("devices.json").await).unwrap();
    // The diffusers, the stock and the recorder.
    assert_eq!(devices.len(), 60 + 10 + 1);
    for Wrapper { device } in devices {
        let Device { product_name, dsn, model, oem_model, mac, connection_status, .. } = &device;
        assert!([product_name, dsn, model, oem_model].iter().all(|text| !text.is_empty()), "{dsn}");
        assert!(["Online", "Offline"].contains(&&**connection_status), "{dsn}: {connection_status}");
        assert_eq!(&device.hwsig, mac, "{dsn}");
        if device.product_class == "diffuser" {
            assert_eq!(mac.len(), 12, "{dsn}");
            // Devices that never connected have not reported these values.
            let connected = device.connected_at.is_some();
            assert_eq!(!device.sw_version.is_empty(), connected, "{dsn}: {}", device.sw_version);
            assert_eq!(device.lan_ip.starts_with("192.168."), connected, "{dsn}: {}", device.lan_ip);
        }
    }
}

#[tokio::test]
async fn diffusers_connect_to_the_demo_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let [certificate, key] = ["cloud.crt", "cloud.key"].map(|name| folder.path().join(name));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let [certificate, key] = [certificate.to_str().unwrap(), key.to_str().unwrap()];
    let tls = ["--mqtts-listen", "127.0.0.1:0", "--mqtts-cert", certificate, "--mqtts-key", key];
    let demo = Demo::start(folder.path(), &[&["--unplugged", "all"], &tls[..]].concat());
    assert!(demo.ready()["mqtts"].as_str().unwrap().starts_with("mqtts://127.0.0.1:"));

    let admin = Person::sign_in(&demo, &demo.ready()["accounts"][0]).await;
    let mut events = admin.events(UNPLUGGED).await;
    let diffuser = demo.simulate_at("mqtts", folder.path(), UNPLUGGED, &["--ca", certificate]);
    admin.set(UNPLUGGED, json!({"fan": 4})).await;
    events.acknowledged(&admin, UNPLUGGED, &["fan"]).await;
    assert!(diffuser.stop().success());
}

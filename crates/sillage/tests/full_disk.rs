//! The disk of a console's database fills up temporarily. `kill.rs` has the same test for the cloud.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console;
#[expect(dead_code, reason = "shared with other tests")]
mod support;

use console::{Access, Console, disk};
use serde_json::{Value, json};
use support::{Demo, Person};

const FILLS: usize = 3;

#[tokio::test]
async fn full_disk_loses_no_acknowledged_write_and_the_console_recovers() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let database = format!("sqlite:{}", folder.path().join("node.db").display());
    let cloud = demo.ready()["cloud"].as_str().unwrap();
    let console = Console::start(&database, cloud, &Access::of_demo(folder.path()), folder.path(), "node");
    let admin = Person::sign_in_at(console.url(), &demo.ready()["accounts"][0]).await;
    let names = async || -> Vec<String> {
        let csps: Vec<Value> = serde_json::from_value(admin.get("/api/csps/all").await).unwrap();
        csps.iter().map(|csp| csp["name"].as_str().unwrap().to_owned()).collect()
    };
    let mut expected = names().await;
    for fill in 0..FILLS {
        let (before, lost, after) = (format!("Before {fill}"), format!("Lost {fill}"), format!("After {fill}"));
        admin.post("/api/csps", json!({ "name": before })).await;
        disk::fill(console.id());
        for _ in 0..3 {
            let (status, problem) = admin.send("/api/csps", json!({ "name": lost })).await;
            assert_eq!((status, &problem["code"]), (503, &json!("unavailable")), "{problem}");
            assert_eq!(problem["detail"], "The service is not available at the moment. Please try again later.");
        }
        assert_eq!(admin.get("/api/devices").await["total"], 12, "requests that do not write still succeed");
        disk::free(console.id());
        admin.post("/api/csps", json!({ "name": after })).await;
        expected.extend([before, after]);
    }
    expected.sort();
    let mut stored = names().await;
    stored.sort();
    assert_eq!(stored, expected);
    Person::sign_in_at(console.url(), &demo.ready()["accounts"][0]).await;
    assert!(console.stop().success());
}

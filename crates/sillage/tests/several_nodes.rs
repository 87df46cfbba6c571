//! Several nodes of the cloud on one PostgreSQL database, each in a process of its own.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/node.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod node;

use std::time::Duration;

use node::{Device, Node, dsn};
use platform::db::{Db, params};
use platform::testing::TestDb;
use serde_json::json;
use tokio::time::{sleep, timeout};

/// Time within which the devices of a killed node are Offline. Their keep-alive does not count: the connections end with the process.
const SWEPT_WITHIN: Duration = Duration::from_secs(10);
/// Leaves the processor to the nodes.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// The devices that are Online.
async fn online(db: &Db) -> Vec<String> {
    let sql =
        "select d.dsn from device d join device_state s on s.device_id = d.id where s.status = 'Online' order by 1";
    db.fetch_all::<(String,)>(sql, params![]).await.unwrap().into_iter().map(|(dsn,)| dsn).collect()
}

fn report() -> String {
    json!({ "properties": { node::property(0): 1 } }).to_string()
}

#[tokio::test]
async fn devices_of_a_killed_node_go_offline_within_ten_seconds_and_those_of_other_nodes_stay() {
    let test = TestDb::postgres().await;
    node::seed(&test, 3, 1).await;
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let start = async |n: usize| Node::start(&test.url, folders[n].path()).await;
    let killed = start(0).await;
    let _lost = Device::connect(killed.link, 0).await.unwrap();
    let moving = Device::connect(killed.link, 1).await.unwrap();
    let survivor = start(1).await;
    let mut steady = Device::connect(survivor.link, 2).await.unwrap();
    assert_eq!(online(&test).await, [dsn(0), dsn(1), dsn(2)], "a starting node leaves the connections of others");

    killed.kill();
    moving.closed().await;
    let mut moved = Device::connect(survivor.link, 1).await.unwrap();
    let swept = async {
        while online(&test).await.len() > 2 {
            sleep(POLL_EVERY).await;
        }
    };
    timeout(SWEPT_WITHIN, swept).await.expect("the survivor notices the death");
    let third = start(2).await;
    assert_eq!(online(&test).await, [dsn(1), dsn(2)]);
    for device in [&mut moved, &mut steady] {
        device.report(report()).await.unwrap();
    }
    let sql = "select count(*) from connection_change c join device d on d.id = c.device_id where d.dsn = $1";
    let (changes,): (i64,) = test.fetch_one(sql, params![dsn(1)]).await.unwrap();
    assert_eq!(changes, 1, "the device that connected to another node in time was Online all the time");

    assert!(survivor.stop().success());
    assert_eq!(online(&test).await, [""; 0]);
    assert!(third.stop().success());
}

//! Two devices with one identity.

use cloud::testing::{TestCloud, device_key};
use jiff::SignedDuration;
use platform::db::{Params, params};
use platform::testing::{PATIENCE, TestDb, until};
use rumqttc::mqttbytes::v4::{ConnectReturnCode, Packet};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::device::{Device, login, own_login};
use crate::log::Log;
use crate::start;

platform::on_both_databases![
    connections_that_replace_each_other_more_than_six_times_in_ten_minutes_are_those_of_two_devices,
    fewer_replaced_connections_are_those_of_one_device,
    connections_of_two_devices_cause_no_writes_until_the_pause_ends,
];

/// Of the connections of two devices.
pub(crate) const PAUSE: SignedDuration = SignedDuration::from_mins(1);
const FAULTS: &str =
    "select f.subject, f.kind, f.count, f.shape from device_fault f join device d on d.id = f.device_id
                      where d.dsn = 'DEV-A1'";

type Fault = (String, String, i64, String);

async fn faults(database: &TestDb) -> Vec<Fault> {
    database.fetch_all(FAULTS, Params::default()).await.unwrap()
}

/// Waits until this number of faults is stored.
async fn counted(database: &TestDb, count: i64) {
    let expected = ("connection".to_owned(), "shared_identity".to_owned(), count, "replaced".to_owned());
    timeout(PATIENCE, until(async || faults(database).await == [expected.clone()])).await.unwrap();
}

/// What is stored about the connections of the device.
async fn stored(database: &TestDb) -> (i64, Option<String>, String, i64) {
    let sql = "select s.generation, s.replacements, s.status,
                      (select count(*) from connection_change c where c.device_id = s.device_id)
               from device_state s join device d on d.id = s.device_id where d.dsn = $1";
    database.fetch_one(sql, params!["DEV-A1"]).await.unwrap()
}

/// Connects to these nodes in turn. Returns the connection that is open then.
pub(crate) async fn replace(database: &TestDb, mut open: Device, nodes: &[&TestCloud]) -> Device {
    for node in nodes {
        let (_, before, ..) = stored(database).await;
        let newer = Device::sign_in(node, "DEV-A1").await;
        open.is_closed().await;
        // Stored after the close, for which the devices do not wait.
        timeout(PATIENCE, until(async || stored(database).await.1 != before)).await.unwrap();
        node.clock().advance(SignedDuration::from_secs(1));
        open = newer;
    }
    open
}

/// An open connection that has replaced others until the cloud took them for those of two devices.
pub(crate) async fn replaced_too_often(cloud: &TestCloud, database: &TestDb) -> Device {
    let open = replace(database, Device::sign_in(cloud, "DEV-A1").await, &[cloud; 7]).await;
    counted(database, 1).await;
    open
}

async fn connections_that_replace_each_other_more_than_six_times_in_ten_minutes_are_those_of_two_devices(
    database: &TestDb,
) {
    let log = Log::listen();
    let (cloud, api) = start(database).await;
    let shown = async || api.again(&cloud).await.get("DEV-A1.json").await["device"].take();
    let open = replace(database, Device::sign_in(&cloud, "DEV-A1").await, &[&cloud; 6]).await;
    assert_eq!((faults(database).await, &shown().await["shared_identity"]), (vec![], &Value::Null));

    let open = replace(database, open, &[&cloud]).await;
    counted(database, 1).await;
    // Logged after the commit.
    let logged = || log.lines(&["WARN", "dsn=DEV-A1", "kind=\"shared_identity\"", "two devices"]).len();
    timeout(PATIENCE, until(async || logged() == 1)).await.unwrap();
    let device = shown().await;
    assert_eq!((&device["shared_identity"], &device["connection_status"]), (&json!(true), &json!("Online")));
    // No value that cannot be read.
    assert_eq!((&device["faults"][0]["kind"], &device["fault_counts"]), (&json!("shared_identity"), &Value::Null));
    assert_eq!(api.get("DEV-A2.json").await["device"]["shared_identity"], Value::Null);

    cloud.clock().advance(PAUSE);
    let open = replace(database, open, &[&cloud]).await;
    counted(database, 2).await;
    cloud.clock().advance(SignedDuration::from_hours(23));
    assert_eq!(shown().await["shared_identity"], true);
    cloud.clock().advance(SignedDuration::from_hours(1));
    assert_eq!(shown().await["shared_identity"], Value::Null);
    replace(database, open, &[&cloud]).await;
    assert_eq!(faults(database).await[0].2, 2, "the others were replaced long ago");
}

async fn fewer_replaced_connections_are_those_of_one_device(database: &TestDb) {
    let (cloud, _api) = start(database).await;
    let mut open = Device::sign_in(&cloud, "DEV-A1").await;
    for _ in 0..2 {
        open = replace(database, open, &[&cloud; 6]).await;
        cloud.clock().advance(SignedDuration::from_mins(10));
    }
    // Connections that end by themselves are not replaced.
    for _ in 0..10 {
        open.send(Packet::Disconnect).await;
        open.is_closed().await;
        open = Device::sign_in(&cloud, "DEV-A1").await;
    }
    open.receives_nothing_else().await;
    assert_eq!(faults(database).await, []);
}

async fn connections_of_two_devices_cause_no_writes_until_the_pause_ends(database: &TestDb) {
    let log = Log::listen();
    let (cloud, api) = start(database).await;
    let mut events = api.connectivity().await;
    let mut open = replaced_too_often(&cloud, database).await;
    for _ in 0..8 {
        assert_eq!(events.next().await["status"], "Online");
    }
    let (generation, _, status, changes) = stored(database).await;
    assert_eq!((generation, &*status, changes), (8, "Online", 1), "no Offline in between");
    let before = stored(database).await;
    for _ in 0..10 {
        let (mut second, code) = Device::connect(&cloud, own_login("DEV-A1")).await;
        assert_eq!(code, ConnectReturnCode::ServiceUnavailable);
        second.is_closed().await;
    }
    assert_eq!(stored(database).await, before);
    assert_eq!(log.lines(&["WARN", "dsn=\"DEV-A1\"", "replaced each other too often"]).len(), 10);
    // Only who has the key learns of it.
    let (_, code) = Device::connect(&cloud, login("DEV-A1", "DEV-A1", &device_key("DEV-A2"))).await;
    assert_eq!(code, ConnectReturnCode::NotAuthorized);
    open.receives_nothing_else().await;

    // When none is open, the next one replaces none.
    open.send(Packet::Disconnect).await;
    api.goes_offline("DEV-A1").await;
    let mut open = Device::sign_in(&cloud, "DEV-A1").await;
    let (_, code) = Device::connect(&cloud, own_login("DEV-A1")).await;
    assert_eq!(code, ConnectReturnCode::ServiceUnavailable);
    for status in ["Offline", "Online"] {
        assert_eq!(events.next().await["status"], status);
    }
    cloud.clock().advance(PAUSE);
    let _newer = Device::sign_in(&cloud, "DEV-A1").await;
    open.is_closed().await;
}

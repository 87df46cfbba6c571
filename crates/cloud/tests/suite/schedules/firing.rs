//! Schedules fire by the clock of the test, which starts on 20 November 2026, a Friday, at 11 in Paris.

use cloud::testing::{TestCloud, World};
use jiff::{SignedDuration, Timestamp};
use platform::testing::TestDb;
use serde_json::{Value, json};

use super::{action, path};
use crate::client::Fixture;

impl Fixture {
    /// Sets the clock to this time. Returns the number of actions that fired.
    async fn until(&self, time: &str) -> usize {
        let time: Timestamp = time.parse().unwrap();
        self.cloud.clock().advance(time.duration_since(self.cloud.clock().now()));
        self.cloud.fire_schedules().await
    }

    async fn fan(&self) -> Value {
        let token = self.token(World::ADMIN).await;
        self.property(&token, "DEV-A1", "fan").await["value"].take()
    }

    /// The number of commands of the fan.
    async fn commands(&self) -> usize {
        let token = self.token(World::ADMIN).await;
        let datapoints = self.get(&token, "/apiv1/dsns/DEV-A1/properties/fan/datapoints").await.body;
        datapoints.as_array().unwrap().len()
    }

    /// Changes the schedule that the template gives to every device.
    async fn change(&self, members: Value) {
        let token = self.token(World::TECHNICIAN_A).await;
        let all = path(self, "DEV-A1").await;
        let key = self.get(&token, &all).await.body[0]["schedule"]["key"].take();
        let answer = self.put(&token, &format!("{all}/{key}"), json!({ "schedule": members })).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    async fn act(&self, members: Value) {
        let token = self.token(World::ADMIN).await;
        let all = path(self, "DEV-A1").await;
        let key = self.get(&token, &all).await.body[0]["schedule"]["key"].take();
        let mut action = action();
        action.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let actions = format!("/apiv1/schedules/{key}/schedule_actions");
        assert_eq!(self.post(&token, &actions, json!({ "schedule_action": action })).await.status, 201);
    }
}

#[tokio::test]
async fn active_schedule_commands_its_device_at_start_and_end() {
    let fixture = Fixture::start().await;
    assert_eq!(fixture.until("2026-11-20T17:00:00Z").await, 0, "inactive");
    fixture.change(json!({ "active": true })).await;
    assert_eq!(fixture.until("2026-11-21T06:59:59Z").await, 0);
    assert_eq!(fixture.fan().await, Value::Null);
    assert_eq!(fixture.until("2026-11-21T07:00:00Z").await, 1);
    assert_eq!(fixture.fan().await, 3);
    assert_eq!(fixture.until("2026-11-21T07:00:00Z").await, 0, "once");
    fixture.until("2026-11-21T17:00:00Z").await;
    assert_eq!((fixture.fan().await, fixture.commands().await), (json!(0), 2));
    fixture.change(json!({ "active": false })).await;
    assert_eq!(fixture.until("2026-11-23T12:00:00Z").await, 0);
    assert_eq!(fixture.commands().await, 2);
}

#[tokio::test]
async fn command_of_a_schedule_has_no_user_and_reaches_the_device() {
    let fixture = Fixture::start().await;
    fixture.change(json!({ "active": true })).await;
    fixture.until("2026-11-20T17:00:00Z").await;
    let token = fixture.token(World::ADMIN).await;
    let fan = fixture.property(&token, "DEV-A1", "fan").await;
    assert_eq!((&fan["value"], &fan["command"]["state"]), (&json!(0), &json!("pending")));
    let id = fan["command"]["id"].as_str().unwrap();
    fixture.cloud.device("DEV-A1").await.ack(id, 200, 0).await;
    let path = format!("/apiv1/devices/{}/properties/fan/datapoints/{id}", fan["device_key"]);
    let datapoint = fixture.get(&token, &path).await.body["datapoint"].take();
    assert_eq!((&datapoint["ack_status"], &datapoint["echo"]), (&json!(200), &json!(false)));
}

#[tokio::test]
async fn in_range_action_fires_when_its_window_is_open() {
    let fixture = Fixture::start().await;
    fixture.act(json!({ "value": 5, "at_start": false, "in_range": true })).await;
    fixture.change(json!({ "active": true })).await;
    assert_eq!(fixture.cloud.fire_schedules().await, 1, "activated at 11, within the window of 8 to 18");
    assert_eq!((fixture.fan().await, fixture.commands().await), (json!(5), 1));
    fixture.until("2026-11-20T16:59:59Z").await;
    assert_eq!(fixture.commands().await, 1, "once for each time");
    fixture.until("2026-11-20T17:00:00Z").await;
    assert_eq!(fixture.fan().await, 0);
    fixture.until("2026-11-21T07:00:00Z").await;
    assert_eq!((fixture.fan().await, fixture.commands().await), (json!(5), 4), "after the start");
}

#[tokio::test]
async fn cloud_that_was_down_executes_only_the_last_missed_point() {
    let fixture = Fixture::start().await;
    fixture.change(json!({ "active": true })).await;
    assert_eq!(fixture.until("2026-12-24T20:00:00Z").await, 1);
    assert_eq!((fixture.fan().await, fixture.commands().await), (json!(0), 1));
    fixture.until("2026-12-26T12:00:00Z").await;
    assert_eq!((fixture.fan().await, fixture.commands().await), (json!(3), 2), "the window is open");
}

#[tokio::test]
async fn schedule_follows_a_change_of_the_devices_time_zone() {
    let fixture = Fixture::start().await;
    fixture.change(json!({ "active": true })).await;
    fixture.cloud.set_time_zone("DEV-A1", Some("Asia/Tokyo")).await;
    // 8 in the morning in Tokyo.
    assert_eq!(fixture.until("2026-11-20T22:59:59Z").await, 0);
    assert_eq!(fixture.until("2026-11-20T23:00:00Z").await, 1);
    assert_eq!(fixture.fan().await, 3);
    fixture.change(json!({ "utc": true })).await;
    fixture.until("2026-11-21T18:00:00Z").await;
    assert_eq!(fixture.fan().await, 0);
}

#[tokio::test]
async fn inactive_or_device_side_schedules_do_not_fire() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    fixture.change(json!({ "active": true, "direction": "output" })).await;
    assert_eq!(fixture.until("2026-11-20T17:00:00Z").await, 0);
    fixture.change(json!({ "direction": "input" })).await;
    let all = path(&fixture, "DEV-A1").await;
    let schedule = fixture.get(&token, &all).await.body[0]["schedule"].take();
    for action in schedule["schedule_actions"].as_array().unwrap() {
        let path = format!("/apiv1/schedule_actions/{}", action["key"]);
        fixture.put(&token, &path, json!({ "schedule_action": { "active": false } })).await;
    }
    assert_eq!(fixture.until("2026-11-21T07:00:00Z").await, 1);
    assert_eq!(fixture.commands().await, 0);
    let device = fixture.device_key(&token, "DEV-A1").await;
    fixture.delete(&token, &format!("/apiv1/devices/{device}")).await;
    assert_eq!(fixture.until("2026-11-21T17:00:00Z").await, 0, "schedules are deleted with the registration");
}

/// Nodes on one database, whose clocks agree.
async fn nodes_execute_a_schedule_once(db: TestDb) {
    let (first, second) = (db.url.clone(), db.url.clone());
    let fixture = Fixture::on(TestCloud::start_with(move |config| config.database_url = first).await).await;
    let other = TestCloud::start_with(move |config| config.database_url = second).await;
    let token = fixture.token(World::ADMIN).await;
    for dsn in ["DEV-A1", "DEV-A2", "DEV-B1", "DEV-U1"] {
        let all = path(&fixture, dsn).await;
        let key = fixture.get(&token, &all).await.body[0]["schedule"]["key"].take();
        let on = json!({ "schedule": { "active": true } });
        assert_eq!(fixture.put(&token, &format!("{all}/{key}"), on).await.status, 200);
    }
    for hours in [7, 14, 10, 14] {
        let by = SignedDuration::from_hours(hours);
        fixture.cloud.clock().advance(by);
        other.clock().advance(by);
        let (fired, too) = tokio::join!(fixture.cloud.fire_schedules(), other.fire_schedules());
        assert_eq!(fired + too, 4);
    }
    assert_eq!(fixture.commands().await, 4);
    other.shutdown().await;
    fixture.cloud.shutdown().await;
}

#[tokio::test]
async fn two_nodes_execute_a_schedule_once_on_sqlite() {
    nodes_execute_a_schedule_once(TestDb::sqlite().await).await;
}

#[tokio::test]
async fn two_nodes_execute_a_schedule_once_on_postgres() {
    nodes_execute_a_schedule_once(TestDb::postgres().await).await;
}

use std::time::Duration;

use serde_json::json;

use super::Schedules;
use crate::api::testing::client;
use crate::error::{ErrorKind, Result};
use crate::http::testing::{Reply, ScriptedTransport};
use crate::model::{BaseType, Direction, FirePoint, PropertyValue, Schedule, ScheduleAction};

const UPDATING: &str = "Updating a Schedule requires that the Schedule was first fetched from the service";
const DELETING: &str = "Deleting a Schedule requires that the Schedule was first fetched from the service";
const ACTION_KEY: &str = "Invalid Schedule Action Key.The Schedule Action should be first fetched from the service";

fn fetched() -> Schedule {
    Schedule { key: 7.into(), ..Schedule::new("mornings", "08:00:00") }
}

fn action() -> ScheduleAction {
    ScheduleAction { key: 9.into(), ..ScheduleAction::new("fan", BaseType::Integer, 1) }
}

#[expect(deprecated, reason = "deprecated calls are tested until they are removed")]
async fn create(schedules: &Schedules, device: &str, schedule: Option<Schedule>) -> Result<Schedule> {
    schedules.create(device, schedule).await
}

#[expect(deprecated, reason = "deprecated calls are tested until they are removed")]
async fn delete(schedules: &Schedules, schedule: Option<Schedule>) -> Result<()> {
    schedules.delete(schedule).await
}

fn rejected<T: std::fmt::Debug>(result: Result<T>, message: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, message));
}

#[tokio::test]
async fn incomplete_schedules_are_rejected_before_sending() {
    let script = ScriptedTransport::new([Reply::Cut]);
    let schedules = client(&script, true).schedules();
    rejected(schedules.list(" ").await, "Device key is required");
    for (device, schedule, of_update, of_create) in [
        (" ", None, "Device key is required", Some("Device key is required")),
        ("41", None, "Invalid schedule", Some("Invalid schedule")),
        ("41", Some(Schedule { key: "".into(), ..fetched() }), UPDATING, None),
        (
            "41",
            Some(Schedule { start_time_each_day: " ".into(), direction: None, ..fetched() }),
            "Start Time for each Day is required",
            Some("Start Time for each Day is required"),
        ),
        (
            "41",
            Some(Schedule { direction: None, ..fetched() }),
            "Schedule direction is required",
            Some("Schedule direction is required"),
        ),
        (
            "41",
            Some(Schedule { direction: Some(Direction::Unknown(" ".into())), ..fetched() }),
            "Schedule direction is required",
            Some("Schedule direction is required"),
        ),
    ] {
        rejected(schedules.update(device, schedule.clone()).await, of_update);
        rejected(schedules.enable(device, schedule.clone()).await, of_update);
        rejected(schedules.disable(device, schedule.clone()).await, of_update);
        if let Some(message) = of_create {
            rejected(create(&schedules, device, schedule).await, message);
        }
    }
    rejected(delete(&schedules, None).await, DELETING);
    rejected(delete(&schedules, Some(Schedule { key: " ".into(), ..fetched() })).await, DELETING);
    assert!(script.seen().is_empty());
}

#[tokio::test]
async fn enable_and_disable_update_the_schedule() {
    let script = ScriptedTransport::new([Reply::Status(200, json!({}))]);
    let schedules = client(&script, true).schedules();
    for active in [true, false] {
        let before = Schedule { active: !active, ..fetched() }.with_field("days_of_week", vec![2]);
        if active { schedules.enable(41, before).await } else { schedules.disable(41, before).await }.unwrap();
        let seen = script.seen().pop().unwrap();
        assert_eq!((&*seen.method, &*seen.url), ("PUT", "https://cloud.test/device/apiv1/devices/41/schedules/7.json"));
        assert_eq!(seen.body, Schedule { active, ..fetched() }.with_field("days_of_week", vec![2]).to_wire());
    }
}

#[tokio::test]
async fn incomplete_actions_are_rejected_in_the_specified_order() {
    let script = ScriptedTransport::new([Reply::Cut]);
    let actions = client(&script, true).schedule_actions();
    let nothing = ScheduleAction { action_type: " ".into(), ..ScheduleAction::default() };
    let named = ScheduleAction { name: "fan".into(), ..nothing.clone() };
    let typed = ScheduleAction { action_type: "Any".into(), ..named.clone() };
    let valued = ScheduleAction { value: Some(0.into()), ..typed.clone() };
    let empty = ScheduleAction { base_type: Some(BaseType::Unknown(String::new())), ..valued.clone() };
    for (action, message) in [
        (None, "Invalid Schedule Action"),
        (Some(nothing), "Schedule Action Name is required"),
        (Some(named), "Schedule Action Type is required"),
        (Some(typed), "Schedule Action value is required"),
        (Some(valued), "Schedule Action base type is required"),
        (Some(empty), "Schedule Action base type is required"),
    ] {
        rejected(actions.create(7, action.clone()).await, message);
        rejected(actions.update(action).await, message);
    }
    rejected(actions.create(" ", action()).await, "Schedule key is required");
    rejected(actions.list("").await, "Schedule key is required");
    rejected(actions.delete_all(" ").await, "Schedule key is required");
    rejected(actions.update(ScheduleAction { key: " ".into(), ..action() }).await, ACTION_KEY);
    rejected(actions.delete("").await, ACTION_KEY);
    rejected(actions.update_all([]).await, "Invalid Schedule Actions");
    assert!(script.seen().is_empty());
}

#[tokio::test]
async fn zero_and_empty_text_are_valid_action_values() {
    let script = ScriptedTransport::new([Reply::Status(201, json!({}))]);
    let actions = client(&script, true).schedule_actions();
    for (value, sent) in [(PropertyValue::from(0), json!(0)), ("".into(), json!("")), (false.into(), json!(0))] {
        let action = ScheduleAction { value: Some(value), ..action() };
        actions.create(7, action.clone()).await.unwrap();
        assert_eq!(script.seen().pop().unwrap().body["schedule_action"]["value"], sent);
        actions.update(action).await.unwrap();
        assert_eq!(script.seen().pop().unwrap().body["schedule_action"]["value"], sent);
    }
}

#[tokio::test]
async fn created_schedule_is_sent_without_the_key_of_its_source() {
    let script = ScriptedTransport::new([Reply::Status(201, json!(null))]);
    let client = client(&script, true);
    let schedule = create(&client.schedules(), "41", Some(fetched())).await.unwrap();
    assert_eq!((schedule.key.is_blank(), &*schedule.name), (true, "mornings"));
    assert_eq!(script.seen().pop().unwrap().body, Schedule::new("mornings", "08:00:00").to_wire());
    let action = client.schedule_actions().create(7, action()).await.unwrap();
    assert_eq!((action.key.is_blank(), &*action.name), (true, "fan"));
}

#[tokio::test]
async fn bulk_update_stops_at_the_first_failure() {
    let script = ScriptedTransport::new([Reply::Status(200, json!({})), Reply::Status(422, json!({"error": "no"}))]);
    let actions = client(&script, true).schedule_actions();
    let [first, second, third] = [9, 8, 7].map(|key| ScheduleAction { key: key.into(), ..action() });
    let error = actions.update_all([first, second, third]).await.unwrap_err();
    assert_eq!(error.status(), Some(422));
    let urls: Vec<String> = script.seen().into_iter().map(|seen| seen.url).collect();
    let url = |key: i64| format!("https://cloud.test/device/apiv1/schedule_actions/{key}.json");
    assert_eq!(urls, [url(9), url(8)]);
}

#[tokio::test(start_paused = true)]
async fn delete_all_waits_only_for_the_list() {
    let listed = json!([{"schedule_action": {"key": 1}}, {"schedule_action": {"key": 2}}]);
    let script = ScriptedTransport::from_fn(move |seen, _| match &*seen.method {
        "GET" => Reply::Status(200, listed.clone()),
        _ => Reply::Slow(Duration::from_secs(5), 500, json!({})),
    });
    let actions = client(&script, true).schedule_actions().without_retry();
    let start = tokio::time::Instant::now();
    actions.delete_all(7).await.unwrap();
    assert_eq!(start.elapsed(), Duration::ZERO);
    tokio::time::sleep(Duration::from_secs(6)).await;
    let mut sent: Vec<(String, String)> = script.seen().into_iter().map(|seen| (seen.method, seen.url)).collect();
    sent[1..].sort();
    let base = "https://cloud.test/device/apiv1";
    let expected = [
        ("GET".to_owned(), format!("{base}/schedules/7/schedule_actions.json")),
        ("DELETE".to_owned(), format!("{base}/schedule_actions/1.json")),
        ("DELETE".to_owned(), format!("{base}/schedule_actions/2.json")),
    ];
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn schedule_action_errors_have_the_response_body_as_message() {
    let body = json!({"errors": {"value": ["is not an integer"]}});
    for (reply, message) in [
        (Reply::Status(422, body.clone()), body.to_string()),
        (Reply::CutBody(422), "Unable to retrieve error text".into()),
    ] {
        let actions = client(&ScriptedTransport::new([reply]), true).schedule_actions();
        for error in [
            actions.create(7, action()).await.unwrap_err(),
            actions.list(7).await.unwrap_err(),
            actions.update(action().fire_at(FirePoint::AtEnd)).await.unwrap_err(),
            actions.delete(9).await.unwrap_err(),
        ] {
            assert_eq!((error.kind(), error.status(), error.message()), (ErrorKind::Server, Some(422), &*message));
        }
    }
}

#[tokio::test]
async fn every_call_without_a_session_is_rejected() {
    let script = ScriptedTransport::new([Reply::Cut]);
    let client = client(&script, false);
    let (schedules, actions) = (client.schedules(), client.schedule_actions());
    for result in [
        schedules.list("").await.map(drop),
        schedules.update("", None).await.map(drop),
        schedules.enable(41, fetched()).await.map(drop),
        schedules.disable(41, fetched()).await.map(drop),
        create(&schedules, "", None).await.map(drop),
        delete(&schedules, None).await,
        actions.create("", None).await.map(drop),
        actions.list("").await.map(drop),
        actions.update(None).await.map(drop),
        actions.update_all([]).await.map(drop),
        actions.delete("").await,
        actions.delete_all("").await,
    ] {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No session is active"));
    }
    assert!(script.seen().is_empty());
}

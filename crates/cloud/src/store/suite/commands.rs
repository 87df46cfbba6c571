//! What users write and devices answer.

use jiff::{SignedDuration, Timestamp};
use platform::db::Db;
use platform::store_suite;
use serde_json::json;

use super::node;
use crate::devices::link::{AckMessage, AckOutcome};
use crate::stream::event;

async fn a_command_waits_is_acknowledged_once_and_can_expire(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let intensity = node.intensity().await;
    let first = node.commands.give("user", &intensity, &json!(30), None).await.unwrap();
    node.link.report(&device, vec![("intensity".into(), json!(21))], Some(Timestamp::UNIX_EPOCH)).await.unwrap();
    let shown = node.intensity().await;
    assert_eq!((shown.value(), shown.reported_value()), (json!(30), json!(21)));
    let message = || Some(AckMessage::Text("done".into()));
    assert_eq!(node.link.ack(&device, &first.id, 200, message()).await.unwrap(), AckOutcome::Acknowledged);
    assert_eq!(node.link.ack(&device, &first.id, 500, None).await.unwrap(), AckOutcome::Repeated);
    for unknown in ["no such id", "\0"] {
        assert_eq!(node.link.ack(&device, unknown, 200, None).await.unwrap(), AckOutcome::Unknown);
    }
    let acked = node.intensity().await;
    assert_eq!((acked.ack_status, acked.ack_message()), (Some(200), Some(json!("done"))));
    assert_eq!(acked.command().unwrap().state, "acknowledged");

    let second = node.commands.give("user", &intensity, &json!(40), None).await.unwrap();
    assert_eq!(node.link.pending_commands(&device).await.unwrap()[0].id, second.id);
    node.clock.advance(SignedDuration::from_hours(1));
    node.commands.expire(node.clock.now()).await.unwrap();
    let expired = node.intensity().await;
    assert_eq!((expired.value(), expired.command().unwrap().state), (json!(30), "expired"));
    assert_eq!(node.link.ack(&device, &second.id, 422, None).await.unwrap(), AckOutcome::Failed);
    assert_eq!(node.intensity().await.value(), json!(30));
}

async fn reports_and_commands_at_once_agree_in_the_end(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let intensity = node.intensity().await;
    for round in 1..10 {
        let value = json!(round);
        let (given, reported) = tokio::join!(
            node.commands.give("user", &intensity, &value, None),
            node.link.report(&device, vec![("intensity".into(), json!(50))], None)
        );
        reported.unwrap();
        let shown = node.intensity().await;
        assert_eq!((shown.value(), shown.reported_value()), (value.clone(), json!(50)));
        // A refusal and the next command at once: the command wins.
        let next = json!(round + 10);
        let id = given.unwrap().id;
        let (acked, given) =
            tokio::join!(node.link.ack(&device, &id, 422, None), node.commands.give("user", &intensity, &next, None));
        assert_eq!(acked.unwrap(), AckOutcome::Failed);
        assert_eq!(node.intensity().await.value(), next);
        node.link.ack(&device, &given.unwrap().id, 422, None).await.unwrap();
    }
}

async fn the_stream_is_told_of_a_command_that_expires(db: Db) {
    let node = node(db).await;
    let fan = node.property("DEV-A1", "fan").await;
    let command = node.commands.give("user", &fan, &json!(5), None).await.unwrap();
    node.clock.advance(SignedDuration::from_hours(1));
    let mut events = node.bus.subscribe(event::SUBJECT);
    node.commands.expire(node.clock.now()).await.unwrap();
    node.commands.expire(node.clock.now()).await.unwrap();
    node.report("DEV-A1", "fan", 1).await;
    let told = node.events(&mut events, 2).await;
    assert_eq!(told[0]["metadata"]["event_type"], "datapointack");
    assert_eq!((&told[0]["metadata"]["dsn"], &told[0]["datapoint"]["id"]), (&json!("DEV-A1"), &json!(command.id)));
    assert_eq!(told[0]["datapoint"].get("acked_at"), None, "no answer came");
    assert_eq!(told[1]["metadata"]["event_type"], "datapoint", "once");
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        a_command_waits_is_acknowledged_once_and_can_expire,
        reports_and_commands_at_once_agree_in_the_end,
        the_stream_is_told_of_a_command_that_expires,
    ]
);

//! Commands and acks.

use jiff::SignedDuration;
use platform::db::Db;
use platform::store_suite;
use serde_json::{Value, json};

use super::{node, report_of};
use crate::devices::commands::CommandInput;
use crate::devices::link::{AckMessage, AckOutcome, DeviceReport};
use crate::stream::event;

async fn command_is_pending_until_first_ack_or_expiry(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let intensity = node.intensity().await;
    let first = node.command(&intensity, &json!(30)).await;
    node.link
        .report(
            &device,
            DeviceReport { at: Some(node.clock.now()), ..report_of(vec![("intensity".into(), json!(21))]) },
        )
        .await
        .unwrap();
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

    let second = node.command(&intensity, &json!(40)).await;
    assert_eq!(node.link.pending_commands(&device).await.unwrap()[0].id, second.id);
    node.clock.advance(SignedDuration::from_hours(1));
    node.commands.expire(node.clock.now()).await.unwrap();
    let expired = node.intensity().await;
    assert_eq!((expired.value(), expired.command().unwrap().state), (json!(30), "expired"));
    assert_eq!(node.link.ack(&device, &second.id, 422, None).await.unwrap(), AckOutcome::Failed);
    assert_eq!(node.intensity().await.value(), json!(30));
}

async fn concurrent_reports_and_commands_end_in_a_consistent_state(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let intensity = node.intensity().await;
    for round in 1..10 {
        let value = json!(round);
        let (issued, reported) = tokio::join!(
            node.command(&intensity, &value),
            node.link.report(&device, report_of(vec![("intensity".into(), json!(50))]))
        );
        reported.unwrap();
        let shown = node.intensity().await;
        assert_eq!((shown.value(), shown.reported_value()), (value.clone(), json!(50)));
        // A concurrent negative ack and next command: the command wins.
        let next = json!(round + 10);
        let id = issued.id;
        let (acked, issued) = tokio::join!(node.link.ack(&device, &id, 422, None), node.command(&intensity, &next));
        assert_eq!(acked.unwrap(), AckOutcome::Failed);
        assert_eq!(node.intensity().await.value(), next);
        node.link.ack(&device, &issued.id, 422, None).await.unwrap();
    }
}

async fn late_ack_of_an_older_command_leaves_the_newer_value(db: Db) {
    let node = node(db).await;
    let (device, intensity) = (node.device("DEV-A1").await, node.intensity().await);
    let ack = async |id: &str, status| {
        node.link.ack(&device, id, status, None).await.unwrap();
        node.intensity().await.value()
    };
    let issue = async |value: i64| node.command(&intensity, &json!(value)).await.id;
    let [one, two, three] = [issue(30).await, issue(31).await, issue(32).await];
    assert_eq!([ack(&one, 200).await, ack(&three, 200).await, ack(&two, 200).await], [32, 32, 32].map(|it| json!(it)));
    // A newer command that the device refused does not outdate an older one.
    let [one, two] = [issue(33).await, issue(34).await];
    assert_eq!([ack(&two, 422).await, ack(&one, 200).await], [32, 33].map(|it| json!(it)));
    node.report("DEV-A1", "intensity", 35).await;
    assert_eq!(node.intensity().await.value(), json!(35));
    let next = issue(36).await;
    assert_eq!(ack(&next, 200).await, json!(36));
}

async fn expired_command_is_published_on_the_stream(db: Db) {
    let node = node(db).await;
    let fan = node.property("DEV-A1", "fan").await;
    let command = node.command(&fan, &json!(5)).await;
    node.clock.advance(SignedDuration::from_hours(1));
    let mut events = node.bus.subscribe(event::SUBJECT);
    node.commands.expire(node.clock.now()).await.unwrap();
    node.commands.expire(node.clock.now()).await.unwrap();
    node.report("DEV-A1", "fan", 1).await;
    let published = node.events(&mut events, 2).await;
    assert_eq!(published[0]["metadata"]["event_type"], "datapointack");
    assert_eq!(
        (&published[0]["metadata"]["dsn"], &published[0]["datapoint"]["id"]),
        (&json!("DEV-A1"), &json!(command.id))
    );
    assert_eq!(published[0]["datapoint"].get("acked_at"), None, "no ack was received");
    assert_eq!(published[0]["datapoint"]["expired"], json!(true));
    assert_eq!(published[1]["metadata"]["event_type"], "datapoint", "once");
}

async fn many_commands_are_issued_in_one_transaction(db: Db) {
    let node = node(db).await;
    let (intensity, note) = (node.intensity().await, node.property("DEV-A1", "note").await);
    let other = node.property("DEV-B1", "intensity").await;
    let by = serde_json::Map::from_iter([("by".to_owned(), json!("a test"))]);
    let input = |property, value| CommandInput { property, value, metadata: None };
    let mut inputs = vec![input(&intensity, json!(30)), input(&note, json!("text")), input(&other, json!(31))];
    inputs.push(CommandInput { property: &intensity, value: json!(32), metadata: Some(&by) });
    let mut events = node.bus.subscribe(event::SUBJECT);
    let rows = node.commands.issue("user", &inputs).await.unwrap();
    assert_eq!(
        rows.iter().map(super::datapoints::DatapointRow::value).collect::<Vec<_>>(),
        [json!(30), json!("text"), json!(31), json!(32)]
    );
    assert_eq!((rows[0].metadata(), rows[3].metadata()), (json!({}), json!({ "by": "a test" })));
    let published = node.events(&mut events, 4).await;
    let ids: Vec<_> = published.iter().map(|event| event["datapoint"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids, rows.iter().map(|row| &row.id).collect::<Vec<_>>());
    // The last value of a property counts; both are in the history.
    assert_eq!(node.history("DEV-A1", "intensity").await, [json!(30), json!(32)]);
    let pending = node.link.pending_commands(&node.device("DEV-A1").await).await.unwrap();
    assert_eq!(pending.iter().map(|command| command.id.as_str()).collect::<Vec<_>>(), [&rows[1].id, &rows[3].id]);
    assert!(node.commands.issue("user", &[]).await.unwrap().is_empty());
}

async fn metadata_are_replaced_with_their_value(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let give = async |value: i64, by: &str| {
        let property = node.intensity().await;
        let metadata = json!({ "by": by }).as_object().cloned();
        let input = CommandInput { property: &property, value: json!(value), metadata: metadata.as_ref() };
        node.commands.issue("user", &[input]).await.unwrap().remove(0).id
    };
    let shown = async || {
        let row = node.intensity().await;
        (row.value(), row.metadata())
    };
    assert_eq!(shown().await, (json!(20), json!({})));
    let first = give(30, "first").await;
    assert_eq!(shown().await, (json!(30), json!({ "by": "first" })));
    node.report("DEV-A1", "intensity", 21).await;
    assert_eq!(shown().await, (json!(30), json!({ "by": "first" })), "it is pending");
    node.link.ack(&device, &first, 200, None).await.unwrap();
    assert_eq!(shown().await, (json!(30), json!({ "by": "first" })));
    let refused = give(31, "second").await;
    node.link.ack(&device, &refused, 500, None).await.unwrap();
    assert_eq!(shown().await, (json!(30), json!({ "by": "first" })), "the value that the device reported");
    give(32, "third").await;
    node.commands.expire(node.clock.now() + SignedDuration::from_hours(2)).await.unwrap();
    assert_eq!(shown().await, (json!(30), json!({ "by": "first" })));
    node.report("DEV-A1", "intensity", 22).await;
    assert_eq!(shown().await, (json!(22), json!({})), "a device sets no metadata");
    give(33, "fourth").await;
    let edits = node.edits();
    edits.factory_reset(node.intensity().await.device_id).await.unwrap();
    assert_eq!(shown().await, (Value::Null, json!({})));
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        many_commands_are_issued_in_one_transaction,
        command_is_pending_until_first_ack_or_expiry,
        concurrent_reports_and_commands_end_in_a_consistent_state,
        late_ack_of_an_older_command_leaves_the_newer_value,
        expired_command_is_published_on_the_stream,
        metadata_are_replaced_with_their_value,
    ]
);

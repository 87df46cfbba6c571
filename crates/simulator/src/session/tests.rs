use rumqttc::mqttbytes::v4::ConnAck;
use serde_json::{Value, json};
use tokio::io::{DuplexStream, duplex};
use tokio::task::JoinHandle;

use super::*;
use crate::testing::{FakeCloud, device, scheduled};

type Ended = (Device, Result<End, Error>);

/// Starts a device that signs in and runs until it is stopped. Returns the fake cloud, the task and the stop token.
async fn signed_in(mut device: Device) -> (FakeCloud<DuplexStream>, JoinHandle<Ended>, CancellationToken) {
    let (here, there) = duplex(64 * 1024);
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let running = tokio::spawn(async move {
        let mut session = sign_in(there, &device).await.unwrap();
        let end = session.run(&mut device, &stopped, None).await;
        (device, end)
    });
    let mut cloud = FakeCloud::new(here);
    cloud.accept_connect().await;
    (cloud, running, stop)
}

/// Like [`signed_in`], after the subscription and the first report.
async fn connected() -> (FakeCloud<DuplexStream>, JoinHandle<Ended>, CancellationToken) {
    let (mut cloud, running, stop) = signed_in(device("SL0001")).await;
    cloud.accept_subscriptions().await;
    let report = cloud.report().await;
    assert_eq!((&report["current_state"], &report["intensity"], &report["cycle"]), (&json!(1), &json!(1), &json!(3)));
    (cloud, running, stop)
}

#[tokio::test(start_paused = true)]
async fn command_is_acknowledged_within_a_second_and_then_reported() {
    let (mut cloud, running, stop) = connected().await;
    let sent = Instant::now();
    cloud.command("c1", "intensity", json!(30)).await;
    assert_eq!(cloud.published("ack").await, json!({"id": "c1", "status": 200, "message": 0}));
    assert!(APPLY_DELAY.contains(&sent.elapsed()), "{:?}", sent.elapsed());
    assert_eq!(cloud.report().await, json!({"intensity": 30}));
    stop.cancel();
    cloud.expect_disconnect().await;
    let (device, end) = running.await.unwrap();
    assert_eq!(end.unwrap(), End::Stopped);
    assert_eq!(device.machine.state().intensity, 30);
}

#[tokio::test(start_paused = true)]
async fn invalid_command_gets_422_and_no_report() {
    let (mut cloud, running, stop) = connected().await;
    cloud.command("c1", "intensity", json!(41)).await;
    let refused = json!({"id": "c1", "status": 422, "message": "Intensity must be between 1 and 40"});
    assert_eq!(cloud.published("ack").await, refused);
    stop.cancel();
    cloud.expect_disconnect().await;
    assert_eq!(running.await.unwrap().0.machine.state().intensity, 1);
}

#[tokio::test(start_paused = true)]
async fn commands_are_applied_in_order_and_repeated_ones_once() {
    let (mut cloud, _running, _stop) = connected().await;
    for (id, property, value) in [("c1", "cycle", 1), ("c2", "intensity", 49), ("c1", "cycle", 1), ("c3", "fan", 2)] {
        cloud.command(id, property, json!(value)).await;
    }
    for (id, report) in [("c1", json!({"cycle": 1})), ("c2", json!({"intensity": 49})), ("c3", json!({"fan": 2}))] {
        assert_eq!(cloud.published("ack").await["id"], id);
        assert_eq!(cloud.report().await, report);
    }
}

#[tokio::test(start_paused = true)]
async fn malformed_command_is_ignored() {
    let (mut cloud, _running, _stop) = connected().await;
    cloud.send(Packet::Publish(Publish::new("devices/SL0001/command", QoS::AtMostOnce, "{"))).await;
    cloud.command("c1", "fan", json!(2)).await;
    assert_eq!(cloud.published("ack").await["id"], "c1");
}

#[tokio::test(start_paused = true)]
async fn idle_device_pings_and_disconnects_without_a_response() {
    let (mut cloud, running, _stop) = connected().await;
    let since = Instant::now();
    assert_eq!(cloud.next().await, Packet::PingReq);
    assert!(since.elapsed() < KEEP_ALIVE);
    cloud.send(Packet::PingResp).await;
    assert_eq!(cloud.next().await, Packet::PingReq);
    assert!(matches!(running.await.unwrap().1, Err(Error::NoAnswer)));
}

#[tokio::test(start_paused = true)]
async fn rejected_command_subscription_ends_the_connection() {
    let (mut cloud, running, _stop) = signed_in(device("SL0001")).await;
    cloud.answer_subscribe([SubscribeReasonCode::Failure, SubscribeReasonCode::Success(QoS::AtLeastOnce)]).await;
    assert!(matches!(running.await.unwrap().1, Err(Error::NotSubscribed)));
}

#[tokio::test(start_paused = true)]
async fn rejected_settings_subscription_is_tolerated() {
    let (mut cloud, _running, _stop) = signed_in(scheduled("SL0001")).await;
    cloud.answer_subscribe([SubscribeReasonCode::Success(QoS::AtLeastOnce), SubscribeReasonCode::Failure]).await;
    assert_eq!(cloud.report().await["current_schedule_running"], json!(0));
    assert_eq!(cloud.report().await["current_schedule_running"], json!(1));
}

#[tokio::test(start_paused = true)]
async fn running_frame_is_reported_at_the_minute_of_the_change() {
    let (mut cloud, _running, _stop) = signed_in(scheduled("SL0001")).await;
    cloud.accept_subscriptions().await;
    let since = Instant::now();
    let mut received = Vec::new();
    while received.len() < 4 {
        let report = cloud.report().await;
        if let Some(frame) = report.get("current_schedule_running") {
            received.push((since.elapsed().as_secs() / 60, frame.clone()));
        }
    }
    assert_eq!(received, [(0, 0), (1, 1), (61, 0), (24 * 60 + 1, 1)].map(|(minute, frame)| (minute, json!(frame))));
}

#[tokio::test(start_paused = true)]
async fn cloud_settings_set_time_zone_and_clock() {
    let (mut cloud, running, _stop) = signed_in(scheduled("SL0001")).await;
    cloud.accept_subscriptions().await;
    cloud.report().await;
    // In Paris it is 9:00 or later, and then 30 seconds before 9:00.
    cloud.settings(json!({"time_zone": "Europe/Paris", "time": null})).await;
    assert_eq!(cloud.report().await, json!({"current_schedule_running": 1}));
    cloud.settings(json!({"time_zone": "Mars/Base", "time": "2026-11-23T07:59:30Z"})).await;
    let since = Instant::now();
    assert_eq!(cloud.report().await["current_schedule_running"], json!(0));
    assert_eq!(since.elapsed().as_secs(), 30);
    cloud.send(Packet::Publish(Publish::new("devices/SL0001/settings", QoS::AtMostOnce, "{"))).await;
    cloud.command("c1", "fan", json!(2)).await;
    assert_eq!(cloud.published("ack").await["id"], "c1");
    assert!(!running.is_finished());
}

#[tokio::test(start_paused = true)]
async fn same_commands_at_the_same_times_give_the_same_reports() {
    async fn reports() -> Vec<(Duration, Value, Value)> {
        let (mut cloud, _running, _stop) = connected().await;
        let since = Instant::now();
        let mut received = Vec::new();
        for (id, property, value) in [("c1", "current_state", 3), ("c2", "fan", 4), ("c3", "cartridge_life", 0)] {
            cloud.command(id, property, json!(value)).await;
            let ack = cloud.published("ack").await;
            received.push((since.elapsed(), ack, cloud.report().await));
        }
        received
    }
    assert_eq!(reports().await, reports().await);
}

#[tokio::test(start_paused = true)]
async fn stopped_device_reports_its_life_counters() {
    let (mut cloud, _running, stop) = connected().await;
    assert_eq!(cloud.next().await, Packet::PingReq);
    cloud.send(Packet::PingResp).await;
    assert_eq!(cloud.next().await, Packet::PingReq);
    stop.cancel();
    assert_eq!(cloud.report().await, json!({"appliance_life": 0.01}));
    cloud.expect_disconnect().await;
}

#[tokio::test(start_paused = true)]
async fn rejected_key_and_silent_cloud_give_different_errors() {
    for (answer, expected) in [(Some(ConnectReturnCode::NotAuthorized), "refused"), (None, "no answer")] {
        let (here, there) = duplex(64 * 1024);
        let running = tokio::spawn(async move { sign_in(there, &device("SL0001")).await.err() });
        let mut cloud = FakeCloud::new(here);
        let Packet::Connect(_) = cloud.next().await else { panic!("a device starts with CONNECT") };
        if let Some(code) = answer {
            cloud.send(Packet::ConnAck(ConnAck::new(code, false))).await;
        }
        let error = running.await.unwrap().expect("no session");
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn packet_identifiers_wrap_around_without_zero() {
    let (_here, there) = duplex(64);
    let codec = Codec { max_incoming_size: 1, max_outgoing_size: 1 };
    let mut session = LinkSession {
        link: Framed::new(there, codec),
        last_id: u16::MAX - 1,
        due: VecDeque::new(),
        ping_at: Instant::now(),
        received_since_ping: true,
    };
    assert_eq!([session.next_id(), session.next_id()], [u16::MAX, 1]);
}

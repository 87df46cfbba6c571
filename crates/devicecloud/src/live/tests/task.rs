//! The task over a cloud in memory, with a paused clock.

use std::time::Duration;

use futures::FutureExt;

use super::harness::{Call, Harness, RESPONSE_TIME};
use crate::error::{Error, ErrorKind};
use crate::events::manager_event::{DeviceManagerEvent, DeviceManagerState};
use crate::live::LiveStreamState::{Connected, Connecting, Disconnected, Initialized};
use crate::live::task::RETRY_DELAY;
use crate::live::{LiveStreamEvent, LiveStreamEvents};
use crate::model::{ConnectionStatus, DataSource};
use crate::stream::StreamEvent;

const LONG: Duration = Duration::from_secs(3600);
const LIVE: Call = Call::Source(DataSource::Dss, true);
const NOT_LIVE: Call = Call::Source(DataSource::Cloud, false);

fn subscribed(dsns: &[&str]) -> Call {
    Call::Subscribed(dsns.iter().map(|dsn| (*dsn).to_owned()).collect())
}

fn opened(id: &str) -> Call {
    Call::Opened(id.to_owned())
}

fn gave_up() -> StreamEvent {
    StreamEvent::GaveUp(Error::new(ErrorKind::Server, "rejected key").with_status(401))
}

/// The events that are available now.
fn available(events: &mut LiveStreamEvents) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(Some(event)) = events.next().now_or_never() {
        all.push(match event {
            LiveStreamEvent::State(state) => format!("{state:?}"),
            LiveStreamEvent::ConnectFailed(error) => format!("failed: {error}"),
            LiveStreamEvent::GaveUp(error) => format!("gave up: {error}"),
            LiveStreamEvent::Lagged => "lagged".to_owned(),
        });
    }
    all
}

fn unsubscribed(id: &str) -> Call {
    Call::Unsubscribed(id.to_owned())
}

#[tokio::test(start_paused = true)]
async fn opened_stream_is_connected_and_reloads_the_devices() {
    let mut harness = Harness::new(&["A", "B"], 0);
    harness.becomes(Connecting).await;
    let _stream = harness.connects().await;
    assert_eq!(harness.call(), [subscribed(&["A", "B"]), opened("1"), LIVE, Call::Refreshed]);
}

#[tokio::test(start_paused = true)]
async fn closed_stream_is_disconnected_until_it_reconnects() {
    let (mut harness, stream) = Harness::connected(&["A"]).await;
    stream.send(StreamEvent::Disconnected).await.unwrap();
    harness.becomes(Disconnected).await;
    assert_eq!(harness.call(), [NOT_LIVE]);
    stream.send(StreamEvent::Connected).await.unwrap();
    harness.becomes(Connected).await;
    assert_eq!(harness.call(), [LIVE, Call::Refreshed], "the same key, without a new subscription");
}

#[tokio::test(start_paused = true)]
async fn rejected_key_is_replaced_by_a_new_subscription() {
    let (mut harness, stream) = Harness::connected(&["A"]).await;
    stream.send(StreamEvent::Disconnected).await.unwrap();
    stream.send(gave_up()).await.unwrap();
    let _stream = harness.connects().await;
    harness.passes(LONG).await;
    let call = harness.call();
    assert_eq!(call[..2], [NOT_LIVE, subscribed(&["A"])]);
    assert!(call.contains(&unsubscribed("1")) && call.contains(&opened("2")), "{call:?}");
}

#[tokio::test(start_paused = true)]
async fn always_rejected_keys_do_not_loop() {
    let mut harness = Harness::new(&["A"], 0);
    for _ in 0..2 {
        harness.stream().await.send(gave_up()).await.unwrap();
    }
    harness.passes(LONG).await;
    assert_eq!((harness.manager.state(), harness.subscription_requests().len()), (Disconnected, 2));
}

#[tokio::test(start_paused = true)]
async fn events_are_applied_and_a_gap_reloads_the_devices() {
    let (harness, stream) = Harness::connected(&["A"]).await;
    let event = |dsn: &str| StreamEvent::Connectivity { dsn: dsn.into(), status: ConnectionStatus::Online, at: None };
    for event in [event("A"), StreamEvent::Gap, event("unknown")] {
        stream.send(event).await.unwrap();
    }
    harness.passes(RESPONSE_TIME).await;
    // Unknown devices are tested with the device manager.
    let applied = |dsn: &str| Call::Applied(dsn.to_owned());
    assert_eq!(harness.call(), [applied("A"), Call::Refreshed, applied("unknown")]);
}

#[tokio::test(start_paused = true)]
async fn pause_closes_the_socket_and_disables_retries() {
    let (mut harness, stream) = Harness::connected(&["A"]).await;
    harness.manager.pause();
    harness.becomes(Disconnected).await;
    assert!(stream.is_closed());
    harness.passes(LONG).await;
    assert_eq!(harness.call(), [NOT_LIVE]);

    let failing = Harness::new(&["A"], 1);
    failing.passes(RESPONSE_TIME * 2).await;
    failing.manager.pause();
    failing.passes(LONG).await;
    assert_eq!(failing.call(), [subscribed(&["A"])], "no retry while paused");
}

#[tokio::test(start_paused = true)]
async fn resume_reuses_an_existing_subscription() {
    let (mut harness, _) = Harness::connected(&["A"]).await;
    harness.manager.pause();
    harness.manager.resume();
    let _stream = harness.connects().await;
    assert_eq!(harness.call(), [NOT_LIVE, opened("1"), LIVE, Call::Refreshed]);
}

#[tokio::test(start_paused = true)]
async fn resume_without_subscription_creates_one_if_devices_exist() {
    let mut harness = Harness::with(&["A"], DeviceManagerState::Error);
    harness.becomes(Initialized).await;
    harness.manager.pause();
    harness.manager_is(DeviceManagerState::Ready);
    harness.passes(LONG).await;
    assert_eq!((harness.manager.state(), harness.call()), (Initialized, vec![]));
    harness.manager.resume();
    harness.stream().await;
    assert_eq!(harness.call(), [subscribed(&["A"]), opened("1")]);
}

#[tokio::test(start_paused = true)]
async fn resume_without_devices_waits_for_the_first_device() {
    let mut harness = Harness::new(&[], 0);
    harness.manager.resume();
    harness.passes(LONG).await;
    assert_eq!((harness.manager.state(), harness.call()), (Initialized, vec![]));
    harness.add("A");
    harness.stream().await;
    assert_eq!(harness.call(), [subscribed(&["A"]), opened("1")]);
}

#[tokio::test(start_paused = true)]
async fn pause_or_error_of_the_device_manager_pauses_the_stream() {
    for state in [DeviceManagerState::Paused, DeviceManagerState::Error] {
        let (mut harness, stream) = Harness::connected(&["A"]).await;
        harness.manager_is(state);
        harness.becomes(Disconnected).await;
        assert!(stream.is_closed());
        harness.manager.resume();
        harness.passes(LONG).await;
        assert_eq!(harness.manager.state(), Disconnected, "the application cannot overrule {state:?}");
        harness.manager_is(DeviceManagerState::Ready);
        let _stream = harness.connects().await;
        assert_eq!(harness.call(), [NOT_LIVE, opened("1"), LIVE, Call::Refreshed]);
    }
}

#[tokio::test(start_paused = true)]
async fn device_manager_does_not_resume_a_stream_paused_by_the_application() {
    let (harness, _) = Harness::connected(&["A"]).await;
    harness.manager.pause();
    harness.manager_is(DeviceManagerState::Paused);
    harness.passes(RESPONSE_TIME).await;
    harness.manager_is(DeviceManagerState::Ready);
    harness.passes(LONG).await;
    assert_eq!(harness.call(), [NOT_LIVE]);
}

#[tokio::test(start_paused = true)]
async fn device_added_while_disconnected_resumes_unless_paused() {
    let harness = Harness::new(&["A"], 2);
    harness.passes(LONG).await;
    assert_eq!(harness.manager.state(), Disconnected);
    harness.call();
    harness.manager.pause();
    harness.add("B");
    harness.passes(LONG).await;
    assert_eq!(harness.call(), []);
    harness.manager.resume();
    harness.passes(RESPONSE_TIME / 2).await;
    assert_eq!(harness.call(), [subscribed(&["A", "B"])]);

    let mut harness = Harness::new(&["A"], 2);
    harness.passes(LONG).await;
    harness.call();
    harness.add("B");
    harness.stream().await;
    assert_eq!(harness.call(), [subscribed(&["A", "B"]), opened("1")]);
}

#[tokio::test(start_paused = true)]
async fn device_added_while_connected_replaces_the_subscription() {
    let (mut harness, stream) = Harness::connected(&["A"]).await;
    harness.add("B");
    let _stream = harness.connects().await;
    assert!(stream.is_closed());
    harness.passes(LONG).await;
    let call = harness.call();
    assert_eq!(call[..2], [NOT_LIVE, subscribed(&["A", "B"])]);
    assert!(call.contains(&unsubscribed("1")) && call.ends_with(&[LIVE, Call::Refreshed]), "{call:?}");
}

#[tokio::test(start_paused = true)]
async fn device_added_during_a_request_is_subscribed_afterwards() {
    let mut harness = Harness::new(&["A"], 0);
    harness.passes(RESPONSE_TIME / 2).await;
    harness.add("B");
    harness.stream().await;
    harness.stream().await;
    assert_eq!(harness.call()[..3], [subscribed(&["A"]), opened("1"), subscribed(&["A", "B"])]);
}

#[tokio::test(start_paused = true)]
async fn lagged_device_events_trigger_a_comparison() {
    let (mut harness, _stream) = Harness::connected(&["A"]).await;
    harness.send_event(&DeviceManagerEvent::Lagged);
    harness.passes(RESPONSE_TIME).await;
    assert_eq!(harness.call(), [], "no new device");
    harness.add_device("B");
    harness.send_event(&DeviceManagerEvent::Lagged);
    harness.stream().await;
    assert!(harness.call().contains(&subscribed(&["A", "B"])));
}

#[tokio::test(start_paused = true)]
async fn already_subscribed_device_changes_nothing() {
    let (harness, _stream) = Harness::connected(&["A"]).await;
    harness.send_event(&DeviceManagerEvent::Devices { added: vec!["A".into()], removed: vec![] });
    harness.remove_all();
    harness.passes(LONG).await;
    assert_eq!(harness.call(), []);
}

#[tokio::test(start_paused = true)]
async fn failed_subscription_is_retried_once_after_3_seconds() {
    assert_eq!(RETRY_DELAY.as_millis(), 3000);
    let mut harness = Harness::new(&["A"], 1);
    harness.stream().await;
    assert_eq!(harness.subscription_requests(), [Duration::ZERO, RESPONSE_TIME + RETRY_DELAY]);
}

#[tokio::test(start_paused = true)]
async fn second_subscription_attempt_has_jitter_and_honours_retry_after() {
    for (retry_after, fraction, delay) in [(None, 1.0, 4500), (Some(1), 0.0, 3000), (Some(90), 0.5, 90_750)] {
        let limited = Error::new(ErrorKind::Server, "slow down").with_status(429);
        let limited = limited.with_retry_after(retry_after.map(Duration::from_secs));
        let mut harness = Harness::failing(&["A"], vec![limited], fraction);
        let mut events = harness.manager.events();
        harness.stream().await;
        let expected = RESPONSE_TIME + Duration::from_millis(delay);
        assert_eq!(harness.subscription_requests(), [Duration::ZERO, expected], "{retry_after:?}");
        assert_eq!(available(&mut events), ["Initialized", "Connecting", "failed: slow down"]);
        assert!(harness.manager.gave_up().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn giving_up_differs_from_reconnecting() {
    let (mut harness, stream) = Harness::connected(&["A"]).await;
    let mut events = harness.manager.events();
    let error = Error::new(ErrorKind::Network, "no route");
    for event in [StreamEvent::Disconnected, StreamEvent::ConnectFailed(error)] {
        stream.send(event).await.unwrap();
    }
    harness.passes(RESPONSE_TIME).await;
    assert_eq!(available(&mut events), ["Disconnected", "failed: no route"]);
    assert!(harness.manager.gave_up().is_none(), "the stream reconnects");
    stream.send(gave_up()).await.unwrap();
    for _ in 0..2 {
        harness.stream().await.send(gave_up()).await.unwrap();
    }
    harness.passes(LONG).await;
    let expected =
        ["Connecting", "failed: rejected key", "failed: rejected key", "gave up: rejected key", "Disconnected"];
    assert_eq!(available(&mut events), expected);
    assert_eq!(harness.manager.gave_up().unwrap().status(), Some(401));
    harness.manager.resume();
    harness.becomes(Connecting).await;
    assert!(harness.manager.gave_up().is_none());
    harness.manager.stop();
    harness.ends().await;
    assert_eq!(available(&mut events), ["Connecting", "Disconnected"]);
    assert!(events.next().await.is_none() && harness.manager.events().next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn stream_without_a_result_is_replaced() {
    let (mut harness, stream) = Harness::connected(&["A"]).await;
    let mut events = harness.manager.events();
    drop(stream);
    let _stream = harness.connects().await;
    let failed = "failed: A background task ended unexpectedly";
    assert_eq!(available(&mut events), ["Connecting", failed, "Connected"]);
}

#[tokio::test(start_paused = true)]
async fn two_failed_subscriptions_end_in_disconnected() {
    let mut harness = Harness::new(&["A"], 2);
    harness.becomes(Connecting).await;
    harness.passes(LONG).await;
    assert_eq!(harness.manager.state(), Disconnected);
    assert_eq!(harness.subscription_requests(), [Duration::ZERO, RESPONSE_TIME + RETRY_DELAY], "no third attempt");
    harness.manager.resume();
    harness.stream().await;
}

#[tokio::test(start_paused = true)]
async fn stop_closes_the_stream_and_deletes_the_subscription_without_blocking() {
    let (mut harness, stream) = Harness::connected(&["A"]).await;
    harness.manager.stop();
    harness.ends().await;
    assert_eq!((harness.manager.state(), stream.is_closed()), (Disconnected, true));
    assert_eq!(harness.call(), [NOT_LIVE, unsubscribed("1")]);
    harness.manager.resume();
    harness.add("B");
    harness.passes(LONG).await;
    assert_eq!(harness.call(), []);
}

#[tokio::test(start_paused = true)]
async fn subscription_created_after_stop_is_deleted() {
    let mut harness = Harness::new(&["A"], 0);
    harness.passes(RESPONSE_TIME / 2).await;
    harness.manager.stop();
    harness.ends().await;
    assert_eq!(harness.call(), [subscribed(&["A"]), unsubscribed("1")]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_handle_stops_the_stream() {
    let (harness, stream) = Harness::connected(&["A"]).await;
    let Harness { manager, .. } = harness;
    let clone = manager.clone();
    drop(manager);
    assert_eq!(clone.state(), Connected);
    drop(clone);
    stream.closed().await;
}

//! The task over a cloud in memory, with a paused clock.

use std::time::Duration;

use super::world::{Did, RESPONSE_TIME, World};
use crate::live::LiveStreamState::{Connected, Connecting, Disconnected, Initialized};
use crate::live::task::RETRY_DELAY;
use crate::manager_event::{DeviceManagerEvent, DeviceManagerState};
use crate::model::{ConnectionStatus, DataSource};
use crate::stream::StreamEvent;

const LONG: Duration = Duration::from_secs(3600);
const LIVE: Did = Did::Source(DataSource::Dss, true);
const NOT_LIVE: Did = Did::Source(DataSource::Cloud, false);

fn subscribed(dsns: &[&str]) -> Did {
    Did::Subscribed(dsns.iter().map(|dsn| (*dsn).to_owned()).collect())
}

fn opened(id: &str) -> Did {
    Did::Opened(id.to_owned())
}

fn unsubscribed(id: &str) -> Did {
    Did::Unsubscribed(id.to_owned())
}

#[tokio::test(start_paused = true)]
async fn opened_stream_is_connected_and_reloads_the_devices() {
    let mut world = World::new(&["A", "B"], &[]);
    world.becomes(Connecting).await;
    let _stream = world.connects().await;
    assert_eq!(world.did(), [subscribed(&["A", "B"]), opened("1"), LIVE, Did::Refreshed]);
}

#[tokio::test(start_paused = true)]
async fn closed_stream_is_disconnected_until_it_reconnects() {
    let (mut world, stream) = World::connected(&["A"]).await;
    stream.send(StreamEvent::Disconnected).await.unwrap();
    world.becomes(Disconnected).await;
    assert_eq!(world.did(), [NOT_LIVE]);
    stream.send(StreamEvent::Connected).await.unwrap();
    world.becomes(Connected).await;
    assert_eq!(world.did(), [LIVE, Did::Refreshed], "the same key: nothing was subscribed to");
}

#[tokio::test(start_paused = true)]
async fn rejected_key_is_replaced_by_a_new_subscription() {
    let (mut world, stream) = World::connected(&["A"]).await;
    stream.send(StreamEvent::Disconnected).await.unwrap();
    stream.send(StreamEvent::Refused).await.unwrap();
    let _stream = world.connects().await;
    world.passes(LONG).await;
    let did = world.did();
    assert_eq!(did[..2], [NOT_LIVE, subscribed(&["A"])]);
    assert!(did.contains(&unsubscribed("1")) && did.contains(&opened("2")), "{did:?}");
}

#[tokio::test(start_paused = true)]
async fn always_rejected_keys_do_not_loop() {
    let mut world = World::new(&["A"], &[]);
    for _ in 0..2 {
        world.stream().await.send(StreamEvent::Refused).await.unwrap();
    }
    world.passes(LONG).await;
    assert_eq!((world.manager.state(), world.subscription_requests().len()), (Disconnected, 2));
}

#[tokio::test(start_paused = true)]
async fn events_are_applied_and_a_gap_reloads_the_devices() {
    let (world, stream) = World::connected(&["A"]).await;
    let event = |dsn: &str| StreamEvent::Connectivity { dsn: dsn.into(), status: ConnectionStatus::Online, at: None };
    for event in [event("A"), StreamEvent::Gap, event("unknown")] {
        stream.send(event).await.unwrap();
    }
    world.passes(RESPONSE_TIME).await;
    // Unknown devices are tested with the device manager.
    let applied = |dsn| Did::Applied(Box::new(event(dsn)));
    assert_eq!(world.did(), [applied("A"), Did::Refreshed, applied("unknown")]);
}

#[tokio::test(start_paused = true)]
async fn pause_closes_the_socket_and_disables_retries() {
    let (mut world, stream) = World::connected(&["A"]).await;
    world.manager.pause();
    world.becomes(Disconnected).await;
    assert!(stream.is_closed());
    world.passes(LONG).await;
    assert_eq!(world.did(), [NOT_LIVE]);

    let failing = World::new(&["A"], &[true]);
    failing.passes(RESPONSE_TIME * 2).await;
    failing.manager.pause();
    failing.passes(LONG).await;
    assert_eq!(failing.did(), [subscribed(&["A"])], "no second request");
}

#[tokio::test(start_paused = true)]
async fn resume_reuses_an_existing_subscription() {
    let (mut world, _) = World::connected(&["A"]).await;
    world.manager.pause();
    world.manager.resume();
    let _stream = world.connects().await;
    assert_eq!(world.did(), [NOT_LIVE, opened("1"), LIVE, Did::Refreshed]);
}

#[tokio::test(start_paused = true)]
async fn resume_without_subscription_creates_one_if_devices_exist() {
    let mut world = World::with(&["A"], &[], DeviceManagerState::Error);
    world.becomes(Initialized).await;
    world.manager.pause();
    world.manager_is(DeviceManagerState::Ready);
    world.passes(LONG).await;
    assert_eq!((world.manager.state(), world.did()), (Initialized, vec![]));
    world.manager.resume();
    world.stream().await;
    assert_eq!(world.did(), [subscribed(&["A"]), opened("1")]);
}

#[tokio::test(start_paused = true)]
async fn resume_without_devices_waits_for_the_first_device() {
    let mut world = World::new(&[], &[]);
    world.manager.resume();
    world.passes(LONG).await;
    assert_eq!((world.manager.state(), world.did()), (Initialized, vec![]));
    world.add("A");
    world.stream().await;
    assert_eq!(world.did(), [subscribed(&["A"]), opened("1")]);
}

#[tokio::test(start_paused = true)]
async fn pause_or_error_of_the_device_manager_pauses_the_stream() {
    for state in [DeviceManagerState::Paused, DeviceManagerState::Error] {
        let (mut world, stream) = World::connected(&["A"]).await;
        world.manager_is(state);
        world.becomes(Disconnected).await;
        assert!(stream.is_closed());
        world.manager.resume();
        world.passes(LONG).await;
        assert_eq!(world.manager.state(), Disconnected, "the owner cannot overrule {state:?}");
        world.manager_is(DeviceManagerState::Ready);
        let _stream = world.connects().await;
        assert_eq!(world.did(), [NOT_LIVE, opened("1"), LIVE, Did::Refreshed]);
    }
}

#[tokio::test(start_paused = true)]
async fn device_manager_does_not_resume_a_stream_paused_by_the_application() {
    let (world, _) = World::connected(&["A"]).await;
    world.manager.pause();
    world.manager_is(DeviceManagerState::Paused);
    world.passes(RESPONSE_TIME).await;
    world.manager_is(DeviceManagerState::Ready);
    world.passes(LONG).await;
    assert_eq!(world.did(), [NOT_LIVE]);
}

#[tokio::test(start_paused = true)]
async fn device_added_while_disconnected_resumes_unless_paused() {
    let world = World::new(&["A"], &[true, true]);
    world.passes(LONG).await;
    assert_eq!(world.manager.state(), Disconnected);
    world.did();
    world.manager.pause();
    world.add("B");
    world.passes(LONG).await;
    assert_eq!(world.did(), []);
    world.manager.resume();
    world.passes(RESPONSE_TIME / 2).await;
    assert_eq!(world.did(), [subscribed(&["A", "B"])]);

    let mut world = World::new(&["A"], &[true, true]);
    world.passes(LONG).await;
    world.did();
    world.add("B");
    world.stream().await;
    assert_eq!(world.did(), [subscribed(&["A", "B"]), opened("1")]);
}

#[tokio::test(start_paused = true)]
async fn device_added_while_connected_replaces_the_subscription() {
    let (mut world, stream) = World::connected(&["A"]).await;
    world.add("B");
    let _stream = world.connects().await;
    assert!(stream.is_closed());
    world.passes(LONG).await;
    let did = world.did();
    assert_eq!(did[..2], [NOT_LIVE, subscribed(&["A", "B"])]);
    assert!(did.contains(&unsubscribed("1")) && did.ends_with(&[LIVE, Did::Refreshed]), "{did:?}");
}

#[tokio::test(start_paused = true)]
async fn device_added_during_a_request_is_subscribed_afterwards() {
    let mut world = World::new(&["A"], &[]);
    world.passes(RESPONSE_TIME / 2).await;
    world.add("B");
    world.stream().await;
    world.stream().await;
    assert_eq!(world.did()[..3], [subscribed(&["A"]), opened("1"), subscribed(&["A", "B"])]);
}

#[tokio::test(start_paused = true)]
async fn lagged_device_events_trigger_a_comparison() {
    let (mut world, _stream) = World::connected(&["A"]).await;
    world.send_event(DeviceManagerEvent::Lagged);
    world.passes(RESPONSE_TIME).await;
    assert_eq!(world.did(), [], "nothing is new");
    world.add_device("B");
    world.send_event(DeviceManagerEvent::Lagged);
    world.stream().await;
    assert!(world.did().contains(&subscribed(&["A", "B"])));
}

#[tokio::test(start_paused = true)]
async fn already_subscribed_device_changes_nothing() {
    let (world, _stream) = World::connected(&["A"]).await;
    world.send_event(DeviceManagerEvent::Devices { added: vec!["A".into()], removed: vec![] });
    world.remove_all();
    world.passes(LONG).await;
    assert_eq!(world.did(), []);
}

#[tokio::test(start_paused = true)]
async fn failed_subscription_is_retried_once_after_3_seconds() {
    assert_eq!(RETRY_DELAY.as_millis(), 3000);
    let mut world = World::new(&["A"], &[true]);
    world.stream().await;
    assert_eq!(world.subscription_requests(), [Duration::ZERO, RESPONSE_TIME + RETRY_DELAY]);
}

#[tokio::test(start_paused = true)]
async fn two_failed_subscriptions_end_in_disconnected() {
    let mut world = World::new(&["A"], &[true, true]);
    world.becomes(Connecting).await;
    world.passes(LONG).await;
    assert_eq!(world.manager.state(), Disconnected);
    assert_eq!(world.subscription_requests(), [Duration::ZERO, RESPONSE_TIME + RETRY_DELAY], "it has given up");
    world.manager.resume();
    world.stream().await;
}

#[tokio::test(start_paused = true)]
async fn stop_closes_the_stream_and_deletes_the_subscription_without_blocking() {
    let (mut world, stream) = World::connected(&["A"]).await;
    world.manager.stop();
    world.ends().await;
    assert_eq!((world.manager.state(), stream.is_closed()), (Disconnected, true));
    assert_eq!(world.did(), [NOT_LIVE, unsubscribed("1")]);
    world.manager.resume();
    world.add("B");
    world.passes(LONG).await;
    assert_eq!(world.did(), []);
}

#[tokio::test(start_paused = true)]
async fn subscription_created_after_stop_is_deleted() {
    let mut world = World::new(&["A"], &[]);
    world.passes(RESPONSE_TIME / 2).await;
    world.manager.stop();
    world.ends().await;
    assert_eq!(world.did(), [subscribed(&["A"]), unsubscribed("1")]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_handle_stops_the_stream() {
    let (world, stream) = World::connected(&["A"]).await;
    let World { manager, .. } = world;
    let clone = manager.clone();
    drop(manager);
    assert_eq!(clone.state(), Connected);
    drop(clone);
    stream.closed().await;
}

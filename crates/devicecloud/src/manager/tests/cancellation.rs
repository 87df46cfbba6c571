//! Cancel safety: futures are dropped at each of their await points.

use std::pin::pin;
use std::task::Poll;

use futures::poll;

use super::*;
use crate::session::TokenStore;

/// Polls a future up to `polls` times, a second apart, then drops it. Returns its output if it completed.
async fn dropped_after<T>(polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..polls {
        if let Poll::Ready(output) = poll!(&mut future) {
            return Some(output);
        }
        tokio::time::sleep(SECOND).await;
    }
    None
}

/// Runs a new future from `call` for 0 polls, 1 poll and so on, until it completes, with a `check` after each run.
async fn at_every_point<T, F: Future<Output = T>, C: Future<Output = ()>>(
    mut call: impl FnMut() -> F,
    mut check: impl FnMut(usize) -> C,
) {
    for polls in 0.. {
        let done = dropped_after(polls, call()).await.is_some();
        check(polls).await;
        if done {
            assert!(polls > 1, "it waited at least once");
            return;
        }
    }
}

/// Every request takes two seconds.
fn slow(cloud: &TestCloud) {
    let answers = [
        ("devices/40.json", 200, json!({})),
        ("locations.json", 201, json!({})),
        ("factory_reset", 200, json!({})),
        ("role_labels", 200, json!([])),
        ("notifications/all", 200, json!([])),
        ("data.json", 200, json!([])),
        ("A/properties.json", 200, json!([{"property": {"name": "intensity", "key": 7, "value": 2}}])),
        ("A/properties/intensity/datapoints", 201, json!({"datapoint": {"id": "d", "value": 30}})),
        ("properties/7/datapoints", 201, json!({"datapoint": {"id": "d", "value": 30}})),
        ("datapoints/d.json", 200, json!({"datapoint": {"id": "d", "value": 30, "acked_at": NOW}})),
        ("refresh_token", 200, tokens("refreshed")),
        ("sign_out", 200, json!({})),
    ];
    for (part, status, body) in answers {
        cloud.reply_with(part, Reply::Slow(2 * SECOND, status, body));
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_device_call_does_not_harm_the_manager() {
    for call in 0..9 {
        let cloud = TestCloud::with(&["A"]);
        let intensity = json!({"name": "intensity", "key": 7, "value": 1, "ack_enabled": true});
        cloud.state().devices.get_mut("A").unwrap().1.insert("intensity".into(), intensity);
        let manager = cloud.ready().await;
        let device = manager.device("A").unwrap();
        slow(&cloud);
        let run = || {
            let device = device.clone();
            async move {
                match call {
                    0 => device.rename("Lobby").await,
                    1 => device.update_location(1.0, 2.0).await,
                    2 => device.factory_reset().await,
                    3 => device.fetch_role_labels().await.map(drop),
                    4 => device.fetch_datums().await.map(drop),
                    5 => device.fetch_properties(&[]).await.map(drop),
                    6 => device.fetch_notifications().await.map(drop),
                    7 => device.update_property("intensity", 30).await.map(drop),
                    _ => device.property("intensity").unwrap().create_datapoint(30).send().await.map(drop),
                }
            }
        };
        at_every_point(run, |polls| {
            let (manager, device) = (manager.clone(), device.clone());
            async move {
                tokio::time::sleep(20 * SECOND).await;
                assert_eq!(manager.state(), DeviceManagerState::Ready, "call {call} dropped after {polls}");
                assert!(device.is_polling(), "call {call} dropped after {polls}");
                assert!(device.snapshot().dsn.as_str() == "A" && device.properties().len() == 1);
            }
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_wait_for_ready_or_event_loses_nothing() {
    let cloud = TestCloud::with(&["A"]);
    cloud.reply_with(LIST, Reply::Slow(3 * SECOND, 200, json!([{"device": device("A")}])));
    let manager = DeviceManager::new(&cloud.client);
    let mut events = manager.events();
    manager.start(true);
    assert!(dropped_after(2, manager.ready()).await.is_none());
    assert!(matches!(next(&mut events).await, DeviceManagerEvent::State(_)));
    assert!(dropped_after(1, events.next()).await.is_none());
    manager.ready().await.unwrap();
    assert!(matches!(next(&mut events).await, DeviceManagerEvent::Devices { .. }));
}

#[tokio::test(start_paused = true)]
async fn dropped_resume_stays_paused_or_completes() {
    for polls in 0..6 {
        let cloud = TestCloud::with(&["A"]);
        let session = SessionManager::resume_stored(&cloud.client).await.unwrap();
        session.device_manager().ready().await.unwrap();
        session.pause();
        cloud.clock.advance(Duration::from_secs(50_000));
        slow(&cloud);
        let _ = dropped_after(polls, session.resume()).await;
        tokio::time::sleep(10 * SECOND).await;
        let expected = if polls == 0 { SessionManagerState::Paused } else { SessionManagerState::Active };
        assert_eq!(session.state(), expected, "dropped after {polls}");
        assert_eq!(session.device_manager().state() == DeviceManagerState::Paused, polls == 0);
        session.resume().await.unwrap();
        assert_eq!(session.state(), SessionManagerState::Active);
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_refresh_and_shut_down_complete() {
    for polls in 1..5 {
        let cloud = TestCloud::with(&["A"]);
        let session = SessionManager::resume_stored(&cloud.client).await.unwrap();
        session.device_manager().ready().await.unwrap();
        slow(&cloud);
        let _ = dropped_after(polls, session.refresh()).await;
        tokio::time::sleep(10 * SECOND).await;
        let stored = cloud.store.load().await.unwrap().unwrap();
        assert_eq!(stored.access_token.expose(), "refreshed", "dropped after {polls}");
        let _ = dropped_after(polls, session.shut_down()).await;
        tokio::time::sleep(10 * SECOND).await;
        assert!(cloud.store.load().await.unwrap().is_none(), "dropped after {polls}");
        assert_eq!((session.state(), cloud.count("sign_out")), (SessionManagerState::Closed, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_sign_in_leaves_no_tokens_or_usable_ones() {
    for polls in 0..4 {
        let cloud = TestCloud::with(&["A"]);
        cloud.client.sign_out().await.unwrap();
        cloud.reply_with("sign_in", Reply::Slow(2 * SECOND, 200, tokens("signed-in")));
        let email = "jo@example.com";
        let session = dropped_after(polls, SessionManager::sign_in(&cloud.client, email, &"secret".into())).await;
        drop(session);
        tokio::time::sleep(10 * SECOND).await;
        let stored = cloud.store.load().await.unwrap();
        assert_eq!(
            SessionManager::resume_stored(&cloud.client).await.is_ok(),
            stored.is_some(),
            "dropped after {polls}"
        );
        assert_eq!(stored.is_some(), polls == 3);
    }
}

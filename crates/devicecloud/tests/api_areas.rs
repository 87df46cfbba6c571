//! One call of every area of the public API. Without a session each call fails before sending.
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

use std::sync::Arc;

use devicecloud::{
    Client, Config, ErrorKind, LiveStreamManager, MemoryTokenStore, RuleType, StreamHandle, Subscription,
};

/// There is no cloud, so every request would fail with a network error.
fn client() -> Client {
    let config = Config::local("http://127.0.0.1:1", "app", "app-secret").unwrap();
    Client::new(config, Arc::new(MemoryTokenStore::new())).unwrap()
}

#[tokio::test]
async fn library_has_calls_for_every_area() {
    let client = client();
    let sign_in = client.sign_in("jo@example.com", &"Correct-Horse-1".into()).await;
    assert_eq!(sign_in.unwrap_err().kind(), ErrorKind::Network);

    let calls = [
        ("users", client.users().profile().await.err()),
        ("devices", client.devices().list().send().await.err()),
        ("user data", client.user_data().list().send().await.err()),
        ("contacts", client.contacts().list().await.err()),
        ("shares", client.shares().owned().await.err()),
        ("roles", client.roles().role_users("jo@example.com").await.err()),
        ("properties", client.properties().list("AC1").send().await.err()),
        ("datapoints", client.datapoints().create("AC1", "intensity", 30).send().await.err()),
        ("schedules", client.schedules().list("7").await.err()),
        ("notifications", client.notifications().list("7").await.err()),
        ("triggers", client.triggers().list("7").await.err()),
        ("rules", client.rules().list().rule_type(RuleType::Device).id("AC1").send().await.err()),
        ("live data", client.subscriptions().list().await.err()),
    ];
    for (area, error) in calls {
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::Precondition), "{area}");
    }
    // Live data: the stream of one subscription, and that of a session's devices.
    let _: fn(&Client, &Subscription) -> StreamHandle = Client::stream;
    let _ = size_of::<LiveStreamManager>();
}

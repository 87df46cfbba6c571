//! When tokens are refreshed, and the meaning of failures.

use super::*;

#[tokio::test(start_paused = true)]
async fn concurrent_callers_share_one_refresh() {
    let script =
        cloud(|| Reply::Slow(SECOND, 200, json!({"access_token": "new", "refresh_token": "r", "expires_in": 86400})));
    let store = MemoryTokenStore::with(authorization("old", 86_400));
    let (session, _) = session(&script, store.clone());
    let results = join_all((0..100).map(|_| call(&session))).await;
    assert!(results.iter().all(std::result::Result::is_ok));
    assert_eq!(script.count("refresh_token.json"), 1);
    assert_eq!(stored(&store).await.as_deref(), Some("new"));
}

#[tokio::test(start_paused = true)]
async fn concurrent_callers_share_a_failed_refresh() {
    let script = cloud(|| Reply::Cut);
    let store = MemoryTokenStore::with(authorization("old", 86_400));
    let (session, _) = session(&script, store.clone());
    let results = join_all((0..100).map(|_| call(&session))).await;
    for result in results {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Network, "Fail to refresh token"));
    }
    assert_eq!(script.count("refresh_token.json"), 1);
    assert_eq!(stored(&store).await.as_deref(), Some("old"), "a network failure does not sign the user out");
    assert_eq!(session.publisher.state(), SessionState::Unknown);
}

#[tokio::test(start_paused = true)]
async fn refresh_sends_the_old_token_once() {
    let script = cloud(|| Reply::Status(503, json!({})));
    let (session, _) = session(&script, MemoryTokenStore::with(authorization("old", 86_400)));
    let error = session.refresh_now().await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(503)));
    let [seen] = script.seen().try_into().unwrap();
    assert_eq!(seen.token.as_deref(), Some("auth_token old"));
    assert_eq!(seen.body, json!({"user": {"refresh_token": "refresh-old"}}));
}

#[tokio::test(start_paused = true)]
async fn explicit_denial_ends_the_session() {
    for status in [401, 422] {
        let script = cloud(move || Reply::Status(status, json!({"error": "Your refresh token is invalid"})));
        let store = MemoryTokenStore::with(authorization("old", 86_400));
        let (session, _) = session(&script, store.clone());
        let mut events = session.publisher.subscribe();
        let error = call(&session).await.unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Auth, "Your refresh token is invalid"));
        assert_eq!(stored(&store).await, None);
        assert_eq!(events.next().await, Some(SessionEvent::Closed));
        assert_eq!(session.publisher.state(), SessionState::Closed);
        let error = call(&session).await.unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No session is active"));
    }
}

#[tokio::test(start_paused = true)]
async fn other_failures_keep_the_session() {
    for reply in [
        Reply::Status(403, json!({})),
        Reply::Status(429, json!({})),
        Reply::Status(500, json!({})),
        Reply::Status(200, json!({})),
    ] {
        let script = cloud(move || reply.clone());
        let store = MemoryTokenStore::with(authorization("old", 86_400));
        let (session, _) = session(&script, store.clone());
        call(&session).await.unwrap_err();
        assert_eq!(stored(&store).await.as_deref(), Some("old"));
    }
}

#[tokio::test(start_paused = true)]
async fn token_refreshed_elsewhere_is_used_without_the_lock() {
    let script = cloud(|| tokens("unwanted"));
    let store = MemoryTokenStore::with(authorization("new", 86_400));
    let (session, _) = session(&script, store.clone());
    let _held = store.lock().await.unwrap();
    let renewed = session.refresh(&"old".into()).await.unwrap();
    assert_eq!(renewed.access_token.expose(), "new");
    assert_eq!(script.count("refresh_token.json"), 0);
}

#[tokio::test(start_paused = true)]
async fn rejection_after_a_refresh_is_returned() {
    let script = cloud(|| tokens("also-old"));
    let store = MemoryTokenStore::with(authorization("old", 86_400));
    let (session, _) = session(&script, store);
    let error = call(&session).await.unwrap_err();
    assert_eq!((error.kind(), error.status(), error.message()), (ErrorKind::Server, Some(401), "expired"));
    assert_eq!(script.seen().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn expiring_token_is_refreshed_before_the_call() {
    let script = cloud(|| tokens("new"));
    let (session, clock) = session(&script, MemoryTokenStore::with(authorization("old", 86_400)));
    clock.advance(Duration::from_secs(86_400 - 30));
    call(&session).await.unwrap();
    let urls: Vec<_> = script.seen().into_iter().map(|seen| seen.url).collect();
    assert_eq!(
        urls,
        ["https://cloud.test/user/users/refresh_token.json", "https://cloud.test/device/apiv1/devices.json"]
    );
}

#[tokio::test(start_paused = true)]
async fn expiring_token_is_used_if_the_refresh_fails() {
    let script = ScriptedTransport::from_fn(|seen, _| {
        if seen.url.ends_with("refresh_token.json") { Reply::Cut } else { Reply::Status(200, json!({})) }
    });
    let (session, clock) = session(&script, MemoryTokenStore::with(authorization("old", 86_400)));
    clock.advance(Duration::from_secs(86_400 - 30));
    call(&session).await.unwrap();
    clock.advance(Duration::from_secs(30));
    assert_eq!(call(&session).await.unwrap_err().kind(), ErrorKind::Network);
}

#[tokio::test(start_paused = true)]
async fn incomplete_tokens_are_not_sent() {
    let whole = authorization("old", 86_400);
    let without_access = Authorization { access_token: "".into(), ..whole.clone() };
    for incomplete in [without_access, Authorization { refresh_token: " ".into(), ..whole }] {
        let script = cloud(|| tokens("new"));
        let (session, _) = session(&script, MemoryTokenStore::with(incomplete));
        let error = session.refresh_now().await.unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, "Invalid authorization object"));
        assert!(script.seen().is_empty());
    }
}

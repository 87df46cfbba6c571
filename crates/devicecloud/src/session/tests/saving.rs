//! Tokens are saved before anything else happens, even if callers are dropped.

use super::*;

#[tokio::test(start_paused = true)]
async fn unsaved_tokens_of_a_sign_in_do_not_undo_it() {
    let store = SlowStore::with(authorization("old", 86_400));
    store.broken.store(true, Ordering::SeqCst);
    let (session, _) = session(&ScriptedTransport::new([tokens("new")]), store.clone());
    let error = session.sign_in("jo@example.com", &"secret".into()).await.unwrap_err();
    assert_eq!((error.message(), error.outcome(), error.is_retryable()), ("disk full", Outcome::Done, false));
}

#[tokio::test(start_paused = true)]
async fn broken_store_does_not_undo_a_sign_out_or_a_deletion() {
    let store = SlowStore::with(authorization("new", 86_400));
    store.broken.store(true, Ordering::SeqCst);
    let delete = || Request::new(Method::DELETE, Service::User, "users.json", &[]).unwrap();
    for (reply, outcome) in [(Reply::Status(200, json!({})), Outcome::Done), (Reply::Cut, Outcome::Unknown)] {
        let (session, _) = session(&ScriptedTransport::new([reply]), store.clone());
        assert_eq!(session.sign_out().await.unwrap_err().outcome(), outcome);
        let deleted = session.call_and_close(messages::NO_SESSION_ACTIVE, delete()).await;
        assert_eq!(deleted.unwrap_err().outcome(), outcome);
    }
}

#[tokio::test(start_paused = true)]
async fn call_that_waits_for_unsaved_tokens_was_not_sent() {
    let store = SlowStore::with(authorization("old", 86_400));
    store.broken.store(true, Ordering::SeqCst);
    let (session, _) = session(&cloud(|| tokens("new")), store);
    let post = Request::new(Method::POST, Service::Device, "apiv1/devices.json", &[]);
    let error = session.call(messages::NO_SESSION_ACTIVE, post).await.unwrap_err();
    assert_eq!((error.message(), error.outcome()), ("disk full", Outcome::NotSent));
}

#[tokio::test(start_paused = true)]
async fn refresh_waits_for_the_lock_of_another_process() {
    let script = cloud(|| tokens("unwanted"));
    let store = MemoryTokenStore::with(authorization("old", 86_400));
    let (session, _) = session(&script, store.clone());
    let elsewhere = store.lock().await.unwrap();
    let waiting = tokio::spawn(async move { call(&session).await.map(drop) });
    tokio::time::sleep(SECOND).await;
    assert_eq!(script.count("refresh_token.json"), 0);
    elsewhere.save(Some(&authorization("new", 86_400))).await.unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(script.count("refresh_token.json"), 0);
}

#[tokio::test(start_paused = true)]
async fn dropped_callers_lose_no_tokens() {
    for half_seconds in 0..12 {
        let script = cloud(|| {
            Reply::Slow(SECOND, 200, json!({"access_token": "new", "refresh_token": "r", "expires_in": 86400}))
        });
        let store = SlowStore::with(authorization("old", 86_400));
        let (session, _) = session(&script, store.clone());
        let _ = tokio::time::timeout(SECOND / 2 * half_seconds, call(&session)).await;
        tokio::time::sleep(10 * SECOND).await;
        call(&session).await.unwrap();
        assert_eq!(stored(&store).await.as_deref(), Some("new"), "dropped after {half_seconds}/2 s");
        assert_eq!(script.count("refresh_token.json"), 1, "dropped after {half_seconds}/2 s");
    }
}

#[tokio::test(start_paused = true)]
async fn tokens_are_saved_before_the_event() {
    let script = cloud(|| tokens("new"));
    let store = SlowStore::with(authorization("old", 86_400));
    let (session, _) = session(&script, store.clone());
    let mut events = session.publisher.subscribe();
    let refreshing = tokio::spawn({
        let session = Arc::clone(&session);
        async move { session.refresh_now().await.map(drop) }
    });
    assert_eq!(events.next().await, Some(SessionEvent::Refreshed));
    assert_eq!(stored(&store).await.as_deref(), Some("new"));
    refreshing.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn unsaved_tokens_send_no_event() {
    let script = cloud(|| tokens("new"));
    let store = SlowStore::with(authorization("old", 86_400));
    store.broken.store(true, Ordering::SeqCst);
    let (session, _) = session(&script, store.clone());
    let error = session.refresh_now().await.unwrap_err();
    assert_eq!((error.kind(), error.message(), error.outcome()), (ErrorKind::Internal, "disk full", Outcome::Done));
    assert_eq!(session.publisher.state(), SessionState::Unknown);
    assert_eq!(stored(&store).await.as_deref(), Some("old"));
}

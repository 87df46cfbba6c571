//! Tokens are saved before anything else happens, even if callers are dropped.

use super::*;

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
    assert_eq!((error.kind(), error.message()), (ErrorKind::Internal, "disk full"));
    assert_eq!(session.publisher.state(), SessionState::Unknown);
    assert_eq!(stored(&store).await.as_deref(), Some("old"));
}

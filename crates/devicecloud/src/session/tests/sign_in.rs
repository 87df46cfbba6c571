//! Signing in and out.

use super::*;

#[tokio::test(start_paused = true)]
async fn dropped_sign_out_completes() {
    let script = ScriptedTransport::new([Reply::Status(200, json!({"logout": true}))]);
    let store = SlowStore::with(authorization("old", 86_400));
    let (session, _) = session(&script, store.clone());
    let _ = tokio::time::timeout(SECOND / 2, session.sign_out()).await;
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!(stored(&store).await, None);
    assert_eq!(script.count("sign_out.json"), 1);
}

#[tokio::test(start_paused = true)]
async fn sign_in_saves_the_tokens() {
    let script = ScriptedTransport::new([Reply::Status(
        200,
        json!({"access_token": "a", "refresh_token": "r", "expires_in": 60,
        "role": "EndUser", "role_tags": [{"namespace": "EndUser", "key": "k", "value": "v"}]}),
    )]);
    let store = MemoryTokenStore::new();
    let (session, _) = session(&script, store.clone());
    let sign_in = session.sign_in("jo@example.com", &"secret".into()).await.unwrap();
    assert_eq!(sign_in.role.as_deref(), Some("EndUser"));
    assert_eq!(sign_in.role_tags[0].value, "v");
    assert_eq!(stored(&store).await.as_deref(), Some("a"));
    assert_eq!(session.publisher.state(), SessionState::Active);
}

#[tokio::test(start_paused = true)]
async fn sign_in_needs_both_arguments() {
    let script = ScriptedTransport::new([Reply::Status(200, json!({}))]);
    let (session, _) = session(&script, MemoryTokenStore::new());
    for (email, password, message) in
        [("", "p", "Email is required"), (" ", "p", "Email is required"), ("e", "", "Password is required")]
    {
        let error = session.sign_in(email, &password.into()).await.unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, message));
    }
    assert!(script.seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn sign_in_failures_have_distinct_kinds() {
    let table = [
        (
            Reply::Status(401, json!({"error": "Invalid email or password"})),
            ErrorKind::Auth,
            "Invalid email or password",
        ),
        (
            Reply::Status(404, json!({"error": "Could not find application"})),
            ErrorKind::Auth,
            "Could not find application",
        ),
        (Reply::Status(429, json!({})), ErrorKind::Server, "Too Many Requests"),
        (Reply::Status(500, json!({"error": "broken"})), ErrorKind::Server, "broken"),
        (Reply::Status(200, json!({"ok": true})), ErrorKind::Json, "The response contains no tokens"),
        (Reply::Cut, ErrorKind::Network, "connection reset"),
    ];
    for (reply, kind, message) in table {
        let store = MemoryTokenStore::with(authorization("before", 60));
        let (session, _) = session(&ScriptedTransport::new([reply]), store.clone());
        let error = session.sign_in("jo@example.com", &"s3cret".into()).await.unwrap_err();
        let debug = format!("{error:?}");
        assert_eq!(error.kind(), kind, "{debug}");
        assert!(error.message().contains(message), "{debug}");
        assert!(!debug.contains("jo@example.com") && !debug.contains("s3cret"), "{debug}");
        assert_eq!(stored(&store).await.as_deref(), Some("before"));
    }
}

#[tokio::test(start_paused = true)]
async fn sign_out_clears_the_store_even_on_failure() {
    let table = [
        (Reply::Status(200, json!({"logout": true})), None),
        (Reply::Status(401, json!({"error": "broken"})), Some((ErrorKind::Auth, "Unauthorized"))),
        (Reply::Status(500, json!({})), Some((ErrorKind::Auth, "Internal Server Error"))),
        (Reply::Cut, Some((ErrorKind::Network, "connection reset"))),
    ];
    for (reply, expected) in table {
        let store = MemoryTokenStore::with(authorization("old", 86_400));
        let (session, _) = session(&ScriptedTransport::new([reply]), store.clone());
        let result = session.sign_out().await;
        assert_eq!(result.as_ref().err().map(|error| (error.kind(), error.message())), expected);
        assert_eq!(stored(&store).await, None);
        assert_eq!(session.publisher.state(), SessionState::Closed);
    }
}

#[tokio::test(start_paused = true)]
async fn second_sign_out_succeeds() {
    let script = ScriptedTransport::new([Reply::Status(200, json!({}))]);
    let (session, _) = session(&script, MemoryTokenStore::new());
    session.sign_out().await.unwrap();
    assert!(script.seen().is_empty());
}

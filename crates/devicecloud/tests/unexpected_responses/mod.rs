//! Successful responses with an unexpected body.

pub(crate) mod writes;

use super::*;

/// JSON of unknown shape, and an empty body.
const UNKNOWN: [&str; 6] = ["", " ", "null", "[]", "7", "{\"unexpected\": true}"];

/// Writes that need data from their response: tokens, the URL for a file, or the key of a stream.
pub(crate) const NEEDY: [&str; 4] = ["users/sign_in", "users/refresh_token", "files/create", "subscriptions/create"];

/// The call of a golden file, without its variant: `users/sign_in` of `users/sign_in.401`.
fn call_of(name: &str) -> &str {
    name.split('.').next().unwrap()
}

/// Shares the connections but has its own session, because some calls end the session.
pub(crate) fn with_own_session(client: &Client) -> Client {
    client.with_store(Arc::new(MemoryTokenStore::with(Authorization {
        access_token: "access".into(),
        refresh_token: "refresh".into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: NOW.parse().unwrap(),
    })))
}

#[tokio::test]
async fn html_page_is_a_json_error_of_every_call() {
    let page = || Server::answering(200, "<html><body>Sign in to the network</body></html>".to_owned());
    let shared = page().await;
    let client_of_shared = client(&shared, &Value::Null);
    for (name, run) in cases::all() {
        // The server denies refreshes after its first request.
        let is_refresh = name.starts_with("users/refresh_token");
        let (server, client) = if is_refresh {
            let server = page().await;
            (server.clone(), client(&server, &Value::Null))
        } else {
            (shared.clone(), with_own_session(&client_of_shared))
        };
        let before = server.count();
        let error = run(client).await.unwrap_err();
        // All failures of notification calls have one kind (L-8-006).
        let kind = if name.starts_with("notifications/") { ErrorKind::General } else { ErrorKind::Json };
        let message = match golden::load(name)["request"]["method"].as_str() {
            Some("GET") => "The response is not JSON",
            // The message of a failed refresh is specified.
            _ if is_refresh => "Fail to refresh token",
            _ => "The response is not JSON; the write may have happened",
        };
        assert_eq!((error.kind(), error.message(), error.status()), (kind, message, None), "{name}");
        assert_eq!(server.count(), before + 1, "{name} is sent once");
    }
}

#[tokio::test]
async fn write_without_needed_members_accepts_empty_and_unknown_bodies() {
    for body in UNKNOWN {
        let server = Server::answering(200, body.to_owned()).await;
        let client = client(&server, &Value::Null);
        for (name, run) in writes::all() {
            let before = server.count();
            let result = run(with_own_session(&client)).await;
            result.unwrap_or_else(|error| panic!("{name}: {error:?} for {body:?}"));
            assert_eq!(server.count(), before + 1, "{name} is sent once");
        }
    }
}

#[tokio::test]
async fn write_with_needed_members_rejects_empty_and_unknown_bodies() {
    for (name, run) in cases::all().into_iter().filter(|(name, _)| NEEDY.contains(name)) {
        let request = golden::load(name)["request"].take();
        for body in UNKNOWN {
            let error = run(client(&Server::answering(200, body.to_owned()).await, &request)).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Json, "{name}: {error:?} for {body:?}");
        }
    }
}

#[test]
fn every_golden_write_is_tested_with_unexpected_responses() {
    let listed: Vec<_> = writes::all().into_iter().map(|(name, _)| name).chain(NEEDY).collect();
    for (name, _) in cases::all() {
        let is_write = golden::load(name)["request"]["method"] != "GET";
        assert!(!is_write || listed.contains(&call_of(name)), "{name} is in no table");
    }
}

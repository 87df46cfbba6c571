//! Managed sessions, from sign-in to their end.

use super::*;
use crate::error::{ErrorKind, Result};
use crate::model::secret::SecretText;
use crate::session::{AuthProvider, BoxFuture, SessionEvent, SessionEvents, SignIn, TokenStore};

const REFRESH: &str = "refresh_token.json";
const SIGN_OUT: &str = "sign_out.json";
const HOUR: Duration = Duration::from_secs(3600);

async fn session(cloud: &TestCloud) -> SessionManager {
    let session = SessionManager::resume_stored(&cloud.client).await.unwrap();
    session.device_manager().ready().await.unwrap();
    session
}

impl TestCloud {
    /// Advances the timers and the clock of the tokens.
    async fn pass(&self, time: Duration) {
        self.clock.advance(time);
        tokio::time::sleep(time).await;
    }

    async fn stored(&self) -> Option<String> {
        self.store.load().await.unwrap().map(|stored| stored.access_token.expose().to_owned())
    }
}

async fn event(events: &mut SessionEvents) -> SessionEvent {
    tokio::time::timeout(SECOND, events.next()).await.expect("an event").expect("a session")
}

/// Asserts the state after the end of a session.
async fn assert_closed(cloud: &TestCloud, session: &SessionManager, device: &ManagedDevice) {
    assert_eq!(session.state(), SessionManagerState::Closed);
    assert_eq!(session.device_manager().state(), DeviceManagerState::Uninitialized);
    let error = device.update_property("intensity", 1).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No device manager is available"));
    settle().await;
    let requests = cloud.script.seen().len();
    cloud.pass(100 * HOUR).await;
    assert_eq!(cloud.script.seen().len(), requests, "no timer is left");
    for result in [session.resume().await, session.refresh().await] {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No session is active"));
    }
    session.pause();
    assert_eq!(session.state(), SessionManagerState::Closed);
}

#[tokio::test(start_paused = true)]
async fn sign_in_starts_a_session_and_schedules_a_refresh() {
    let cloud = TestCloud::with(&["A"]);
    let session = SessionManager::sign_in(&cloud.client, "jo@example.com", &"secret".into()).await.unwrap();
    session.device_manager().ready().await.unwrap();
    assert_eq!(session.state(), SessionManagerState::Active);
    assert_eq!(cloud.stored().await.as_deref(), Some("signed-in"));
    session.device_manager().pause();
    let mut events = session.events();
    cloud.pass(12 * HOUR - SECOND).await;
    assert_eq!(cloud.count(REFRESH), 0);
    cloud.pass(2 * SECOND).await;
    assert_eq!(cloud.count(REFRESH), 1, "12 hours before the token of 24 hours expires");
    assert_eq!(event(&mut events).await, SessionEvent::Refreshed);
    assert_eq!(cloud.stored().await.as_deref(), Some("refreshed"));
    cloud.pass(12 * HOUR + SECOND).await;
    assert_eq!(cloud.count(REFRESH), 2, "and again for the next token");
}

#[tokio::test(start_paused = true)]
async fn failed_sign_in_starts_nothing() {
    let cloud = TestCloud::with(&["A"]);
    cloud.reply_with("sign_in.json", Reply::Status(401, json!({"error": "Invalid email or password"})));
    let error = SessionManager::sign_in(&cloud.client, "jo@example.com", &"wrong".into()).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Auth, "Invalid email or password"));
    let error = SessionManager::sign_in(&cloud.client, " ", &"secret".into()).await.unwrap_err();
    assert_eq!(error.message(), "Email is required");
    tokio::time::sleep(HOUR).await;
    assert_eq!(cloud.script.seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn session_resumes_with_stored_tokens() {
    let cloud = TestCloud::with(&["A"]);
    let session = session(&cloud).await;
    assert_eq!(cloud.count("sign_in.json"), 0);
    drop(session);
    cloud.client.sign_out().await.unwrap();
    let error = SessionManager::resume_stored(&cloud.client).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No session is active"));
}

#[tokio::test(start_paused = true)]
async fn tokens_below_the_grace_period_are_refreshed_every_30_seconds() {
    let cloud = TestCloud::with(&["A"]);
    let mut body = tokens("short");
    body["expires_in"] = json!(3600);
    cloud.reply_with(REFRESH, Reply::Status(200, body.clone()));
    cloud.reply_with("sign_in.json", Reply::Status(200, body));
    let session = SessionManager::sign_in(&cloud.client, "jo@example.com", &"secret".into()).await.unwrap();
    for refreshed in 1..=3 {
        cloud.pass(30 * SECOND + Duration::from_millis(100)).await;
        assert_eq!(cloud.count(REFRESH), refreshed);
    }
    assert_eq!(session.state(), SessionManagerState::Active);
}

#[tokio::test(start_paused = true)]
async fn auto_fetch_off_fetches_nothing() {
    let cloud = TestCloud::with_settings(&["A"], |settings| settings.auto_fetch_devices = false);
    let session = session(&cloud).await;
    tokio::time::sleep(100 * SECOND).await;
    assert!(cloud.script.seen().is_empty());
    assert_eq!(session.device_manager().state(), DeviceManagerState::Ready);
}

#[tokio::test(start_paused = true)]
async fn shut_down_stops_the_devices_signs_out_cancels_the_timer_and_clears_the_authorization() {
    let cloud = TestCloud::with(&["A"]);
    let session = session(&cloud).await;
    let device = session.device_manager().device("A").unwrap();
    let mut events = session.events();
    session.shut_down().await.unwrap();
    assert_eq!(cloud.count(SIGN_OUT), 1);
    assert_eq!(cloud.stored().await, None);
    assert_eq!(event(&mut events).await, SessionEvent::Closed);
    assert_closed(&cloud, &session, &device).await;
    session.shut_down().await.unwrap();
    assert_eq!(cloud.count(SIGN_OUT), 1, "a second call has no effect");
}

/// A custom auth provider that records the access tokens that it signed out.
#[derive(Clone, Default)]
struct RecordingAuth(Arc<Mutex<Vec<String>>>);

impl AuthProvider for RecordingAuth {
    fn sign_in<'a>(&'a self, _: &'a str, _: &'a SecretText) -> BoxFuture<'a, Result<SignIn>> {
        Box::pin(async { Ok(SignIn::new(authorization(), vec![])) })
    }

    fn sign_out<'a>(&'a self, authorization: &'a Authorization) -> BoxFuture<'a, Result<()>> {
        self.0.lock().unwrap().push(authorization.access_token.expose().to_owned());
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test(start_paused = true)]
async fn shut_down_signs_out_through_the_auth_provider() {
    let badge = RecordingAuth::default();
    let cloud = TestCloud::with_auth(&["A"], Arc::new(badge.clone()));
    let session = SessionManager::sign_in(&cloud.client, "jo@example.com", &"secret".into()).await.unwrap();
    session.shut_down().await.unwrap();
    assert_eq!(*badge.0.lock().unwrap(), ["access"]);
    assert_eq!((cloud.count(SIGN_OUT), cloud.stored().await), (0, None), "no request to the cloud");
}

#[tokio::test(start_paused = true)]
async fn closed_session_does_not_refresh_later_tokens() {
    for shuts_down in [true, false] {
        let cloud = TestCloud::with(&["A"]);
        let session = session(&cloud).await;
        if shuts_down {
            session.shut_down().await.unwrap();
        }
        // Another program signs in and saves its tokens in the same store.
        cloud.store.lock().await.unwrap().save(Some(&authorization())).await.unwrap();
        cloud.pass(13 * HOUR).await;
        assert_eq!(cloud.count(REFRESH), usize::from(!shuts_down));
    }
}

#[tokio::test(start_paused = true)]
async fn failed_sign_out_is_returned_and_everything_is_cleared() {
    let table = [
        (Reply::Status(401, json!({"error": "words"})), ErrorKind::Auth, "Unauthorized"),
        (Reply::Status(500, json!({})), ErrorKind::Auth, "Internal Server Error"),
        (Reply::Cut, ErrorKind::Network, "connection reset"),
        (Reply::Text(200, "<html>"), ErrorKind::Json, "The response is not JSON; the write may have happened"),
    ];
    for (reply, kind, message) in table {
        let cloud = TestCloud::with(&["A"]);
        cloud.reply_with(SIGN_OUT, reply);
        let session = session(&cloud).await;
        let device = session.device_manager().device("A").unwrap();
        let error = session.shut_down().await.unwrap_err();
        assert_eq!((error.kind(), error.message()), (kind, message));
        assert_eq!(cloud.stored().await, None);
        assert_closed(&cloud, &session, &device).await;
    }
}

#[tokio::test(start_paused = true)]
async fn denied_refresh_closes_the_session() {
    let table = [(401, ErrorKind::Auth, None), (422, ErrorKind::Auth, None), (503, ErrorKind::Server, Some("access"))];
    for (status, kind, left) in table {
        let cloud = TestCloud::with(&["A"]);
        cloud.reply_with(REFRESH, Reply::Status(status, json!({"error": "no"})));
        let session = session(&cloud).await;
        let device = session.device_manager().device("A").unwrap();
        let mut events = session.events();
        let error = session.refresh().await.unwrap_err();
        assert_eq!((error.kind(), error.status(), error.message()), (kind, Some(status), "no"));
        assert_eq!(event(&mut events).await, SessionEvent::Closed);
        assert_eq!(cloud.stored().await.as_deref(), left, "only a denial removes the tokens");
        assert_closed(&cloud, &session, &device).await;
    }
}

#[tokio::test(start_paused = true)]
async fn refresh_without_a_response_is_logged_and_closes_the_session() {
    for reply in [Reply::Cut, Reply::Slow(31 * SECOND, 200, json!({})), Reply::Status(200, json!({"nothing": 1}))] {
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).finish();
        let _guard = tracing::subscriber::set_default(subscriber);
        let cloud = TestCloud::with(&["A"]);
        cloud.reply_with(REFRESH, reply);
        let session = session(&cloud).await;
        let device = session.device_manager().device("A").unwrap();
        let mut events = session.events();
        let error = session.refresh().await.unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::General, "Fail to refresh token"));
        assert!(log.text().contains("Fail to refresh token"));
        assert_eq!(event(&mut events).await, SessionEvent::Closed);
        assert_eq!(cloud.stored().await.as_deref(), Some("access"), "the tokens may still be valid");
        assert_closed(&cloud, &session, &device).await;

        cloud.state().overrides.clear();
        assert_eq!(cloud.client.session_state(), crate::session::SessionState::Unknown);
        let again = self::session(&cloud).await;
        assert_eq!(again.state(), SessionManagerState::Active, "a new session can start with them");
    }
}

#[tokio::test(start_paused = true)]
async fn closed_session_with_stored_tokens_can_be_shut_down() {
    let cloud = TestCloud::with(&["A"]);
    cloud.reply_with(REFRESH, Reply::Cut);
    let session = session(&cloud).await;
    session.refresh().await.unwrap_err();
    session.shut_down().await.unwrap();
    assert_eq!((cloud.count(SIGN_OUT), cloud.stored().await), (1, None));
}

#[tokio::test(start_paused = true)]
async fn failed_timed_refresh_closes_the_session() {
    let cloud = TestCloud::with(&["A"]);
    let session = session(&cloud).await;
    let device = session.device_manager().device("A").unwrap();
    let mut events = session.events();
    cloud.reply_with(REFRESH, Reply::Cut);
    cloud.pass(12 * HOUR + SECOND).await;
    assert_eq!(event(&mut events).await, SessionEvent::Closed);
    assert_closed(&cloud, &session, &device).await;
}

#[tokio::test(start_paused = true)]
async fn incomplete_tokens_are_an_invalid_argument() {
    let cloud = TestCloud::with(&["A"]);
    let session = session(&cloud).await;
    let incomplete = Authorization { refresh_token: " ".into(), ..authorization() };
    cloud.store.lock().await.unwrap().save(Some(&incomplete)).await.unwrap();
    let error = session.refresh().await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, "Invalid authorization object"));
    assert_eq!(session.state(), SessionManagerState::Closed);
}

#[tokio::test(start_paused = true)]
async fn session_ended_by_another_client_is_closed() {
    let cloud = TestCloud::with(&["A"]);
    let session = session(&cloud).await;
    let device = session.device_manager().device("A").unwrap();
    let mut events = session.events();
    cloud.client.sign_out().await.unwrap();
    assert_eq!(event(&mut events).await, SessionEvent::Closed);
    assert_closed(&cloud, &session, &device).await;
}

#[tokio::test(start_paused = true)]
async fn refresh_by_a_call_restarts_the_timer() {
    let cloud = TestCloud::with(&["A"]);
    let session = session(&cloud).await;
    session.device_manager().pause();
    cloud.pass(6 * HOUR).await;
    cloud.client.refresh().await.unwrap();
    cloud.pass(11 * HOUR).await;
    assert_eq!(cloud.count(REFRESH), 1, "not 12 hours after the first token");
    cloud.pass(HOUR + SECOND).await;
    assert_eq!(cloud.count(REFRESH), 2);
    assert_eq!(session.state(), SessionManagerState::Active);
}

#[tokio::test(start_paused = true)]
async fn pause_cancels_the_timer_and_pauses_the_devices() {
    let cloud = TestCloud::with(&["A"]);
    let session = session(&cloud).await;
    session.pause();
    assert_eq!(session.state(), SessionManagerState::Paused);
    assert_eq!(session.device_manager().state(), DeviceManagerState::Paused);
    settle().await;
    let requests = cloud.script.seen().len();
    cloud.pass(20 * HOUR).await;
    assert_eq!(cloud.script.seen().len(), requests);
}

#[tokio::test(start_paused = true)]
async fn resume_outside_the_grace_period_does_not_refresh() {
    let cloud = TestCloud::with(&["A"]);
    let session = session(&cloud).await;
    session.pause();
    cloud.pass(11 * HOUR).await;
    session.resume().await.unwrap();
    assert_eq!(session.state(), SessionManagerState::Active);
    assert_eq!(session.device_manager().state(), DeviceManagerState::Ready);
    assert_eq!(cloud.count(REFRESH), 0);
    session.device_manager().pause();
    cloud.pass(HOUR + SECOND).await;
    assert_eq!(cloud.count(REFRESH), 1, "the timer runs again");
    session.resume().await.unwrap();
    assert_eq!(session.device_manager().state(), DeviceManagerState::Paused, "without a pause a resume has no effect");
}

#[tokio::test(start_paused = true)]
async fn resume_within_the_grace_period_refreshes_first() {
    for (passed, refreshes) in [(12 * HOUR, 0), (12 * HOUR + SECOND, 1), (30 * HOUR, 1)] {
        let cloud = TestCloud::with(&["A"]);
        cloud.reply_with(REFRESH, Reply::Slow(SECOND, 200, tokens("refreshed")));
        let session = session(&cloud).await;
        session.pause();
        cloud.pass(passed).await;
        let resuming = tokio::spawn({
            let session = session.clone();
            async move { session.resume().await }
        });
        settle().await;
        assert_eq!(cloud.count(REFRESH), refreshes, "after {passed:?}");
        if refreshes > 0 {
            assert_eq!(session.device_manager().state(), DeviceManagerState::Paused, "the tokens come first");
        }
        resuming.await.unwrap().unwrap();
        assert_eq!(session.state(), SessionManagerState::Active);
        assert_eq!(session.device_manager().state(), DeviceManagerState::Ready);
    }
}

#[tokio::test(start_paused = true)]
async fn resume_with_a_failed_refresh_closes_the_session() {
    for (reply, kind, message) in [
        (Reply::Cut, ErrorKind::General, "Fail to refresh token"),
        (Reply::Status(401, json!({"error": "no"})), ErrorKind::Auth, "no"),
    ] {
        let cloud = TestCloud::with(&["A"]);
        cloud.reply_with(REFRESH, reply);
        let session = session(&cloud).await;
        let device = session.device_manager().device("A").unwrap();
        session.pause();
        cloud.pass(13 * HOUR).await;
        let error = session.resume().await.unwrap_err();
        assert_eq!((error.kind(), error.message()), (kind, message));
        assert_closed(&cloud, &session, &device).await;
    }
}

#[tokio::test(start_paused = true)]
async fn resume_without_tokens_closes_the_session() {
    let cloud = TestCloud::with(&["A"]);
    let session = session(&cloud).await;
    let device = session.device_manager().device("A").unwrap();
    session.pause();
    cloud.store.lock().await.unwrap().save(None).await.unwrap();
    let error = session.resume().await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "No session is active"));
    assert_closed(&cloud, &session, &device).await;
}

#[tokio::test(start_paused = true)]
async fn allowed_stream_starts_with_the_session_and_can_be_stopped() {
    for allowed in [true, false] {
        let cloud = TestCloud::with_settings(&["A"], |settings| settings.allow_dss = allowed);
        cloud.reply_with("subscriptions", Reply::Status(403, json!({})));
        let session = session(&cloud).await;
        tokio::time::sleep(SECOND).await;
        assert_eq!(cloud.count("subscriptions") > 0, allowed);
        assert_eq!(session.live_stream().is_some(), allowed);
        let subscription = cloud.script.seen().into_iter().find(|seen| seen.url.contains("subscriptions"));
        let types = subscription.map(|seen| seen.body["subscription_type"].clone());
        assert_eq!(types, allowed.then(|| json!("datapoint,datapointack,connectivity")), "more than the settings");
        if let Some(stream) = session.live_stream() {
            let mut states = stream.states();
            stream.stop();
            let ended = async { while states.next().await.is_some() {} };
            tokio::time::timeout(SECOND, ended).await.expect("the stream stops by itself");
            let requests = cloud.count("subscriptions");
            tokio::time::sleep(100 * SECOND).await;
            assert_eq!(cloud.count("subscriptions"), requests);
            assert_eq!(session.state(), SessionManagerState::Active);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn shut_down_stops_devices_and_stream_before_signing_out() {
    let cloud = TestCloud::with_settings(&["A"], |settings| settings.allow_dss = true);
    cloud.reply_with("subscriptions", Reply::Status(403, json!({})));
    cloud.reply_with(SIGN_OUT, Reply::Slow(2 * SECOND, 200, json!({})));
    let session = session(&cloud).await;
    let mut states = session.live_stream().unwrap().states();
    let shutting_down = tokio::spawn({
        let session = session.clone();
        async move { session.shut_down().await }
    });
    settle().await;
    assert_eq!(session.state(), SessionManagerState::Closed);
    assert_eq!(session.device_manager().state(), DeviceManagerState::Uninitialized);
    assert_eq!(cloud.count(SIGN_OUT), 1, "a stopped stream is not waited for");
    assert!(!shutting_down.is_finished());
    shutting_down.await.unwrap().unwrap();
    let ended = async { while states.next().await.is_some() {} };
    tokio::time::timeout(SECOND, ended).await.expect("the stream has stopped");
    let requests = cloud.script.seen().len();
    tokio::time::sleep(100 * SECOND).await;
    assert_eq!(cloud.script.seen().len(), requests);
}

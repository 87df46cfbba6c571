use std::sync::Arc;

use http::Method;
use serde_json::json;

use super::testing::{Reply, ScriptedTransport};
use super::*;
use crate::captured_log::CapturedLog;
use crate::client::Client;
use crate::config::endpoints::Service;
use crate::model::Time;
use crate::session::MemoryTokenStore;

fn request(method: Method) -> Request {
    Request::new(method, Service::Device, "apiv1/dsns/{}", &["A"]).unwrap()
}

async fn exchange(script: &ScriptedTransport, request: &Request) -> Result<Response> {
    let clock = Clock::mock("2026-11-20T10:00:00Z".parse::<Time>().unwrap());
    script.http(clock).send(request, None).await
}

async fn elapsed<T>(future: impl Future<Output = T>) -> (T, Duration) {
    let start = tokio::time::Instant::now();
    let result = future.await;
    (result, start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn idempotent_call_is_retried_until_it_succeeds() {
    let script = ScriptedTransport::new([Reply::Cut, Reply::Status(503, json!({})), Reply::Status(200, json!({}))]);
    let (result, waited) = elapsed(exchange(&script, &request(Method::GET))).await;
    result.unwrap();
    assert_eq!(script.seen().len(), 3);
    assert_eq!(waited, Duration::from_millis(1500));
}

#[tokio::test(start_paused = true)]
async fn third_failure_is_returned() {
    let script = ScriptedTransport::new([Reply::Status(500, json!({"error": "broken"}))]);
    let error = exchange(&script, &request(Method::DELETE)).await.unwrap_err();
    assert_eq!((error.status(), error.message()), (Some(500), "broken"));
    assert_eq!(script.seen().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn non_idempotent_call_is_not_retried() {
    let table = [
        (Reply::Cut, Outcome::Unknown, false),
        (Reply::Status(503, json!({})), Outcome::Unknown, false),
        (Reply::RetryAfter(429, "1"), Outcome::NotSent, true),
    ];
    for (reply, outcome, is_retryable) in table {
        let script = ScriptedTransport::new([reply]);
        let error = exchange(&script, &request(Method::POST)).await.unwrap_err();
        assert_eq!((error.outcome(), error.is_retryable()), (outcome, is_retryable));
        assert_eq!(script.seen().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn retried_write_has_the_worst_outcome_of_its_attempts() {
    let status = |status| Reply::Status(status, json!({}));
    let table = [
        (Method::DELETE, [Reply::Cut, status(404)], Outcome::Unknown, false),
        (Method::PUT, [status(503), status(422)], Outcome::Unknown, false),
        (Method::PUT, [status(503), status(429)], Outcome::Unknown, true),
        (Method::PUT, [status(429), status(422)], Outcome::NotSent, false),
        (Method::PUT, [status(429), Reply::Cut], Outcome::Unknown, true),
        (Method::GET, [status(503), status(404)], Outcome::NotSent, false),
        (Method::GET, [Reply::Cut, Reply::Cut], Outcome::NotSent, true),
    ];
    for (method, replies, outcome, is_retryable) in table {
        let case = format!("{method} {replies:?}");
        let error = exchange(&ScriptedTransport::new(replies), &request(method)).await.unwrap_err();
        assert_eq!((error.outcome(), error.is_retryable()), (outcome, is_retryable), "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn call_without_retry_is_sent_once() {
    let script = ScriptedTransport::new([Reply::Cut]);
    exchange(&script, &request(Method::GET).retries(false)).await.unwrap_err();
    assert_eq!(script.seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn retry_after_sets_the_delay() {
    let script = ScriptedTransport::new([Reply::RetryAfter(429, "9"), Reply::Status(200, json!({}))]);
    let (result, waited) = elapsed(exchange(&script, &request(Method::GET))).await;
    result.unwrap();
    assert_eq!(waited, Duration::from_secs(9));
}

#[tokio::test(start_paused = true)]
async fn long_retry_after_is_returned_as_an_error() {
    let script = ScriptedTransport::new([Reply::RetryAfter(429, "Fri, 20 Nov 2026 11:00:00 GMT")]);
    let error = exchange(&script, &request(Method::GET)).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    assert_eq!(script.seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn missing_response_times_out_after_30_seconds() {
    let script = ScriptedTransport::new([Reply::Slow(Duration::from_secs(31), 200, json!({}))]);
    let (result, waited) = elapsed(exchange(&script, &request(Method::GET))).await;
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(waited, Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn request_timeout_is_configurable() {
    let script = ScriptedTransport::new([Reply::Slow(Duration::from_secs(31), 200, json!({}))]);
    let config = Config::local("https://cloud.test", "app", "app-secret").unwrap();
    let builder = Client::builder(config, Arc::new(MemoryTokenStore::new()));
    let client = builder.request_timeout(Duration::from_secs(2)).build_over(Box::new(script)).unwrap();
    let (result, waited) = elapsed(client.users().without_retry().confirm(&"token".into())).await;
    assert_eq!((result.unwrap_err().kind(), waited), (ErrorKind::Timeout, Duration::from_secs(2)));
}

#[test]
fn non_json_body_is_a_json_error_of_reads_and_writes() {
    let script = ScriptedTransport::new([Reply::Status(200, json!({}))]);
    let http = script.http(Clock::mock("2026-11-20T10:00:00Z".parse::<Time>().unwrap()));
    let judge = |method: Method, body: &'static [u8]| {
        http.read_response(
            HttpResponse { status: 200, retry_after: None, body: Ok(Bytes::from_static(body)) },
            &request(method),
        )
    };
    for body in [&b"<html>"[..], b"OK", b"{\"a\": 1", b"{} {}", b"\xff"] {
        let error = judge(Method::GET, body).unwrap().json().unwrap_err();
        assert_eq!(
            (error.kind(), error.message(), error.status()),
            (ErrorKind::Json, "The response is not JSON", None)
        );
        for method in [Method::POST, Method::PUT, Method::DELETE] {
            let error = judge(method, body).unwrap_err();
            let text = "The response is not JSON; the write may have happened";
            assert_eq!((error.kind(), error.message(), error.status()), (ErrorKind::Json, text, None));
        }
    }
    for body in [&b""[..], b" \r\n", b"null", b"7", b"[]", b"{\"unknown\": [1]}"] {
        for method in [Method::POST, Method::PUT, Method::DELETE] {
            let answer = judge(method, body).unwrap();
            assert_eq!(answer.read_if_possible(|answer| answer.get("known").cloned()), None);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn write_with_a_non_json_response_is_not_retried() {
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        let script = ScriptedTransport::new([Reply::Text(200, "<html>"), Reply::Status(200, json!({}))]);
        let error = exchange(&script, &request(method)).await.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Json, false));
        assert_eq!(script.seen().len(), 1);
    }
}

fn content(chunks: usize, every: Duration) -> Content {
    Box::pin(futures::stream::unfold(chunks, move |left| async move {
        tokio::time::sleep(every).await;
        (left > 0).then(|| (Ok(vec![0; 10]), left - 1))
    }))
}

#[tokio::test(start_paused = true)]
async fn file_transfer_times_out_only_without_progress() {
    let http =
        |reply| ScriptedTransport::new([reply]).http(Clock::mock("2026-11-20T10:00:00Z".parse::<Time>().unwrap()));
    let url = || "https://cloud.test/files/7".parse().unwrap();
    let done = || Reply::Status(200, json!({}));
    let moving = http(done());
    let (result, waited) = elapsed(moving.send_file(url(), None, content(100, Duration::from_secs(20)))).await;
    result.unwrap();
    assert_eq!(waited, Duration::from_secs(2020));
    for (reply, every) in [(done(), 100), (Reply::Slow(Duration::from_secs(100), 200, json!({})), 0)] {
        let still = http(reply);
        let stopped = still.send_file(url(), None, content(1, Duration::from_secs(every)));
        assert_eq!(stopped.await.unwrap_err().kind(), ErrorKind::Timeout, "{every}");
    }
    let silent = http(Reply::Slow(Duration::from_secs(31), 200, json!({}))).open_file(url()).await;
    assert_eq!(silent.err().unwrap().kind(), ErrorKind::Timeout);
}

#[tokio::test]
async fn raw_error_body_is_the_message_unchanged() {
    let request = || request(Method::POST).with_raw_error_body();
    let rejected = json!({"errors": [{"code": "ARE-501", "message": "no such device"}]});
    let table = [
        (Reply::Status(422, rejected.clone()), rejected.to_string()),
        (Reply::Status(422, json!({"error": "text"})), r#"{"error":"text"}"#.to_owned()),
        (Reply::CutBody(422), "Unable to retrieve error text".to_owned()),
    ];
    for (reply, expected) in table {
        let error = exchange(&ScriptedTransport::new([reply]), &request()).await.unwrap_err();
        assert_eq!((error.kind(), error.status(), error.message()), (ErrorKind::Server, Some(422), &*expected));
    }
    assert_eq!(error_body::raw(b" ").message, "Unable to retrieve error text");
    assert_eq!(error_body::raw(b"<html>").message, "<html>");
}

#[test]
fn error_message_is_truncated_after_2000_characters() {
    for (length, expected) in [(1999, 1999), (2000, 2000), (2001, 2001), (9000, 2001)] {
        // A two-byte character.
        let body = "é".repeat(length);
        for parsed in [error_body::raw(body.as_bytes()), error_body::parse(422, body.as_bytes())] {
            assert_eq!(parsed.message.chars().count(), expected, "{length}");
            assert_eq!(parsed.message.ends_with('…'), length > 2000, "{length}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn interrupted_body_is_a_network_error() {
    let script = ScriptedTransport::new([Reply::CutBody(200)]);
    let error = exchange(&script, &request(Method::POST)).await.unwrap_err();
    assert_eq!((error.kind(), error.status(), error.outcome()), (ErrorKind::Network, None, Outcome::Unknown));
}

#[tokio::test(start_paused = true)]
async fn interrupted_body_of_an_error_keeps_the_status_and_the_wait() {
    let http = ScriptedTransport::new([]).http(Clock::mock("2026-11-20T10:00:00Z".parse::<Time>().unwrap()));
    let table = [
        (401, "Unauthorized", Outcome::NotSent),
        (422, "Unprocessable Entity", Outcome::NotSent),
        (429, "Too Many Requests", Outcome::NotSent),
        (500, "Internal Server Error", Outcome::Unknown),
    ];
    for (status, message, outcome) in table {
        let body = Err(Error::new(ErrorKind::Network, "cut"));
        let response = HttpResponse { status, retry_after: Some("9".to_owned()), body };
        let error = http.read_response(response, &request(Method::POST)).unwrap_err();
        assert_eq!((error.kind(), error.status(), error.message()), (ErrorKind::Server, Some(status), message));
        assert_eq!((error.outcome(), error.retry_after()), (outcome, Some(Duration::from_secs(9))), "{status}");
        assert!(std::error::Error::source(&error).is_some(), "the cause is kept");
    }
}

fn limited(script: &ScriptedTransport, seconds: u64) -> Http {
    let http = script.http(Clock::mock("2026-11-20T10:00:00Z".parse::<Time>().unwrap()));
    Http { time_limit: Some(Duration::from_secs(seconds)), ..http }
}

#[tokio::test(start_paused = true)]
async fn time_limit_of_a_call_covers_attempts_and_delays() {
    let slow = || Reply::Slow(Duration::from_secs(4), 503, json!({}));
    let table = [
        // The second attempt is cut off, after 4 s and a delay of 0.5 s.
        (vec![slow()], 6, ErrorKind::Timeout, 6000, 2),
        // No retry can start in time.
        (vec![slow()], 4, ErrorKind::Server, 4000, 1),
        (vec![Reply::RetryAfter(503, "9")], 8, ErrorKind::Server, 0, 1),
        (vec![Reply::Cut], 1, ErrorKind::Network, 500, 2),
    ];
    for (replies, limit, kind, expected, attempts) in table {
        let script = ScriptedTransport::from_fn(move |_, index| replies[index.min(replies.len() - 1)].clone());
        let http = limited(&script, limit);
        let (result, waited) = elapsed(http.send(&request(Method::GET), None)).await;
        assert_eq!((result.unwrap_err().kind(), waited.as_millis()), (kind, expected), "{limit}");
        assert_eq!(script.seen().len(), attempts, "{limit}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_requests_and_bytes_are_counted() {
    let script =
        ScriptedTransport::new([Reply::Cut, Reply::Status(503, json!({})), Reply::Status(200, json!({"a": 1}))]);
    let http = script.http(Clock::mock("2026-11-20T10:00:00Z".parse::<Time>().unwrap()));
    http.send(&request(Method::PUT).body(json!([1, 2])), None).await.unwrap();
    let expected = Statistics {
        calls: 1,
        requests: 3,
        retries: 2,
        bytes_sent: 3 * "[1,2]".len() as u64,
        bytes_received: "{}".len() as u64 + "{\"a\":1}".len() as u64,
        ..Statistics::default()
    };
    assert_eq!(http.counters.snapshot(), expected);

    let script = ScriptedTransport::new([Reply::Slow(Duration::from_secs(31), 200, json!({}))]);
    let http = script.http(Clock::mock("2026-11-20T10:00:00Z".parse::<Time>().unwrap()));
    http.send(&request(Method::POST), None).await.unwrap_err();
    let expected = Statistics { calls: 1, failed_calls: 1, requests: 1, timeouts: 1, ..Statistics::default() };
    assert_eq!(http.counters.snapshot(), expected);
}

#[tokio::test(start_paused = true)]
async fn each_request_has_a_span_with_status_duration_attempt_and_sizes() {
    let log = CapturedLog::start(tracing::Level::DEBUG);
    let late = Reply::Slow(Duration::from_millis(70), 200, json!({"a": 1}));
    let script = ScriptedTransport::new([Reply::Status(503, json!({})), late]);
    exchange(&script, &request(Method::PUT).body(json!([1, 2]))).await.unwrap();
    let text = log.text();
    for expected in [
        "devicecloud.request{method=PUT route=\"apiv1/dsns/{}\"}",
        "devicecloud.attempt{attempt=1 request_bytes=5 status=503 response_bytes=2 duration_ms=0}",
        "devicecloud.attempt{attempt=2 request_bytes=5 status=200 response_bytes=7 duration_ms=70}",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}

#[test]
fn invalid_utf8_is_an_error_only_in_a_member_that_is_read() {
    let page = |body: &'static [u8]| Response { body: Bytes::from_static(body), outcome: Outcome::NotSent }.page();
    let devices = page(b"{\"devices\": [{\"device\": {\"dsn\": \"A\", \"surplus\": \"\xff\"}}]}").unwrap().devices;
    assert_eq!((devices.len(), devices[0].dsn.as_str()), (1, "A"));
    let error = page(b"{\"devices\": [{\"device\": {\"dsn\": \"\xff\"}}]}").unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Json, "The response is not JSON"));
}

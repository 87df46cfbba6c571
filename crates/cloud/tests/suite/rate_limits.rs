//! Requests beyond a limit get 429 with Retry-After, and succeed after that time.

use cloud::testing::{PASSWORD, TestCloud, World, routes};
use cloud::{CloudConfig, RequestLimits};
use futures::{StreamExt, stream};
use jiff::SignedDuration;
use platform::run::rate_limit::Rate;
use reqwest::header::RETRY_AFTER;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::Fixture;
use crate::passwords::{NEW, reset, token as reset_token};
use crate::people::new_user;
use crate::sessions::{credentials, sign_in};

/// Size of the burst, and attempts per minute.
const ATTEMPTS: u32 = 3;

/// A signed URL of no file.
const FILE: &str = "/files/1?expires=9999999999&signature=00";

async fn start(change: impl FnOnce(&mut RequestLimits), trusted: &[&str]) -> Fixture {
    let trusted = trusted.iter().map(|proxy| proxy.parse().unwrap()).collect();
    let change = |config: &mut CloudConfig| {
        change(&mut config.request_limits);
        config.trusted_proxies = trusted;
    };
    Fixture::on(TestCloud::start_with(change).await).await
}

/// A kind of request that a limit counts.
struct Case {
    name: &'static str,
    limit: fn(&mut RequestLimits, Rate),
    method: Method,
    path: &'static str,
    /// The user whose session the request has, if any.
    caller: Option<&'static str>,
    body: Value,
}

impl Case {
    async fn request(&self, fixture: &Fixture) -> RequestBuilder {
        let request = fixture.request(self.method.clone(), self.path);
        let request = if self.body.is_null() { request } else { request.json(&self.body) };
        match self.caller {
            Some(email) => request.header("authorization", format!("auth_token {}", fixture.token(email).await)),
            None => request,
        }
    }
}

fn cases() -> Vec<Case> {
    let case = |name, limit, method, path, caller, body| Case { name, limit, method, path, caller, body };
    let user: fn(&mut RequestLimits, Rate) = |limits, rate| limits.per_user = rate;
    let staff: fn(&mut RequestLimits, Rate) = |limits, rate| limits.per_staff = rate;
    let application: fn(&mut RequestLimits, Rate) = |limits, rate| limits.per_application = rate;
    let address: fn(&mut RequestLimits, Rate) = |limits, rate| limits.per_address = rate;
    let recipient: fn(&mut RequestLimits, Rate) = |limits, rate| limits.per_recipient = rate;
    let application_of = |email: &str| credentials(email, PASSWORD)["user"]["application"].take();
    let reset = json!({ "user": { "email": "nobody@example.com", "application": application_of(World::ADMIN) } });
    let sign_in = || credentials(World::ADMIN, PASSWORD);
    let (get, post, put) = (Method::GET, Method::POST, Method::PUT);
    vec![
        case("user", user, get.clone(), "/apiv1/devices.json", Some(World::PARTNER_ADMIN_A), json!(null)),
        case("user, rules", user, get.clone(), "/rulesservice/v1/rules", Some(World::TECHNICIAN_A), json!(null)),
        case("staff", staff, get.clone(), "/apiv1/devices.json", Some(World::ADMIN), json!(null)),
        case("application", application, post.clone(), "/users/sign_in.json", None, sign_in()),
        case("application, reset", application, post.clone(), "/users/password.json", None, reset.clone()),
        case("address, sign-in", address, post.clone(), "/users/sign_in.json", None, sign_in()),
        case("address, reset", address, post.clone(), "/users/password.json", None, reset.clone()),
        case("address, no session", address, get.clone(), "/apiv1/devices.json", None, json!(null)),
        case("address, refresh", address, post.clone(), "/users/refresh_token", None, json!({ "user": {} })),
        case("address, sign-out", address, post.clone(), "/users/sign_out", None, json!({})),
        case("address, exchange", address, post.clone(), "/api/v1/token_sign_in", None, json!({})),
        case("address, confirmation", address, put.clone(), "/users/confirmation", None, json!({})),
        case("address, new password", address, put.clone(), "/users/password", None, json!({})),
        case("address, stream", address, get.clone(), "/stream?stream_key=x", None, json!(null)),
        case("address, stream without a key", address, get.clone(), "/stream", None, json!(null)),
        case("address, download", address, get.clone(), FILE, None, json!(null)),
        case("address, upload", address, put.clone(), FILE, None, json!(null)),
        case("address, cancellation", address, put.clone(), "/users/update_email/cancel", None, json!({})),
        case("recipient, reset", recipient, post.clone(), "/users/password.json", None, reset),
        case(
            "recipient, confirmation",
            recipient,
            post,
            "/users/confirmation.json",
            Some(World::ADMIN),
            json!({ "user": { "email": World::UNCONFIRMED, "application": application_of(World::ADMIN) } }),
        ),
        case(
            "recipient, new address",
            recipient,
            put,
            "/users/update_email",
            Some(World::ADMIN),
            json!({ "email": "new@example.com" }),
        ),
    ]
}

#[tokio::test]
async fn requests_beyond_a_limit_get_429_with_retry_after() {
    for case in cases() {
        let fixture = start(|limits| (case.limit)(limits, Rate::per_minute(ATTEMPTS)), &[]).await;
        let mut statuses = Vec::new();
        for _ in 0..ATTEMPTS {
            statuses.push(case.request(&fixture).await.send().await.unwrap().status().as_u16());
        }
        assert!(!statuses.contains(&429), "{}: {statuses:?}", case.name);
        let refused = case.request(&fixture).await.send().await.unwrap();
        assert_eq!(refused.status(), 429, "{}", case.name);
        let wait: i64 = refused.headers()[RETRY_AFTER].to_str().unwrap().parse().unwrap();
        assert_eq!(wait, i64::from(60 / ATTEMPTS), "{}", case.name);
        let text = refused.text().await.unwrap();
        assert!(text.contains("Too many requests; try again later"), "{}: {text}", case.name);
        fixture.cloud.clock().advance(SignedDuration::from_secs(wait));
        let later = case.request(&fixture).await.send().await.unwrap().status().as_u16();
        assert_eq!(later, statuses[0], "{}", case.name);
    }
}

#[tokio::test]
async fn users_applications_and_recipients_have_separate_limits() {
    let once = Rate::per_minute(1);
    let fixture = start(|limits| (limits.per_user, limits.per_recipient) = (once, once), &[]).await;
    for email in [World::PARTNER_ADMIN_A, World::TECHNICIAN_A, World::END_USER] {
        let token = fixture.token(email).await;
        assert_eq!(fixture.get(&token, "/apiv1/devices.json").await.status, 200);
        assert_eq!(fixture.get(&token, "/apiv1/devices.json").await.status, 429);
    }
    for email in ["one@example.com", "other@example.com"] {
        let application = credentials(email, PASSWORD)["user"]["application"].take();
        let mut reset = json!({ "user": { "email": email, "application": application } });
        assert_eq!(fixture.call(Method::POST, "/users/password", None, Some(reset.clone())).await.status, 201);
        for spelling in [email.to_owned(), email.to_uppercase(), format!(" {email} ")] {
            reset["user"]["email"] = json!(spelling);
            let refused = fixture.call(Method::POST, "/users/password", None, Some(reset.clone())).await;
            assert_eq!(refused.status, 429, "{spelling}");
        }
    }
}

#[tokio::test]
async fn users_with_one_address_cannot_be_created_and_deleted_without_end() {
    let fixture = start(|limits| limits.per_recipient = Rate::per_minute(ATTEMPTS), &[]).await;
    let admin = fixture.token(World::ADMIN).await;
    for _ in 0..ATTEMPTS {
        let created = fixture.post(&admin, "/users", new_user("fresh@example.com")).await;
        assert_eq!(created.status, 201, "{}", created.body);
        let path = format!("/admin/users/{}", created.body["id"]);
        assert_eq!(fixture.delete(&admin, &path).await.status, 204);
    }
    assert_eq!(fixture.post(&admin, "/users", new_user("fresh@example.com")).await.status, 429);
}

#[tokio::test]
async fn each_entry_of_a_batch_counts_as_a_request() {
    let fixture = start(|limits| limits.per_user = Rate::per_minute(10), &[]).await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let batch = async |entries: usize| {
        let entry = json!({ "dsn": "DEV-A1", "name": "fan", "datapoint": { "value": 1 } });
        let body = json!({ "batch_datapoints": vec![entry; entries] });
        fixture.post(&token, "/apiv1/batch_datapoints", body).await.status
    };
    assert_eq!([batch(6).await, batch(6).await, batch(3).await], [201, 429, 201]);
}

#[tokio::test]
async fn large_value_counts_as_several_requests() {
    let fixture = start(|limits| limits.per_user = Rate::per_minute(12), &[]).await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let store = async |method, path: &str, size: usize| {
        let body = json!({ "datum": { "key": "a", "value": "x".repeat(size) } });
        fixture.call(method, path, Some(&token), Some(body)).await.status
    };
    let of_device = ["/apiv1/dsns/DEV-A1/data", "/apiv1/dsns/DEV-A1/data/a"];
    let of_user = ["/api/v1/users/data", "/api/v1/users/data/a"];
    // Each counts as three.
    for [all, one] in [of_device, of_user] {
        assert_eq!([store(Method::POST, all, 8_192).await, store(Method::PUT, one, 8_192).await], [201, 200]);
    }
    assert_eq!(store(Method::PUT, of_user[1], 8_192).await, 429);
}

#[tokio::test]
async fn new_subscription_counts_as_several_requests() {
    let fixture = start(|limits| limits.per_user = Rate::per_minute(12), &[]).await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let subscribe = async || fixture.post(&token, "/api/v1/subscriptions", json!({})).await.status;
    assert_eq!([subscribe().await, subscribe().await], [201, 429]);
    assert_eq!(fixture.get(&token, "/api/v1/subscriptions").await.status, 200);
}

#[tokio::test]
async fn clients_behind_a_trusted_proxy_are_limited_by_their_own_addresses() {
    let fixture = start(|limits| limits.per_address = Rate::per_minute(1), &["127.0.0.1"]).await;
    let status = async |forwarded: Option<&str>| {
        let request = fixture.request(Method::GET, "/apiv1/devices.json");
        let request = forwarded.into_iter().fold(request, |request, chain| request.header("x-forwarded-for", chain));
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!([status(Some("192.0.2.1")).await, status(Some("192.0.2.1")).await], [401, 429]);
    assert_eq!(status(Some("192.0.2.1, 192.0.2.2")).await, 401, "only the last address is certain");
    assert_eq!([status(Some("2001:db8::1")).await, status(Some("2001:db8::2")).await], [401, 429], "one network");
    assert_eq!([status(None).await, status(None).await], [401, 401], "requests of the proxy itself");
}

#[tokio::test]
async fn requests_without_a_valid_token_beyond_the_limit_of_their_address_cost_no_query() {
    let fixture = start(|limits| limits.per_address = Rate::per_minute(ATTEMPTS), &[]).await;
    for _ in 0..ATTEMPTS {
        assert_eq!(fixture.request(Method::GET, "/apiv1/devices.json").send().await.unwrap().status(), 401);
    }
    // From now on, a query fails with 503.
    fixture.cloud.close_database().await;
    let mut requests = Vec::new();
    for route in routes() {
        let path: Vec<&str> =
            route.path.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect();
        let method = Method::from_bytes(route.method.as_bytes()).unwrap();
        for query in ["", "?stream_key=x&expires=9999999999&signature=00&confirmation_token=x"] {
            for token in [None, Some("invented")] {
                let request = fixture.request(method.clone(), &format!("{}{query}", path.join("/"))).json(&json!({}));
                let request = token.into_iter().fold(request, |request, token| request.header("authorization", token));
                let name = format!("{method} {}{query} {token:?}", route.path);
                requests.push(async move { (name, request.send().await.unwrap().status().as_u16()) });
            }
        }
    }
    assert!(requests.len() > 400, "{}", requests.len());
    // Together, because each is answered late.
    let answers: Vec<(String, u16)> = stream::iter(requests).buffer_unordered(200).collect().await;
    let others: Vec<_> = answers.into_iter().filter(|(_, status)| *status != 429).collect();
    assert!(others.is_empty(), "{others:?}");
    // It has no limit, and asks the database once a second.
    let ready = async || fixture.request(Method::GET, "/readyz").send().await.unwrap().status().as_u16();
    assert_eq!([ready().await, ready().await], [503, 503]);
}

#[tokio::test]
async fn slow_body_keeps_nobody_else_of_its_address_waiting() {
    let fixture = start(|_| {}, &[]).await;
    let mut slow = Vec::new();
    for path in ["/users/sign_in", "/users/password", "/users/refresh_token"] {
        let mut socket = TcpStream::connect(fixture.cloud.http_addr()).await.unwrap();
        let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n");
        socket.write_all(head.as_bytes()).await.unwrap();
        // The server waits for the body.
        let mut answer = [0; 12];
        socket.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 100");
        socket.write_all(b"{").await.unwrap();
        slow.push(socket);
    }
    assert_eq!(sign_in(&fixture, World::ADMIN, PASSWORD).await.status, 200);
    let token = reset_token(&fixture, World::ADMIN).await;
    assert_eq!(reset(&fixture, &token, NEW).await.status, 204);
    let large = json!({ "user": { "email": "a".repeat(20_000) } });
    assert_eq!(fixture.call(Method::POST, "/users/sign_in", None, Some(large)).await.status, 413);
    drop(slow);
}

#[tokio::test]
async fn password_is_hashed_only_with_a_valid_reset_token() {
    let fixture = start(|_| {}, &[]).await;
    let token = reset_token(&fixture, World::ADMIN).await;
    let before = fixture.cloud.hashes();
    for invalid in ["x", &token[1..], &token.to_uppercase()] {
        assert_eq!(reset(&fixture, invalid, NEW).await.status, 422);
    }
    assert_eq!(fixture.cloud.hashes(), before);
    assert_eq!(reset(&fixture, &token, NEW).await.status, 204);
    assert_eq!(fixture.cloud.hashes(), before + 1);
    assert_eq!(reset(&fixture, &token, NEW).await.status, 422, "used");
    assert_eq!(fixture.cloud.hashes(), before + 1);
}

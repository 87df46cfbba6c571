//! The demo's mailbox page.

use cloud::PhoneNumber;
use cloud::testing::TestCloud;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use crate::client::client;

const KEY: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";

struct Page {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

async fn get(cloud: &TestCloud, path: &str) -> Page {
    let answer = client().get(format!("{}{path}", cloud.url())).send().await.unwrap();
    Page { status: answer.status(), headers: answer.headers().clone(), text: answer.text().await.unwrap() }
}

async fn demo() -> TestCloud {
    TestCloud::start_with(|config| config.mailbox_key = Some(KEY.to_owned())).await
}

#[tokio::test]
async fn mailbox_lists_the_newest_first_and_shows_a_message() {
    let cloud = demo().await;
    let world = cloud.seed().await;
    let list = format!("/demo/outbox/{KEY}");
    assert!(get(&cloud, &list).await.text.contains("No messages yet"));
    for address in ["first@example.com", "<b>@example.com"] {
        cloud.operator().write_test_message(&world.oem, address).await.unwrap();
    }
    let page = get(&cloud, &list).await;
    assert_eq!(page.status, 200);
    let place = |words: &str| page.text.find(words).unwrap_or_else(|| panic!("{words}: {}", page.text));
    assert!(place("&lt;b&gt;@example.com") < place("first@example.com"), "{}", page.text);
    assert!(!page.text.contains("<b>"));
    assert!(page.text.contains("Not sent: no mail server") && page.text.contains("20 Nov 2026, 10:00 UTC"));

    let from = page.text.find(&format!("{KEY}/0")).map(|at| at + KEY.len() + 1).unwrap();
    let id = &page.text[from..from + 36];
    let message = get(&cloud, &format!("{list}/{id}")).await;
    assert_eq!(message.status, 200);
    assert!(
        message.text.contains("A test message") && message.text.contains("to test the delivery of mail."),
        "{}",
        message.text
    );
    assert!(!message.text.contains("<script") && !message.text.contains("<b>"));
    let style = get(&cloud, &format!("{list}/style.css")).await;
    assert_eq!(
        (style.status.as_u16(), &style.headers["content-type"]),
        (200, &"text/css; charset=utf-8".parse().unwrap())
    );
}

#[tokio::test]
async fn mailbox_shows_text_messages() {
    let cloud = demo().await;
    let world = cloud.seed().await;
    cloud.operator().write_test_text(&world.oem, &PhoneNumber::parse("+33612345678").unwrap()).await.unwrap();
    let list = get(&cloud, &format!("/demo/outbox/{KEY}")).await.text;
    for words in ["Text message", "+33612345678", "Not sent: no text gateway"] {
        assert!(list.contains(words), "{words}: {list}");
    }
    let from = list.find(&format!("{KEY}/0")).map(|at| at + KEY.len() + 1).unwrap();
    let message = get(&cloud, &format!("/demo/outbox/{KEY}/{}", &list[from..from + 36])).await.text;
    assert!(
        message.contains("<h1>Text message</h1>") && message.contains("to test the delivery of text messages"),
        "{message}"
    );
}

#[tokio::test]
async fn mailbox_address_is_not_leaked_and_runs_no_script() {
    let cloud = demo().await;
    let Page { headers, .. } = get(&cloud, &format!("/demo/outbox/{KEY}")).await;
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("script") && !policy.contains("unsafe"));
    assert_eq!(headers["referrer-policy"], "no-referrer");
    assert_eq!(headers["cache-control"], "no-store");
}

#[tokio::test]
async fn mailbox_without_its_key_is_not_found() {
    let cloud = demo().await;
    let world = cloud.seed().await;
    cloud.operator().write_test_message(&world.oem, "ada@example.com").await.unwrap();
    let other = "f".repeat(KEY.len());
    for path in [
        "/demo/outbox",
        "/demo/outbox/",
        "/demo/outbox/x",
        &format!("/demo/outbox/{other}"),
        &format!("/demo/outbox/{other}/style.css"),
        &format!("/demo/outbox/{KEY}x"),
        &format!("/demo/outbox/{KEY}/x"),
    ] {
        let page = get(&cloud, path).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(!page.text.contains("example.com"));
    }
}

#[tokio::test]
async fn mailbox_exists_only_on_a_loopback_cloud_of_a_demo() {
    let path = format!("/demo/outbox/{KEY}");
    assert_eq!(get(&TestCloud::start().await, &path).await.status, 404);
    let open = TestCloud::start_with(|config| {
        config.mailbox_key = Some(KEY.to_owned());
        config.listen = ([0, 0, 0, 0], 0).into();
    })
    .await;
    let port = open.http_addr().port();
    let answer = client().get(format!("http://127.0.0.1:{port}{path}")).send().await.unwrap();
    assert_eq!(answer.status(), 404);
}

//! Delivery of messages to a real mail server and a fake SMS gateway, step by step.

#![expect(clippy::unwrap_used, reason = "a missing value fails the test")]

mod addresses;
mod gateway;
#[path = "../device_link/log.rs"]
mod log;
mod nodes;
mod refusals;
mod security;
mod server;
mod texts;

use cloud::Branding;
use cloud::testing::{TestCloud, TestDelivery, TestMessage, World};
use jiff::SignedDuration;
use platform::mail::MailServer;
use platform::testing::TestMailServer;
use serde_json::Value;

/// A cloud whose messages wait for delivery.
struct Fixture {
    cloud: TestCloud,
    world: World,
}

impl Fixture {
    async fn start() -> Self {
        Self::on(TestCloud::start().await).await
    }

    async fn on(cloud: TestCloud) -> Self {
        let world = cloud.seed().await;
        Self { cloud, world }
    }

    async fn write(&self, recipient: &str) {
        let operator = self.cloud.operator().with_branding(Branding::default());
        operator.write_test_message(&self.world.oem, recipient).await.unwrap();
    }

    fn mail_delivery(&self, server: &MailServer) -> TestDelivery {
        self.cloud.mail_delivery(server)
    }

    fn advance(&self, by: SignedDuration) {
        self.cloud.clock().advance(by);
    }

    /// The only message.
    async fn message(&self) -> TestMessage {
        let mut outbox = self.cloud.outbox().await;
        assert_eq!(outbox.len(), 1);
        outbox.remove(0)
    }

    async fn state(&self) -> String {
        self.message().await.state
    }
}

/// A header of a message.
fn header<'m>(message: &'m Value, name: &str) -> &'m str {
    let content = message["content"].as_str().unwrap();
    let line = content.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
    line.unwrap_or_else(|| panic!("{name} is missing: {content}"))
}

#[tokio::test]
async fn message_arrives_once_in_text_and_html_with_sender_headers() {
    let fixture = Fixture::start().await;
    fixture.write("ada@example.com").await;
    assert_eq!(fixture.state().await, "waiting");
    let server = TestMailServer::start(&[]);
    let mail_delivery = fixture.mail_delivery(&server.plain());
    assert_eq!(mail_delivery.deliver().await, 1);

    let taken = server.next();
    assert_eq!((&taken["from"], &taken["to"][0]), (&"no-reply@cloud.example.com".into(), &"ada@example.com".into()));
    assert_eq!((&taken["encrypted"], &taken["user"]), (&Value::Bool(false), &Value::Null));
    let table = [
        ("From", "Sillage <no-reply@cloud.example.com>"),
        ("To", "ada@example.com"),
        ("Subject", "A test message"),
        ("Date", "Fri, 20 Nov 2026 10:00:00 +0000"),
        ("Auto-Submitted", "auto-generated"),
    ];
    for (name, value) in table {
        assert_eq!(header(&taken, name), value);
    }
    let id = header(&taken, "Message-ID");
    assert!(id.starts_with('<') && id.ends_with("@cloud.example.com>"), "{id}");
    let content = taken["content"].as_str().unwrap();
    for part in ["multipart/alternative", "Content-Type: text/plain", "Content-Type: text/html", "sent this message"] {
        assert!(content.contains(part), "{part}: {content}");
    }

    assert_eq!(fixture.state().await, "sent");
    fixture.advance(SignedDuration::from_hours(48));
    assert_eq!(mail_delivery.deliver().await, 0);
    assert!(server.stop().is_empty());
}

#[tokio::test]
async fn node_without_a_mail_server_keeps_its_messages() {
    let fixture = Fixture::start().await;
    fixture.cloud.operator().write_test_message(&fixture.world.oem, "ada@example.com").await.unwrap();
    let server = TestMailServer::start(&[]);
    assert_eq!(fixture.mail_delivery(&server.plain()).deliver().await, 0);
    assert_eq!(fixture.state().await, "kept");
}

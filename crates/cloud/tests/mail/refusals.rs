//! A mail server that rejects messages, temporarily or permanently, or is unavailable.

use jiff::SignedDuration;
use platform::mail::MailServer;
use platform::testing::{TestMailServer, own_address};

use crate::Fixture;

const LONGEST_WAIT: SignedDuration = SignedDuration::from_mins(10);

#[tokio::test]
async fn permanent_error_fails_the_message_immediately_without_logging_the_address() {
    let fixture = Fixture::start().await;
    fixture.write("nobody@example.com").await;
    let server = TestMailServer::start(&[]);
    let mail_delivery = fixture.mail_delivery(&server.plain());
    assert_eq!(mail_delivery.deliver().await, 1);
    let message = fixture.message().await;
    assert_eq!((&*message.state, message.attempts), ("failed", 1));
    assert_eq!(message.last_error.unwrap(), "550 5.1.1 [address] no such user");
    fixture.advance(SignedDuration::from_hours(24));
    assert_eq!(mail_delivery.deliver().await, 0);
}

#[tokio::test]
async fn message_to_an_invalid_address_fails_without_contacting_the_server() {
    let fixture = Fixture::start().await;
    for recipient in ["", "nobody", "a@b\r\nBcc: c@example.com", "ada@example.com, otto@example.com"] {
        fixture.write(recipient).await;
    }
    let server = TestMailServer::start(&[]);
    fixture.mail_delivery(&server.plain()).deliver().await;
    for message in fixture.cloud.outbox().await {
        assert_eq!((&*message.state, &*message.last_error.unwrap()), ("failed", "the recipient is not a mail address"));
    }
    assert!(server.stop().is_empty());
}

#[tokio::test]
async fn temporary_error_is_retried_with_backoff_and_given_up_after_a_day() {
    let fixture = Fixture::start().await;
    fixture.write("full@example.com").await;
    let server = TestMailServer::start(&[]);
    let mail_delivery = fixture.mail_delivery(&server.plain());
    assert_eq!(mail_delivery.deliver().await, 1);
    let message = fixture.message().await;
    assert_eq!((&*message.state, message.attempts), ("waiting", 1));
    assert_eq!(message.last_error.unwrap(), "452 4.2.2 [address] no room is left");

    // The first delay is 15 seconds, up to half of it random.
    fixture.advance(SignedDuration::from_millis(7_499));
    assert_eq!(mail_delivery.deliver().await, 0);
    fixture.advance(SignedDuration::from_millis(7_501));
    assert_eq!(mail_delivery.deliver().await, 1);

    let mut passed = SignedDuration::from_secs(15);
    while fixture.state().await == "waiting" {
        assert!(passed <= SignedDuration::from_hours(24) + LONGEST_WAIT, "{passed}");
        fixture.advance(LONGEST_WAIT);
        passed += LONGEST_WAIT;
        mail_delivery.deliver().await;
    }
    assert!(passed >= SignedDuration::from_hours(24), "{passed}");
    assert_eq!(fixture.state().await, "failed");
    assert_eq!(mail_delivery.deliver().await, 0);
}

#[tokio::test]
async fn messages_wait_for_an_unavailable_server_and_one_failure_blocks_no_other() {
    let fixture = Fixture::start().await;
    // On an address of its own, its port stays free while it is stopped.
    let host = own_address().to_string();
    let server = TestMailServer::start(&["--host", &host]);
    let (reached, port) = (MailServer { host: host.clone(), ..server.plain() }, server.port.to_string());
    drop(server);
    let mail_delivery = fixture.mail_delivery(&reached);
    for recipient in ["ada@example.com", "nobody@example.com", "otto@example.com"] {
        fixture.write(recipient).await;
    }
    for _ in 0..3 {
        assert_eq!(mail_delivery.deliver().await, 3);
        let outbox = fixture.cloud.outbox().await;
        assert!(outbox.iter().all(|message| message.state == "waiting" && message.last_error.is_some()), "{outbox:?}");
        fixture.advance(LONGEST_WAIT);
    }

    let server = TestMailServer::start(&["--host", &host, "--port", &port]);
    assert_eq!(mail_delivery.deliver().await, 3);
    let states: Vec<_> = fixture.cloud.outbox().await.into_iter().map(|message| message.state).collect();
    assert_eq!(states, ["sent", "failed", "sent"]);
    assert_eq!(server.stop().len(), 2);
}

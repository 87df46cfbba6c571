//! A mail server that refuses, for now or for good, or that is not there.

use jiff::SignedDuration;

use crate::Fixture;
use crate::server::Server;

const LONGEST_WAIT: SignedDuration = SignedDuration::from_mins(10);

#[tokio::test]
async fn a_permanent_refusal_fails_at_once_and_is_told_without_the_address() {
    let fixture = Fixture::start().await;
    fixture.write("nobody@example.com").await;
    let server = Server::start(&[]);
    let postman = fixture.postman(&server.plain());
    assert_eq!(postman.deliver().await, 1);
    let message = fixture.message().await;
    assert_eq!((&*message.state, message.attempts), ("failed", 1));
    assert_eq!(message.last_error.unwrap(), "550 5.1.1 [address] no such user");
    fixture.advance(SignedDuration::from_hours(24));
    assert_eq!(postman.deliver().await, 0);
}

#[tokio::test]
async fn what_is_no_address_fails_without_the_mail_server() {
    let fixture = Fixture::start().await;
    for recipient in ["", "nobody", "a@b\r\nBcc: c@example.com", "ada@example.com, otto@example.com"] {
        fixture.write(recipient).await;
    }
    let server = Server::start(&[]);
    fixture.postman(&server.plain()).deliver().await;
    for message in fixture.cloud.outbox().await {
        assert_eq!((&*message.state, &*message.last_error.unwrap()), ("failed", "the recipient is no mail address"));
    }
    assert!(server.stop().is_empty());
}

#[tokio::test]
async fn a_temporary_refusal_is_tried_again_later_and_later_and_given_up_after_a_day() {
    let fixture = Fixture::start().await;
    fixture.write("full@example.com").await;
    let server = Server::start(&[]);
    let postman = fixture.postman(&server.plain());
    assert_eq!(postman.deliver().await, 1);
    let message = fixture.message().await;
    assert_eq!((&*message.state, message.attempts), ("waiting", 1));
    assert_eq!(message.last_error.unwrap(), "452 4.2.2 [address] no room is left");

    // The first wait is 15 seconds, up to half of them left to chance.
    fixture.advance(SignedDuration::from_millis(7_499));
    assert_eq!(postman.deliver().await, 0);
    fixture.advance(SignedDuration::from_millis(7_501));
    assert_eq!(postman.deliver().await, 1);

    let mut passed = SignedDuration::from_secs(15);
    while fixture.state().await == "waiting" {
        assert!(passed <= SignedDuration::from_hours(24) + LONGEST_WAIT, "{passed}");
        fixture.advance(LONGEST_WAIT);
        passed += LONGEST_WAIT;
        postman.deliver().await;
    }
    assert!(passed >= SignedDuration::from_hours(24), "{passed}");
    assert_eq!(fixture.state().await, "failed");
    assert_eq!(postman.deliver().await, 0);
}

#[tokio::test]
async fn what_waits_for_a_server_that_is_down_goes_out_when_it_is_back_and_one_refusal_holds_nothing_up() {
    let fixture = Fixture::start().await;
    let server = Server::start(&[]);
    let (reached, port) = (server.plain(), server.port.to_string());
    drop(server);
    let postman = fixture.postman(&reached);
    for recipient in ["ada@example.com", "nobody@example.com", "otto@example.com"] {
        fixture.write(recipient).await;
    }
    for _ in 0..3 {
        assert_eq!(postman.deliver().await, 3);
        let outbox = fixture.cloud.outbox().await;
        assert!(outbox.iter().all(|message| message.state == "waiting" && message.last_error.is_some()), "{outbox:?}");
        fixture.advance(LONGEST_WAIT);
    }

    let server = Server::start(&["--port", &port]);
    assert_eq!(postman.deliver().await, 3);
    let states: Vec<_> = fixture.cloud.outbox().await.into_iter().map(|message| message.state).collect();
    assert_eq!(states, ["sent", "failed", "sent"]);
    assert_eq!(server.stop().len(), 2);
}

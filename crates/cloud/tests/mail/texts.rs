//! Delivery of texts to a fake gateway, step by step.

use std::collections::BTreeSet;

use cloud::testing::{TestCloud, TestDelivery, TestMessage};
use cloud::{Cloud, CloudConfig, PhoneNumber, SmsGateway, StartError};
use jiff::SignedDuration;
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::{TestDb, TestMailServer, pause};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use crate::Fixture;
use crate::gateway::{Answer, Gateway, NEVER, SENDER};
use crate::log::Log;

const NUMBER: &str = "+33612345678";
/// Duration of a claim.
const CLAIM: SignedDuration = SignedDuration::from_mins(5);
const LONGEST_WAIT: SignedDuration = SignedDuration::from_mins(10);
const INVALID: Answer =
    (400, None, r#"{"code":21211,"message":"'To' number +33612345678 is not valid: It does.","status":400}"#);

impl Fixture {
    async fn text(&self, number: &str) {
        let number = PhoneNumber::parse(number).unwrap();
        self.cloud
            .operator()
            .with_branding(cloud::Branding::default())
            .write_test_text(&self.world.oem, &number)
            .await
            .unwrap();
    }

    fn texts(&self, gateway: &Gateway) -> TestDelivery {
        self.cloud.text_delivery(&gateway.settings())
    }
}

#[tokio::test]
async fn text_arrives_once_as_a_twilio_form() {
    let fixture = Fixture::start().await;
    fixture.text(NUMBER).await;
    let TestMessage { channel, recipient, subject, state, .. } = fixture.message().await;
    assert_eq!((&*channel, &*recipient, &*subject, &*state), ("sms", NUMBER, "", "waiting"));
    let gateway = Gateway::start(&[]).await;
    let mail_delivery = fixture.texts(&gateway);
    assert_eq!(mail_delivery.deliver().await, 1);
    assert_eq!(fixture.state().await, "sent");
    fixture.advance(SignedDuration::from_hours(48));
    assert_eq!(mail_delivery.deliver().await, 0);

    let posted = gateway.posted();
    let [text] = &posted[..] else { panic!("{posted:?}") };
    assert_eq!(text.header("content-type"), "application/x-www-form-urlencoded");
    // AC0001:hush
    assert_eq!(text.header("authorization"), "Basic QUMwMDAxOmh1c2g=");
    assert_eq!((text.field("From"), text.field("To"), text.fields.len()), (SENDER, NUMBER, 3));
    assert_eq!(text.field("Body"), "An operator of Device cloud sent this text to test the delivery of text messages.");
}

#[tokio::test]
async fn permanent_gateway_error_is_reported_without_number_and_text() {
    let log = Log::listen();
    let fixture = Fixture::start().await;
    fixture.text(NUMBER).await;
    let gateway = Gateway::start(&[INVALID]).await;
    let mail_delivery = fixture.texts(&gateway);
    mail_delivery.deliver().await;
    let message = fixture.message().await;
    assert_eq!((&*message.state, message.attempts), ("failed", 1));
    assert_eq!(message.last_error.unwrap(), "the text gateway responded 400, code 21211");
    fixture.advance(SignedDuration::from_hours(24));
    assert_eq!(mail_delivery.deliver().await, 0);
    assert_eq!(log.lines(&["gave up on a message", "message.kind=\"test\""]).len(), 1);
    for secret in ["612345678", "It does", "AC0001", "hush"] {
        assert!(log.lines(&[secret]).is_empty(), "{secret}");
    }
}

#[tokio::test]
async fn retry_follows_retry_after_or_backs_off_on_server_errors() {
    let fixture = Fixture::start().await;
    fixture.text(NUMBER).await;
    let gateway = Gateway::start(&[(429, Some("120"), ""), (503, None, "<html>"), (401, None, "")]).await;
    let mail_delivery = fixture.texts(&gateway);
    mail_delivery.deliver().await;
    fixture.advance(SignedDuration::from_millis(119_999));
    assert_eq!(mail_delivery.deliver().await, 0);
    for (attempts, status) in [(1, "429"), (2, "503"), (3, "401")] {
        let message = fixture.message().await;
        assert_eq!((&*message.state, message.attempts), ("waiting", attempts));
        assert_eq!(message.last_error.unwrap(), format!("the text gateway responded {status}"));
        fixture.advance(if attempts == 1 { SignedDuration::from_millis(1) } else { LONGEST_WAIT });
        assert_eq!(mail_delivery.deliver().await, 1);
    }
    assert_eq!((&*fixture.state().await, gateway.posted().len()), ("sent", 4));
    let keys: BTreeSet<_> = gateway.posted().iter().map(|text| text.header("idempotency-key").to_owned()).collect();
    assert_eq!(keys.len(), 1, "every attempt has the same key");
}

#[tokio::test]
async fn text_is_given_up_after_a_day() {
    let fixture = Fixture::start().await;
    fixture.text(NUMBER).await;
    let gateway = Gateway::start(&[(500, None, ""); 300]).await;
    let mail_delivery = fixture.texts(&gateway);
    let mut passed = SignedDuration::ZERO;
    while fixture.state().await == "waiting" {
        mail_delivery.deliver().await;
        fixture.advance(LONGEST_WAIT);
        passed += LONGEST_WAIT;
        assert!(passed <= SignedDuration::from_hours(25), "{passed}");
    }
    assert!(passed >= SignedDuration::from_hours(24), "{passed}");
    assert_eq!(fixture.state().await, "failed");
}

#[tokio::test]
async fn texts_wait_for_an_unavailable_gateway_while_mail_is_delivered() {
    let fixture = Fixture::start().await;
    let gateway = Gateway::start(&[]).await;
    let mail_delivery = fixture.texts(&gateway);
    let address = gateway.stop().await;
    fixture.text(NUMBER).await;
    fixture.write("ada@example.com").await;
    let mails = TestMailServer::start(&[]);
    for _ in 0..3 {
        assert_eq!(mail_delivery.deliver().await, 1);
        fixture.advance(LONGEST_WAIT);
    }
    assert_eq!(fixture.mail_delivery(&mails.plain()).deliver().await, 1);
    let outbox = fixture.cloud.outbox().await;
    let [text, mail] = &outbox[..] else { panic!("{outbox:?}") };
    assert_eq!((&*text.state, &*mail.state), ("waiting", "sent"));
    let reason = text.last_error.as_deref().unwrap();
    assert!(reason.starts_with("the text gateway was not reached: ") && !reason.contains("AC0001"), "{reason}");

    let gateway = Gateway::start_at(address, &[]).await;
    assert_eq!(mail_delivery.deliver().await, 1);
    assert_eq!(fixture.cloud.outbox().await[0].state, "sent");
    assert_eq!(gateway.posted().len(), 1);
}

#[tokio::test]
async fn restart_neither_loses_nor_repeats_a_text() {
    let fixture = Fixture::start().await;
    let gateway = Gateway::start(&[]).await;
    fixture.text(NUMBER).await;
    assert_eq!(fixture.texts(&gateway).deliver().await, 1);
    fixture.text("+4915112345678").await;
    fixture.texts(&gateway).crash_before_sending().await;
    assert_eq!(fixture.texts(&gateway).deliver().await, 0, "the claim of the other node has not expired");
    fixture.advance(CLAIM);
    assert_eq!(fixture.texts(&gateway).deliver().await, 1);
    let numbers: Vec<_> = gateway.posted().iter().map(|text| text.field("To").to_owned()).collect();
    assert_eq!(numbers, [NUMBER, "+4915112345678"]);
}

#[tokio::test]
async fn text_is_never_sent_by_two_nodes() {
    let db = TestDb::postgres().await;
    let url = db.url.clone();
    let fixture = Fixture::on(TestCloud::start_with(move |config| config.database_url = url).await).await;
    for n in 0..40 {
        fixture.text(&format!("+336123456{n:02}")).await;
    }
    let gateway = Gateway::start(&[]).await;
    let (first, second) = (fixture.texts(&gateway), fixture.texts(&gateway));
    let (first, second) = tokio::join!(first.deliver(), second.deliver());
    assert_eq!(first + second, 40);
    let posted = gateway.posted();
    let numbers: BTreeSet<_> = posted.iter().map(|text| text.field("To")).collect();
    assert_eq!((posted.len(), numbers.len()), (40, 40));
    fixture.cloud.shutdown().await;
}

#[tokio::test]
async fn redirect_is_not_followed_with_the_token() {
    let fixture = Fixture::start().await;
    fixture.text(NUMBER).await;
    let gateway = Gateway::start(&[(307, None, "")]).await;
    fixture.texts(&gateway).deliver().await;
    assert_eq!(fixture.message().await.last_error.unwrap(), "the text gateway responded 307");
    assert_eq!((&*fixture.state().await, gateway.posted().len()), ("waiting", 1));
}

#[tokio::test]
async fn text_is_retried_when_the_gateway_hangs_up() {
    let fixture = Fixture::start().await;
    fixture.text(NUMBER).await;
    let gateway = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/messages", gateway.local_addr().unwrap());
    let settings = SmsGateway { url, ..Gateway::start(&[]).await.settings() };
    let hang_up = async {
        let (mut connection, _) = gateway.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.windows(5).any(|window| window == b"Body=") {
            assert_ne!(connection.read_buf(&mut request).await.unwrap(), 0, "the request body ends early");
        }
    };
    let mail_delivery = fixture.cloud.text_delivery(&settings);
    tokio::join!(mail_delivery.deliver(), hang_up);
    let message = fixture.message().await;
    let reason = message.last_error.unwrap();
    assert_eq!(message.state, "waiting", "{reason}");
    assert!(reason.starts_with("the text gateway gave no answer: ") && !reason.contains("messages"), "{reason}");
}

#[tokio::test]
async fn web_page_with_status_200_is_not_a_delivery() {
    let fixture = Fixture::start().await;
    fixture.text(NUMBER).await;
    let gateway = Gateway::start(&[(200, None, "<!doctype html><title>Sign in</title>")]).await;
    let mail_delivery = fixture.texts(&gateway);
    mail_delivery.deliver().await;
    let message = fixture.message().await;
    assert_eq!(
        (&*message.state, &*message.last_error.unwrap()),
        ("waiting", "the text gateway responded 200 with a web page")
    );
    fixture.advance(LONGEST_WAIT);
    mail_delivery.deliver().await;
    assert_eq!(fixture.state().await, "sent");
}

#[tokio::test]
async fn texts_are_kept_without_a_gateway_while_mail_is_sent() {
    let server = TestMailServer::start(&[]);
    let settings = server.plain();
    let cloud = TestCloud::start_with(|config| config.mail_server = Some(settings)).await;
    let fixture = Fixture::on(cloud).await;
    fixture.cloud.operator().write_test_text(&fixture.world.oem, &PhoneNumber::parse(NUMBER).unwrap()).await.unwrap();
    assert_eq!(fixture.state().await, "kept");
}

#[tokio::test]
async fn slow_attempt_does_not_keep_later_messages_waiting() {
    let fixture = Fixture::start().await;
    let gateway = Gateway::start(&[NEVER]).await;
    for _ in 0..40 {
        fixture.text(NUMBER).await;
    }
    let delivery = fixture.texts(&gateway);
    let all_posted = async {
        while gateway.posted().len() < 40 {
            pause().await;
        }
    };
    tokio::select! {
        _ = delivery.deliver() => panic!("an attempt was abandoned"),
        () = all_posted => {}
    }
}

#[tokio::test]
async fn node_with_a_gateway_delivers_texts_by_itself() {
    let gateway = Gateway::start(&[]).await;
    let settings = gateway.settings();
    let cloud = TestCloud::start_with(|config| {
        config.sms_gateway = Some(settings);
        config.mail_interval = std::time::Duration::from_millis(5);
    })
    .await;
    let fixture = Fixture::on(cloud).await;
    fixture.cloud.operator().write_test_text(&fixture.world.oem, &PhoneNumber::parse(NUMBER).unwrap()).await.unwrap();
    while fixture.state().await != "sent" {
        pause().await;
    }
    assert_eq!(gateway.posted().len(), 1);
}

#[tokio::test]
async fn invalid_sms_settings_fail_the_start_without_exposing_the_token() {
    let gateway = Gateway::start(&[]).await;
    let good = gateway.settings();
    let table = [
        (SmsGateway { url: "http://sms.example.com".to_owned(), ..good.clone() }, "unencrypted"),
        (SmsGateway { url: "sms.example.com".to_owned(), ..good.clone() }, "must look like"),
        (SmsGateway { account: String::new(), ..good.clone() }, "an account and a token"),
        (SmsGateway { token: "".into(), ..good.clone() }, "an account and a token"),
        (SmsGateway { sender: "0612345678901".to_owned(), ..good.clone() }, "a number such as"),
    ];
    for (settings, words) in table {
        let config = CloudConfig { sms_gateway: Some(settings), ..CloudConfig::new("sqlite:/nowhere/cloud.db") };
        let error = Cloud::start(config, Clock::system(), Random::system()).await.unwrap_err();
        assert!(matches!(error, StartError::Sms(_)), "{error}");
        let reason = format!("{error} {error:?}");
        assert!(reason.contains(words) && !reason.contains("hush"), "{reason}");
    }
    assert_eq!(format!("{good:?}"), "SmsGateway");
}

//! Encryption and credentials.

use cloud::{Cloud, CloudConfig, StartError};
use platform::mail::{MailSecurity, MailServer};
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::TestMailServer;
use serde_json::json;

use crate::Fixture;
use crate::server::{Certificate, PASSWORD, USER, credentials};

const SIGN_IN: [&str; 4] = ["--user", USER, "--password", PASSWORD];

#[tokio::test]
async fn starttls_and_implicit_tls_encrypt_and_credentials_sign_in() {
    let certificate = Certificate::new();
    for (tls, security) in [("starttls", MailSecurity::StartTls), ("wrapped", MailSecurity::Tls)] {
        for (arguments, credentials, user) in
            [(&[][..], None, json!(null)), (&SIGN_IN[..], credentials(PASSWORD), json!(USER))]
        {
            let fixture = Fixture::start().await;
            fixture.write("ada@example.com").await;
            let server = certificate.server(tls, arguments);
            let authority = Some(certificate.pem.clone());
            let reached = MailServer { security, credentials, authority, ..server.plain() };
            assert_eq!(fixture.mail_delivery(&reached).deliver().await, 1);
            let message = fixture.message().await;
            assert_eq!((&*message.state, &message.last_error), ("sent", &None), "{tls}");
            let taken = server.next();
            assert_eq!((&taken["encrypted"], &taken["user"]), (&json!(true), &user), "{tls}");
        }
    }
}

#[tokio::test]
async fn credentials_are_sent_unencrypted_only_to_this_machine() {
    let fixture = Fixture::start().await;
    fixture.write("ada@example.com").await;
    let server = TestMailServer::start(&SIGN_IN);
    let reached = MailServer { credentials: credentials(PASSWORD), ..server.plain() };
    fixture.mail_delivery(&reached).deliver().await;
    assert_eq!(server.next()["user"], USER);
    let refused = refusal(MailServer { host: "mail.example.com".to_owned(), ..reached }).await;
    assert_eq!(refused, "the password of the mail server would be sent unencrypted to another machine");
}

#[tokio::test]
async fn server_that_fails_verification_gets_nothing_and_the_message_waits() {
    let certificate = Certificate::new();
    let known = Some(certificate.pem.clone());
    let wrong = credentials("wrong");
    // The server, the connection settings, and the error in the outbox.
    for (arguments, tls, security, authority, credentials, words) in [
        (&[][..], None, MailSecurity::StartTls, known.clone(), None, "STARTTLS is not supported"),
        (&[], None, MailSecurity::Tls, known.clone(), None, ""),
        (&[], Some("starttls"), MailSecurity::StartTls, None, None, "certificate"),
        (&[], Some("wrapped"), MailSecurity::Tls, None, None, "certificate"),
        (&[], Some("starttls"), MailSecurity::None, None, None, "530"),
        (&SIGN_IN, Some("starttls"), MailSecurity::StartTls, known.clone(), wrong, "535"),
        (&SIGN_IN, Some("starttls"), MailSecurity::StartTls, known.clone(), None, "530"),
    ] {
        let fixture = Fixture::start().await;
        fixture.write("ada@example.com").await;
        let server = match tls {
            None => TestMailServer::start(arguments),
            Some(tls) => certificate.server(tls, arguments),
        };
        let reached = MailServer { security, authority, credentials, ..server.plain() };
        assert_eq!(fixture.mail_delivery(&reached).deliver().await, 1);
        let message = fixture.message().await;
        let error = message.last_error.unwrap();
        assert_eq!(message.state, "waiting", "{error}");
        assert!(error.contains(words), "{words}: {error}");
        assert!(!error.contains("wrong") && !error.contains('@'), "{error}");
        assert!(server.stop().is_empty());
    }
}

#[tokio::test]
async fn invalid_mail_settings_fail_the_start() {
    let server = TestMailServer::start(&[]);
    let table = [
        (MailServer { sender: "nobody".to_owned(), ..server.plain() }, "the sender is not a mail address"),
        (MailServer { sender: String::new(), ..server.plain() }, "the sender is not a mail address"),
        (
            MailServer { security: MailSecurity::Tls, authority: Some(b"hush".to_vec()), ..server.plain() },
            "contains no usable certificate",
        ),
    ];
    for (server, words) in table {
        let error = refusal(server).await;
        assert!(error.contains(words) && !error.contains("nobody") && !error.contains("hush"), "{error}");
    }
}

/// The error with which a cloud with this mail server fails to start.
async fn refusal(server: MailServer) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut config = CloudConfig::new(format!("sqlite:{}", folder.path().join("cloud.db").display()));
    config.mail_server = Some(server);
    let error = Cloud::start(config, Clock::system(), Random::system()).await.unwrap_err();
    assert!(matches!(error, StartError::Mail(_)), "{error}");
    error.to_string()
}

//! An operator's test messages, delivered by a node.

use platform::testing::{TestMailServer, own_address};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::node::Node;
use crate::{Cloud, NUMBER};

/// A node that sends mail to this server without encryption.
async fn sender(cloud: &Cloud, host: &str, port: &str) -> Node {
    let smtp = ["--smtp-host", host, "--smtp-port", port, "--smtp-security", "none"];
    let more = [&smtp[..], &["--smtp-from", "Sillage <no-reply@example.com>", "--smtp-retry", "1"]].concat();
    Node::start_with(&cloud.database, cloud.path(), &more).await
}

#[tokio::test]
async fn message_survives_a_restart_and_is_sent_once() {
    let cloud = Cloud::new();
    cloud.init();
    // On an address of its own, its port stays free while it restarts.
    let host = own_address().to_string();
    let server = TestMailServer::start(&["--host", &host]);
    let port = server.port.to_string();
    assert!(server.stop().is_empty());
    let first = sender(&cloud, &host, &port).await;
    assert!(cloud.run(&["outbox", "test", "otto@example.com"]).contains("outbox list"));
    let listed = cloud.run(&["outbox", "list"]);
    assert!(listed.contains("o***@example.com") && listed.contains("waiting") && !listed.contains("otto"), "{listed}");
    assert!(cloud.run(&["outbox", "list", "--addresses"]).contains("otto@example.com"));
    assert!(first.stop().success());

    let server = TestMailServer::start(&["--host", &host, "--port", &port]);
    let second = sender(&cloud, &host, &port).await;
    cloud.run(&["outbox", "test", "ada@example.com"]);
    let mut recipients = [server.next_recipient(), server.next_recipient()];
    recipients.sort();
    assert_eq!(recipients, ["ada@example.com", "otto@example.com"]);
    assert!(second.stop().success());
    assert!(server.stop().is_empty());
    let sent = cloud.run(&["outbox", "list", "--state", "sent"]);
    assert_eq!(sent.lines().count(), 3, "{sent}");
    let id = sent.lines().last().unwrap().split(' ').next().unwrap();
    let shown = cloud.run(&["outbox", "show", id]);
    assert!(shown.contains("otto@example.com") && shown.contains("An operator of Sillage"), "{shown}");
    let output = cloud.rejected(&["outbox", "retry", id], "");
    assert!(output.contains("the message is sent"), "{output}");
}

#[test]
fn text_message_list_masks_the_phone_number() {
    let cloud = Cloud::new();
    cloud.init();
    cloud.run(&["outbox", "test", "+33 6 12 34 56 78"]);
    let listed = cloud.run(&["outbox", "list"]);
    assert!(listed.contains("sms") && listed.contains("+***78") && !listed.contains(NUMBER), "{listed}");
    let id = listed.lines().last().unwrap().split(' ').next().unwrap();
    let shown = cloud.run(&["outbox", "show", id]);
    assert!(shown.contains(NUMBER) && shown.contains("to test the delivery of text messages"), "{shown}");
    assert!(!shown.contains("Subject"), "{shown}");
}

#[tokio::test]
async fn local_gateway_is_reached_without_a_proxy() {
    let cloud = Cloud::new();
    cloud.init();
    let gateway = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/messages", gateway.local_addr().unwrap());
    let token = cloud.file("token", "hush\n").display().to_string();
    let flags = ["--sms-gateway-url", &url, "--sms-gateway-account", "us", "--sms-gateway-token-file", &token];
    let node =
        Node::start_with(&cloud.database, cloud.path(), &[&flags[..], &["--sms-from", "Sillage"]].concat()).await;
    cloud.run(&["outbox", "test", &format!("+33{NUMBER}")]);

    let (mut connection, _) = gateway.accept().await.unwrap();
    let mut request = Vec::new();
    while !request.windows(5).any(|window| window == b"Body=") {
        assert_ne!(connection.read_buf(&mut request).await.unwrap(), 0, "the request is incomplete");
    }
    connection.write_all(b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n").await.unwrap();
    let request = String::from_utf8(request).unwrap();
    // us:hush
    assert!(request.starts_with("POST /messages ") && request.contains("Basic dXM6aHVzaA=="), "{request}");
    assert!(node.stop().success());
    assert_eq!(cloud.run(&["outbox", "list", "--state", "sent"]).lines().count(), 2);
}

//! Background tasks of a node that end.

use cloud::SmsGateway;
use cloud::testing::TestCloud;
use platform::db::Db;
use platform::mail::{MailSecurity, MailServer};
use platform::testing::TestDb;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::tls::Authority;
use platform::testing::PATIENCE;

platform::on_both_databases![end_of_any_background_task_is_a_failure_of_the_node];

/// All tasks of a node with a mail server, a text gateway and TLS.
const TASKS: [&str; 20] = [
    "HTTP server",
    "MQTT listener",
    "MQTTS listener",
    "certificate renewal",
    "clock",
    "command expiry",
    "command notifications",
    "connection losses",
    "event streams",
    "held messages",
    "late commands",
    "locked accounts",
    "mail delivery",
    "message writer",
    "replaced connections",
    "retention",
    "revocations",
    "rules",
    "schedules",
    "text delivery",
];

async fn end_of_any_background_task_is_a_failure_of_the_node(database: &TestDb) {
    let authority = Authority::new();
    let mail_server = MailServer {
        host: "127.0.0.1".into(),
        port: 25,
        security: MailSecurity::None,
        credentials: None,
        authority: None,
        sender: "Sillage <no-reply@example.com>".into(),
    };
    let sms_gateway = SmsGateway {
        url: "http://127.0.0.1:1/messages".into(),
        account: "account".into(),
        token: "token".into(),
        sender: "Sillage".into(),
    };
    let start = || {
        TestCloud::start_with(|config| {
            config.database_url.clone_from(&database.url);
            config.link_tls = Some(authority.issue());
            config.mail_server = Some(mail_server.clone());
            config.sms_gateway = Some(sms_gateway.clone());
        })
    };
    let mut tasks = TASKS.to_vec();
    if matches!(database.db, Db::Postgres(_)) {
        tasks.extend(["history partitions", "nodes"]);
        tasks.sort_unstable();
    }
    let cloud = start().await;
    assert_eq!(cloud.tasks(), tasks);
    cloud.shutdown().await;
    for task in tasks {
        let mut cloud = start().await;
        cloud.kill_task(task);
        let failure = timeout(PATIENCE, cloud.failed()).await.unwrap();
        assert_eq!(failure.to_string(), format!("the background task \"{task}\" ended"));
        cloud.shutdown().await;
    }
}

#[tokio::test]
async fn cloud_whose_device_link_has_ended_is_not_ready() {
    let mut cloud = TestCloud::start_with(|config| config.metrics_listen = Some(([127, 0, 0, 1], 0).into())).await;
    let metrics = format!("http://{}/metrics", cloud.metrics_addr().unwrap());
    // Another test of this process may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (client, url) = (Client::builder().tls_certs_only([]).build().unwrap(), format!("{}/readyz", cloud.url()));
    let ready = async || {
        let answer = client.get(&url).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    assert_eq!(ready().await, (200, json!({ "bus": true, "database": true, "link": true })));
    cloud.kill_task("MQTT listener");
    timeout(PATIENCE, cloud.failed()).await.unwrap();
    assert_eq!(ready().await, (503, json!({ "bus": true, "database": true, "link": false })));
    let metrics = client.get(metrics).send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("sillage_check_passed{check=\"link\"} 0\n"), "{metrics}");
    cloud.shutdown().await;
}

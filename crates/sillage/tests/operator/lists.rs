//! Lists of the operator's commands as JSON.

use platform::db::{Db, params};
use serde_json::{Value, json};

use super::{ADMIN, Cloud, value};

fn list(cloud: &Cloud, command: &[&str]) -> Value {
    serde_json::from_str(&cloud.run(&[command, &["--json"]].concat())).unwrap()
}

#[tokio::test]
async fn every_list_is_printed_as_json() {
    let cloud = Cloud::new();
    let printed = cloud.init();
    let app_id = value(&printed, "Application");

    let users = list(&cloud, &["user", "list"]);
    assert_eq!(users[0]["email"], ADMIN);
    assert_eq!(users[0]["roles"], json!([{ "name": "OEM::Admin", "label": null }]));
    assert_eq!((&users[0]["machine"], &users[1]["machine"]), (&json!(false), &json!(true)));
    let roles = list(&cloud, &["role", "list"]);
    assert_eq!((&roles[0]["name"], &roles[0]["kind"]), (&json!("OEM::Admin"), &json!("oem_admin")));
    cloud.run(&["application", "rotate-secret", app_id, "--overlap", "1"]);
    let applications = list(&cloud, &["application", "list"]);
    assert_eq!(applications[0]["id"], app_id);
    assert!(applications[0]["earlier_secret_until"].as_str().unwrap().ends_with('Z'), "{applications}");
    let templates = list(&cloud, &["template", "list"]);
    assert_eq!(templates[0]["setup_code_required"], false);

    let keys = cloud.path().join("keys.csv").display().to_string();
    assert_eq!(list(&cloud, &["device", "list"]), json!([]));
    cloud.run(&["device", "add", "--keys", &keys, "--generate", "1"]);
    let devices = list(&cloud, &["device", "list"]);
    assert_eq!((&devices[0]["online"], &devices[0]["connected_at"]), (&json!(false), &Value::Null));
    assert_eq!(list(&cloud, &["device", "registrations"]), json!([]));

    cloud.run(&["outbox", "test", "otto@example.com"]);
    let messages = list(&cloud, &["outbox", "list"]);
    assert_eq!((&messages[0]["recipient"], &messages[0]["attempts"]), (&json!("o***@example.com"), &json!(0)));
    assert!(messages[0].get("link").is_none() && messages[0].get("body").is_none(), "{messages}");
    assert_eq!(list(&cloud, &["outbox", "list", "--addresses"])[0]["recipient"], "otto@example.com");

    let db = Db::connect_existing(&cloud.database).await.unwrap();
    let sql = "insert into message_count (day, oem_id, scope, scope_id, channel, sent, held_back)
               select '2026-11-20', id, 'manufacturer', id, 'email', 50, 7 from oem";
    db.execute(sql, params![]).await.unwrap();
    cloud.run(&["budget", "set", "--gap", "60"]);
    let budgets = list(&cloud, &["budget", "list", "--day", "2026-11-20"]);
    assert_eq!((&budgets["spending"][0]["sent"], &budgets["spending"][0]["held_back"]), (&json!(50), &json!(7)));
    assert_eq!((&budgets["limits"]["gap_seconds"], &budgets["limits"]["per_device"]), (&json!(60), &Value::Null));
}

//! Daily budgets of messages.

use platform::db::{Db, params};

use super::Cloud;

#[tokio::test]
async fn spent_budgets_are_listed_and_manufacturers_get_limits_of_their_own() {
    let cloud = Cloud::new();
    cloud.init();
    let listed = cloud.run(&["budget", "list"]);
    assert!(listed.starts_with("Budget  Of  Channel  Messages  Held back\nLimits: the options"), "{listed}");

    let db = Db::connect_existing(&cloud.database).await.unwrap();
    let sql = "insert into message_count (day, oem_id, scope, scope_id, channel, sent, held_back)
               select '2026-11-20', id, 'manufacturer', id, 'email', 50, 7 from oem";
    db.execute(sql, params![]).await.unwrap();
    let listed = cloud.run(&["budget", "list", "--day", "2026-11-20"]);
    let row: Vec<&str> = listed.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!((row[0], &row[row.len() - 3..]), ("manufacturer", &["email", "50", "7"][..]), "{listed}");
    assert!(!cloud.run(&["budget", "list"]).contains("manufacturer  "), "no messages today");

    cloud.run(&["budget", "set", "--per-device", "5"]);
    cloud.run(&["budget", "set", "--per-partner", "9"]);
    let own = "5 a day per device, the cloud's limit per author, 9 per partner, the cloud's limit in total; 60 seconds between messages";
    assert!(cloud.run(&["budget", "set", "--gap", "60"]).contains(own));
    assert!(cloud.run(&["budget", "list"]).contains(own));
    cloud.rejected(&["budget", "set"], "");
    cloud.rejected(&["budget", "set", "--per-device", "-1"], "");
    cloud.run(&["budget", "reset"]);
    assert!(cloud.run(&["budget", "list"]).contains("Limits: the options of the cloud"));
}

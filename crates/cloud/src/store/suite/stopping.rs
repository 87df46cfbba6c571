//! Shutdown of a node stores pending messages.

use futures::future::join_all;
use platform::db::Db;
use platform::store_suite;
use serde_json::json;

use super::{node, report_of};

async fn messages_before_the_stop_are_stored_and_later_ones_are_not(db: Db) {
    let node = node(db).await;
    let device = node.device("DEV-A1").await;
    let report = |n: usize| node.link.report(&device, report_of(vec![("fan".into(), json!(n))]));
    // Without an await in between: the writer has received no report when it is stopped.
    let (reports, ()) = tokio::join!(join_all((0..50).map(report)), async { node.stop.cancel() });
    assert!(reports.iter().all(Result::is_ok), "{reports:?}");
    assert_eq!(node.history("DEV-A1", "fan").await.len(), 50);
    let late = report(50).await.unwrap_err();
    assert!(late.to_string().contains("closed"), "{late}");
    assert_eq!(node.history("DEV-A1", "fan").await.len(), 50);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [messages_before_the_stop_are_stored_and_later_ones_are_not]
);

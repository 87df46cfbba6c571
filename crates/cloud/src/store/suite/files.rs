//! Files: uploads, completion and retention.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::run::random::Random;
use platform::store_suite;
use serde_json::Value;

use super::{Node, node};
use crate::background;
use crate::devices::files::Files;
use crate::store::files;
use crate::store::properties::PropertyRow;

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// The retention of the template in [`World`].
const KEPT_DAYS: i32 = 400;

impl Node {
    fn files(&self) -> Files {
        Files {
            db: self.db.clone(),
            clock: self.clock.clone(),
            random: Random::seeded(2),
            bus: self.bus.clone(),
            reactions: self.commands.reactions.clone(),
            public_url: "http://cloud.test".into(),
            limit: 1000,
        }
    }

    async fn log(&self) -> PropertyRow {
        self.property("DEV-A1", "log").await
    }

    /// A placeholder's id.
    async fn placeholder(&self, files: &Files) -> String {
        let file = files.create("user", &self.log().await, None).await.unwrap();
        serde_json::to_value(file).unwrap()["id"].as_str().unwrap().to_owned()
    }

    async fn upload(&self, id: &str, bytes: &[u8]) {
        assert!(files::begin_upload(&self.db, id, "upload").await.unwrap());
        assert!(files::append(&self.db, id, "upload", 0, bytes.to_vec()).await.unwrap());
        assert!(files::end_upload(&self.db, id, "upload", i64::try_from(bytes.len()).unwrap()).await.unwrap());
    }

    async fn close(&self, files: &Files, id: &str) -> bool {
        let file = files::find(&self.db, id).await.unwrap().unwrap();
        files.close(&file, &self.log().await).await.unwrap()
    }

    async fn rows(&self, table: &'static str) -> i64 {
        let sql = if table == "file" { "select count(*) from file" } else { "select count(*) from file_chunk" };
        self.db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0
    }

    async fn log_history(&self) -> Vec<String> {
        let name = |value: Value| value.as_str().unwrap().rsplit('/').next().unwrap().replace(".json", "");
        self.history("DEV-A1", "log").await.into_iter().map(name).collect()
    }
}

async fn newer_upload_replaces_an_unfinished_one(db: Db) {
    let node = node(db).await;
    let id = node.placeholder(&node.files()).await;
    let append = async |upload, number, bytes: &[u8]| {
        files::append(&node.db, &id, upload, number, bytes.to_vec()).await.unwrap()
    };
    assert!(files::begin_upload(&node.db, &id, "older").await.unwrap());
    assert!(append("older", 0, b"old").await && append("older", 1, b"old").await);
    assert!(files::begin_upload(&node.db, &id, "newer").await.unwrap());
    assert!(append("newer", 0, b"new").await);
    assert!(!append("older", 2, b"old").await);
    assert!(!files::end_upload(&node.db, &id, "older", 9).await.unwrap());
    assert!(files::end_upload(&node.db, &id, "newer", 3).await.unwrap());
    assert!(!append("newer", 1, b"late").await);
    assert!(!files::begin_upload(&node.db, &id, "late").await.unwrap());
    assert_eq!(files::chunk(&node.db, &id, 0).await.unwrap().unwrap(), b"new");
    assert_eq!(files::chunk(&node.db, &id, 1).await.unwrap(), None);
    assert!(!files::begin_upload(&node.db, "no-such-id", "x").await.unwrap());
}

async fn files_become_datapoints_in_completion_order(db: Db) {
    let (node, second) = (node(db).await, SignedDuration::from_secs(1));
    let files = node.files();
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(node.placeholder(&files).await);
        node.clock.advance(second);
    }
    for id in [&ids[2], &ids[0], &ids[1]] {
        assert!(!node.close(&files, id).await, "a file without bytes cannot be closed");
        node.upload(id, b"bytes").await;
        assert!(node.close(&files, id).await && node.close(&files, id).await, "closed once, called twice");
        node.clock.advance(second);
    }
    assert_eq!(node.log_history().await, [&*ids[2], &*ids[0], &*ids[1]]);
    assert!(node.log().await.value().as_str().unwrap().contains(&ids[1]), "the last one is the value");
}

async fn incomplete_file_is_deleted_after_a_day(db: Db) {
    let node = node(db).await;
    let files = node.files();
    let (empty, uploaded, complete) =
        (node.placeholder(&files).await, node.placeholder(&files).await, node.placeholder(&files).await);
    node.upload(&uploaded, b"bytes").await;
    node.upload(&complete, b"bytes").await;
    assert!(node.close(&files, &complete).await);
    node.clock.advance(DAY);
    background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    assert_eq!((node.rows("file").await, node.rows("file_chunk").await), (3, 2), "incomplete files are kept for a day");
    node.clock.advance(SignedDuration::from_secs(1));
    background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    assert_eq!((node.rows("file").await, node.rows("file_chunk").await), (1, 1));
    for gone in [&empty, &uploaded] {
        assert!(files::find(&node.db, gone).await.unwrap().is_none());
        assert!(!files::append(&node.db, gone, "upload", 1, vec![1]).await.unwrap());
    }
    assert_eq!(files::chunk(&node.db, &complete, 0).await.unwrap().unwrap(), b"bytes");
}

async fn files_are_deleted_with_their_datapoints_except_the_last_one(db: Db) {
    let node = node(db).await;
    let files = node.files();
    let mut ids = Vec::new();
    for _ in 0..2 {
        let id = node.placeholder(&files).await;
        node.upload(&id, b"bytes").await;
        assert!(node.close(&files, &id).await);
        node.clock.advance(DAY);
        ids.push(id);
    }
    node.clock.advance(DAY * KEPT_DAYS);
    background::retention::clear(&node.db, node.clock.now(), super::SESSIONS).await.unwrap();
    assert_eq!(node.log_history().await, [&*ids[1]]);
    assert_eq!((node.rows("file").await, node.rows("file_chunk").await), (1, 1));
    assert!(files::find(&node.db, &ids[1]).await.unwrap().is_some());
}

async fn files_are_deleted_with_their_device(db: Db) {
    let node = node(db).await;
    let id = node.placeholder(&node.files()).await;
    node.upload(&id, b"bytes").await;
    node.db.execute("delete from device where dsn = 'DEV-A1'", params![]).await.unwrap();
    assert_eq!((node.rows("file").await, node.rows("file_chunk").await), (0, 0));
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        newer_upload_replaces_an_unfinished_one,
        files_become_datapoints_in_completion_order,
        incomplete_file_is_deleted_after_a_day,
        files_are_deleted_with_their_datapoints_except_the_last_one,
        files_are_deleted_with_their_device,
    ]
);

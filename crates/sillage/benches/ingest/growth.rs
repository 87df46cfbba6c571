//! The cost of a datapoint in a small and in a large database.

use std::sync::Arc;
use std::time::Duration;

use platform::db::{Db, params};
use platform::testing::TestDb;
use tokio::sync::Semaphore;

use crate::bare::BareLoop;
use crate::link::Fleet;
use crate::node::Node;
use crate::now;

const FILL: usize = 2_000;
const ROUNDS: usize = 9;
const REPORTS: usize = 3;
/// Rows in one round of the bare loop, written in one commit.
const ROWS: usize = 10_000;
const BATCH: usize = 500;

/// A filled database with its writers.
struct Store {
    db: Db,
    _node: Node,
    fleet: Fleet,
    bare: BareLoop,
    _folder: tempfile::TempDir,
}

impl Store {
    async fn with(test: &TestDb, rows: usize) -> Self {
        let mut bare = BareLoop::new(test).await;
        bare.write(rows, FILL).await;
        settle(test).await;
        let folder = tempfile::tempdir().unwrap();
        let node = Node::start(&test.url, folder.path()).await;
        let mut fleet = Fleet::connect(&node, Arc::new(Semaphore::new(Semaphore::MAX_PERMITS))).await;
        fleet.report(1).await;
        Self { db: test.db.clone(), _node: node, fleet, bare, _folder: folder }
    }

    async fn over_link(&mut self) -> Duration {
        let begin = now();
        let rows = self.fleet.report(REPORTS).await;
        begin.elapsed() / u32::try_from(rows).unwrap()
    }

    async fn bare(&mut self) -> Duration {
        let begin = now();
        self.bare.write(ROWS, BATCH).await;
        begin.elapsed() / u32::try_from(ROWS).unwrap()
    }
}

/// Finishes background work of the load, so that it is not measured.
async fn settle(db: &Db) {
    match db {
        Db::Sqlite { .. } => {
            db.execute("pragma wal_checkpoint(truncate)", params![]).await.unwrap();
        }
        Db::Postgres(_) => {
            db.execute("vacuum analyze", params![]).await.unwrap();
            db.execute("checkpoint", params![]).await.unwrap();
        }
    }
}

/// The median cost of one datapoint over the link and by the bare loop, in the small and the large database. Rounds alternate,
/// so that all run under the same conditions.
pub(crate) async fn measure(few: &TestDb, fewer: usize, many: &TestDb, more: usize) -> [(Duration, Duration); 2] {
    let (mut few, mut many) = (Store::with(few, fewer).await, Store::with(many, more).await);
    let mut link = (vec![], vec![]);
    for _ in 0..ROUNDS {
        link.0.push(few.over_link().await);
        link.1.push(many.over_link().await);
    }
    // The chains of datapoints have grown since.
    few.bare = BareLoop::on(&few.db).await;
    many.bare = BareLoop::on(&many.db).await;
    let mut bare = (vec![], vec![]);
    for _ in 0..ROUNDS {
        bare.0.push(few.bare().await);
        bare.1.push(many.bare().await);
    }
    [(median(link.0), median(link.1)), (median(bare.0), median(bare.1))]
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

//! Step-by-step delivery of messages.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use platform::mail::{FailureLog, RetryPolicy};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::background::delivery::{CONCURRENCY, Delivery, MessageTransport};

/// Interval between checks for due messages.
const POLL: Duration = Duration::from_secs(1);

/// The delivery job of a node without anything else.
pub struct TestDelivery(Arc<Delivery>);

impl TestDelivery {
    pub(super) fn new(app: &App, transport: MessageTransport) -> Self {
        let App { db, clock, random, nodes, .. } = app.clone();
        let retry = RetryPolicy::default();
        Self(Arc::new(Delivery {
            db,
            clock,
            random,
            nodes,
            transport,
            retry,
            failures: FailureLog::default(),
            every: POLL,
        }))
    }

    /// Attempts to deliver everything that is due. Returns the number of messages.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn deliver(&self) -> usize {
        self.0.deliver(&CancellationToken::new()).await.expect("a database")
    }

    /// Claims due messages and crashes before sending them. Nobody notices before the claims expire.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn crash_before_sending(self) {
        self.0.claim("dead", CONCURRENCY, 0).await.expect("a database");
    }

    /// Claims and sends due messages, and crashes before recording the result.
    ///
    /// # Panics
    /// If the database fails or the server rejects a message.
    pub async fn crash_after_sending(self) {
        for row in self.0.claim("dead", CONCURRENCY, 0).await.expect("a database") {
            self.0.transport.send(&row, self.0.clock.now()).await.expect("the server takes it");
        }
    }
}

impl fmt::Debug for TestDelivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TestDelivery")
    }
}

//! A node that delivers messages step by step.

use std::fmt;

use crate::app::App;
use crate::jobs::delivery::{Delivery, MessageTransport};
use crate::mail::MailRetry;

/// The delivery of a node that does nothing else.
pub struct TestDelivery(Delivery);

impl TestDelivery {
    pub(super) fn new(app: &App, transport: MessageTransport) -> Self {
        let App { db, clock, random, .. } = app.clone();
        Self(Delivery { db, clock, random, transport, retry: MailRetry::default() })
    }

    /// Tries everything that is due; answers how many messages that were.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn deliver(&self) -> usize {
        let mut tried = 0;
        loop {
            match self.0.deliver().await.expect("a database") {
                0 => return tried,
                some => tried += some,
            }
        }
    }

    /// Claims what is due, and dies before it sends it.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn crash_before_sending(self) {
        self.0.claim("dead").await.expect("a database");
    }

    /// Claims and sends what is due, and dies before it notes that.
    ///
    /// # Panics
    /// When the database fails, or the server refuses.
    pub async fn crash_after_sending(self) {
        for row in self.0.claim("dead").await.expect("a database") {
            self.0.transport.send(&row, self.0.clock.now()).await.expect("the server takes it");
        }
    }
}

impl fmt::Debug for TestDelivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TestDelivery")
    }
}

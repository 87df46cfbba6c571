//! Step-by-step delivery of messages.

use std::fmt;

use crate::app::App;
use crate::jobs::delivery::{Delivery, MessageTransport};
use crate::mail::MailRetry;

/// The delivery job of a node without anything else.
pub struct TestDelivery(Delivery);

impl TestDelivery {
    pub(super) fn new(app: &App, transport: MessageTransport) -> Self {
        let App { db, clock, random, .. } = app.clone();
        Self(Delivery { db, clock, random, transport, retry: MailRetry::default() })
    }

    /// Attempts to deliver everything that is due. Returns the number of messages.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn deliver(&self) -> usize {
        let mut tried = 0;
        loop {
            match self.0.deliver().await.expect("a database") {
                0 => return tried,
                some => tried += some,
            }
        }
    }

    /// Claims due messages and crashes before sending them.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn crash_before_sending(self) {
        self.0.claim("dead").await.expect("a database");
    }

    /// Claims and sends due messages, and crashes before recording the result.
    ///
    /// # Panics
    /// If the database fails or the server rejects a message.
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

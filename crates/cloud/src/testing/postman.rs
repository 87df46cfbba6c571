//! A node that delivers mail step by step.

use std::fmt;

use crate::MailServer;
use crate::app::App;
use crate::jobs::mail::Delivery;
use crate::mail::{MailRetry, Transport};

/// The mail delivery of a node that does nothing else.
pub struct Postman(Delivery);

impl Postman {
    pub(super) fn new(app: &App, server: &MailServer) -> Self {
        let App { db, clock, random, .. } = app.clone();
        let transport = Transport::new(server).expect("a mail server");
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
    pub async fn die_before_sending(self) {
        self.0.claim("dead").await.expect("a database");
    }

    /// Claims and sends what is due, and dies before it notes that.
    ///
    /// # Panics
    /// When the database fails, or the mail server refuses.
    pub async fn die_after_sending(self) {
        for row in self.0.claim("dead").await.expect("a database") {
            self.0.transport.send(&row).await.expect("the mail server takes it");
        }
    }
}

impl fmt::Debug for Postman {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Postman")
    }
}

//! Background jobs, run on demand.

use platform::mail::{self, MailServer};

use super::{TestCloud, TestDelivery};
use crate::SmsGateway;
use crate::background::delivery::MessageTransport;
use crate::messages::sms;

impl TestCloud {
    /// Expires due commands by the [clock](Self::clock).
    ///
    /// # Panics
    /// If the database fails.
    pub async fn expire_commands(&self) {
        self.cloud.app().commands().expire(self.clock.now()).await.expect("a database");
    }

    /// Sets the devices of this node Offline, as other nodes do when it was killed. It can connect no devices afterwards.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn sweep_connections(&self) {
        let nodes = &self.cloud.app().nodes;
        nodes.leave(false).await;
        nodes.sweep().await.expect("a database");
    }

    /// Sends a heartbeat to the other nodes.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn send_heartbeat(&self) {
        self.cloud.app().nodes.beat().await.expect("a database");
    }

    /// Observes the heartbeats of the other nodes by the [clock](Self::clock), and takes over the work of dead nodes.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn observe_nodes(&self) {
        let nodes = &self.cloud.app().nodes;
        nodes.observe().await.expect("a database");
        nodes.sweep().await.expect("a database");
    }

    /// Reports due connection losses by the [clock](Self::clock).
    ///
    /// # Panics
    /// If the database fails.
    pub async fn notify_losses(&self) {
        let app = self.cloud.app();
        while app.reactions.notify_losses(&app.db, self.clock.now()).await.expect("a database") > 0 {}
    }

    /// Mails the owners of locked accounts. Returns the number of locks that were found.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn tell_locks(&self) -> usize {
        self.cloud.app().people().tell_locks().await.expect("a database")
    }

    /// Executes due schedules by the [clock](Self::clock). Returns the number of schedules checked.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn fire_schedules(&self) -> usize {
        let schedules = self.cloud.app().schedules();
        let mut fired = 0;
        loop {
            match schedules.fire().await.expect("a database") {
                0 => return fired,
                some => fired += some,
            }
        }
    }

    /// Evaluates all rule events, including those that result from rules.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn evaluate_rules(&self) {
        while self.cloud.app().rules().evaluate_due().await.expect("a database") > 0 {}
    }

    /// A node on the same database that delivers mail on demand.
    ///
    /// # Panics
    /// If the mail server settings are invalid.
    #[must_use]
    pub fn mail_delivery(&self, server: &MailServer) -> TestDelivery {
        let transport = mail::Transport::new(server).expect("a mail server");
        TestDelivery::new(self.cloud.app(), MessageTransport::Mail(transport))
    }

    /// The same for text messages.
    ///
    /// # Panics
    /// If the gateway settings are invalid.
    #[must_use]
    pub fn text_delivery(&self, gateway: &SmsGateway) -> TestDelivery {
        let transport = sms::Transport::new(gateway).expect("a gateway");
        TestDelivery::new(self.cloud.app(), MessageTransport::Texts(transport))
    }
}

//! What a node does by itself, when a test says so.

use super::{TestCloud, TestDelivery};
use crate::jobs::delivery::MessageTransport;
use crate::{MailServer, SmsGateway, mail, sms};

impl TestCloud {
    /// Lets the commands expire whose time is over by the [clock](Self::clock).
    ///
    /// # Panics
    /// When the database fails.
    pub async fn expire_commands(&self) {
        self.cloud.app().commands().expire(self.clock.now()).await.expect("a database");
    }

    /// Does with the connections what a node does when it starts.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn sweep_connections(&self) {
        self.cloud.app().link.sweep().await.expect("a database");
    }

    /// Tells of the connections that are lost for long enough by the [clock](Self::clock).
    ///
    /// # Panics
    /// When the database fails.
    pub async fn notify_losses(&self) {
        let app = self.cloud.app();
        while app.reactions.notify_losses(&app.db, self.clock.now()).await.expect("a database") > 0 {}
    }

    /// Lets the schedules do what they do whose time has come by the [clock](Self::clock); answers how many were looked at.
    ///
    /// # Panics
    /// When the database fails.
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

    /// Lets rules look at all that happened, and at what follows from it.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn evaluate_rules(&self) {
        while self.cloud.app().rules().evaluate_due().await.expect("a database") > 0 {}
    }

    /// A node on the same database that delivers mail when it is told to.
    ///
    /// # Panics
    /// When the mail server makes no sense.
    #[must_use]
    pub fn mail_delivery(&self, server: &MailServer) -> TestDelivery {
        let transport = mail::Transport::new(server).expect("a mail server");
        TestDelivery::new(self.cloud.app(), MessageTransport::Mail(transport))
    }

    /// The same for text messages.
    ///
    /// # Panics
    /// When the gateway makes no sense.
    #[must_use]
    pub fn text_delivery(&self, gateway: &SmsGateway) -> TestDelivery {
        let transport = sms::Transport::new(gateway).expect("a gateway");
        TestDelivery::new(self.cloud.app(), MessageTransport::Texts(transport))
    }
}

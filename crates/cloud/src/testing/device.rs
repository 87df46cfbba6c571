use jiff::Timestamp;
use serde_json::Value;

use super::device_key;
use crate::devices::link::{AckMessage, DeviceReport, Generation, LinkService, LinkedDevice, ReportError};

/// A device of [`World`](super::World), as the device link represents it.
#[derive(Debug)]
pub struct TestDevice {
    link: LinkService,
    device: LinkedDevice,
}

impl TestDevice {
    pub(super) async fn sign_in(link: LinkService, dsn: &str) -> Self {
        let authentication = link.authenticate(dsn, &device_key(dsn)).await.expect("a database");
        let device = authentication.accepted().expect("a known device");
        Self { link, device }
    }

    /// Connects. Returns the generation of the connection.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn connect(&self) -> i64 {
        self.link.connected(&self.device).await.expect("a database").0
    }

    /// Disconnects, unless a newer connection exists.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn disconnect(&self, generation: i64) {
        self.link.disconnected(&self.device, Generation(generation)).await.expect("a database");
    }

    /// Ends the connection because a newer one replaced it.
    pub async fn end_replaced(&self) {
        self.link.replaced_by_newer(&self.device).await;
        self.link.store_faults(&self.device, None).await;
    }

    /// The connection of this generation has received nothing since then.
    pub async fn fall_silent(&self, generation: i64, since: Timestamp) {
        self.link.set_silent(&self.device, Generation(generation), Some(since)).await;
    }

    /// Reports values.
    ///
    /// # Panics
    /// If the database fails or a value is rejected.
    pub async fn report(&self, values: &[(&str, Value)]) {
        self.try_report(values).await.expect("good values");
    }

    /// Reports values.
    ///
    /// # Errors
    /// Why the report is rejected.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn try_report(&self, values: &[(&str, Value)]) -> Result<(), String> {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let report = DeviceReport { values, ..DeviceReport::default() };
        match self.link.report(&self.device, report).await {
            Err(ReportError::Database(error)) => panic!("{error}"),
            reported => reported.map_err(|error| error.to_string()),
        }
    }

    /// Acknowledges a command; status 200 means success.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn ack(&self, command: &str, status: i64, message: i64) {
        let message = Some(AckMessage::Int(message));
        self.link.ack(&self.device, command, status, message).await.expect("a database");
    }

    /// The pending commands: id, property, value.
    ///
    /// # Panics
    /// If the database fails.
    pub async fn pending(&self) -> Vec<(String, String, Value)> {
        let commands = self.link.pending_commands(&self.device).await.expect("a database");
        commands.into_iter().map(|command| (command.id, command.property, command.value)).collect()
    }
}

use serde_json::Value;

use super::device_key;
use crate::devices::link::{AckMessage, DeviceReport, Generation, LinkService, LinkedDevice, ReportError};

/// A device of the [`World`](super::World) at the device link.
#[derive(Debug)]
pub struct TestDevice {
    link: LinkService,
    device: LinkedDevice,
}

impl TestDevice {
    pub(super) async fn sign_in(link: LinkService, dsn: &str) -> Self {
        let device = link.authenticate(dsn, &device_key(dsn)).await.expect("a database").expect("a known device");
        Self { link, device }
    }

    /// Comes Online. Returns the connection's generation.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn connect(&self) -> i64 {
        self.link.connected(&self.device).await.expect("a database").0
    }

    /// Goes Offline, unless it has come again since.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn disconnect(&self, generation: i64) {
        self.link.disconnected(&self.device, Generation(generation)).await.expect("a database");
    }

    /// Reports values.
    ///
    /// # Panics
    /// When the database fails, or a value is refused.
    pub async fn report(&self, values: &[(&str, Value)]) {
        self.try_report(values).await.expect("good values");
    }

    /// Reports values.
    ///
    /// # Errors
    /// Why the report is refused.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn try_report(&self, values: &[(&str, Value)]) -> Result<(), String> {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let report = DeviceReport { values, ..DeviceReport::default() };
        match self.link.report(&self.device, report).await {
            Err(ReportError::Database(error)) => panic!("{error}"),
            reported => reported.map_err(|error| error.to_string()),
        }
    }

    /// Returns a command; 200 is good.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn ack(&self, command: &str, status: i64, message: i64) {
        let message = Some(AckMessage::Int(message));
        self.link.ack(&self.device, command, status, message).await.expect("a database");
    }

    /// The commands that it has yet to obey: id, property, value.
    ///
    /// # Panics
    /// When the database fails.
    pub async fn pending(&self) -> Vec<(String, String, Value)> {
        let commands = self.link.pending_commands(&self.device).await.expect("a database");
        commands.into_iter().map(|command| (command.id, command.property, command.value)).collect()
    }
}

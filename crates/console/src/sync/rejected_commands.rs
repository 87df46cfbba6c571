//! Reads devices again that rejected a command: their last reported value applies again, and only the cloud knows it.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::PassHandle;
use crate::base::Base;
use crate::events::notices::{self, DeviceEventKind};
use crate::index::observed_devices::AttentionQueue;
use crate::index::{self, PassError};
use crate::records::device_panic;
use crate::records::{ReadDevice, cloud_device};
use crate::sessions::service_account::ServiceSession;

/// The task that reads the devices.
pub(crate) struct RejectedCommands {
    pub(crate) base: Base,
    pub(crate) service: Arc<ServiceSession>,
    pub(crate) passes: PassHandle,
    /// Gets the devices whose rows were written.
    pub(crate) attention: AttentionQueue,
    pub(crate) devices: mpsc::Receiver<String>,
}

impl RejectedCommands {
    /// Reads devices until the writer ends.
    pub(crate) async fn run(mut self) {
        while let Some(dsn) = self.devices.recv().await {
            let lists = match device_panic::catch_async("rejected command", &dsn, self.read_again(&dsn)).await {
                Some(Ok(lists)) => lists,
                Some(Err(error)) => {
                    if !error.is_unavailable() {
                        tracing::warn!(%error, "a device could not be read after a rejected command");
                    }
                    self.passes.request();
                    Vec::new()
                }
                None => Vec::new(),
            };
            self.attention.note(&dsn);
            notices::device(&self.base.bus, &dsn, DeviceEventKind::Acknowledged, &lists);
        }
    }

    /// Reads the device and returns the CSPs whose lists changed.
    async fn read_again(&self, dsn: &str) -> Result<Vec<String>, PassError> {
        let cloud = self.service.cloud().await?;
        let (mut lists, base) = (Vec::new(), &self.base);
        let read = async || {
            let began = base.clock.now();
            Ok::<_, PassError>(ReadDevice::new(cloud_device::read(&cloud, dsn).await?, began))
        };
        index::read_and_apply(&base.db, &base.clock, dsn, &mut lists, read).await?;
        Ok(lists)
    }
}

//! Messages of devices that wait to be stored.

use std::sync::Arc;

use jiff::Timestamp;
use platform::db::Result;
use serde_json::Value;
use tokio::sync::oneshot;

use super::fault_counts::FaultCount;
use super::linked_device::{Accepted, Properties};
use super::types::{AckOutcome, ConnectOutcome, Generation, ReportOutcome};
use crate::nodes::Identity;
use crate::records::device::DeviceInfo;

/// A message of a device.
#[derive(Debug)]
pub(super) enum DeviceMessage {
    Connected(Queued<Connect, ConnectOutcome>),
    /// The connection with this generation ended.
    Disconnected(Queued<Generation, ()>),
    /// A connection ended because a newer one replaced it. The reply is whether that happened too often.
    Replaced(Queued<(), bool>),
    Silence(Queued<Silence, ()>),
    Report(Queued<StoredReport, ReportOutcome>),
    Ack(Queued<Ack, AckOutcome>),
    Refused(Queued<Refusal, ()>),
}

/// A queued message of a device; `reply` resolves after the commit.
#[derive(Debug)]
pub(super) struct Queued<T, R> {
    pub(super) device_id: i64,
    pub(super) payload: T,
    pub(super) reply: oneshot::Sender<Result<R>>,
}

/// A connect of a device that has signed in.
#[derive(Debug)]
pub(super) struct Connect {
    /// The revocation under which the device signed in.
    pub(super) revocation: i64,
    /// The node as it was then.
    pub(super) node: Identity,
}

/// A connection fell silent, or was heard again.
#[derive(Debug)]
pub(super) struct Silence {
    pub(super) generation: Generation,
    /// When the device was last heard; `None` if it was heard again.
    pub(super) since: Option<Timestamp>,
}

/// What is stored of a report.
#[derive(Debug, Default)]
pub(super) struct StoredReport {
    /// The connection on which it was received; `None` if the device is not connected.
    pub(super) generation: Option<Generation>,
    pub(super) values: Vec<Accepted>,
    pub(super) faults: ReportFaults,
    /// Time of the report by the device's own clock.
    pub(super) at: Option<Timestamp>,
    pub(super) info: DeviceInfo,
}

/// Faults of this report, or of earlier ones.
#[derive(Debug, Default)]
pub(super) struct ReportFaults {
    pub(super) counts: Vec<FaultCount>,
    /// For the log.
    pub(super) dsn: Arc<str>,
}

/// A device's acknowledgement of a command.
#[derive(Debug)]
pub(super) struct Ack {
    /// The connection on which it was received; `None` if the device is not connected.
    pub(super) generation: Option<Generation>,
    pub(super) command: String,
    pub(super) status: i64,
    pub(super) message: Option<Value>,
    pub(super) properties: Properties,
}

/// Why a connection or a packet of a device was refused.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) reason: String,
}

impl<T, R> Queued<T, R> {
    /// Sends the reply. The caller may have stopped waiting.
    pub(super) fn reply(self, result: Result<R>) {
        let _ = self.reply.send(result);
    }
}

impl DeviceMessage {
    pub(super) fn device_id(&self) -> i64 {
        match self {
            Self::Connected(queued) => queued.device_id,
            Self::Disconnected(queued) => queued.device_id,
            Self::Replaced(queued) => queued.device_id,
            Self::Silence(queued) => queued.device_id,
            Self::Report(queued) => queued.device_id,
            Self::Ack(queued) => queued.device_id,
            Self::Refused(queued) => queued.device_id,
        }
    }
}

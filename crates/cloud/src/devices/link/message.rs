//! Messages of devices that wait to be stored.

use jiff::Timestamp;
use platform::db::Result;
use serde_json::Value;
use tokio::sync::oneshot;

use super::linked_device::{Accepted, Properties};
use super::types::{AckOutcome, Generation};
use crate::records::device::DeviceInfo;

/// A message of a device.
#[derive(Debug)]
pub(super) enum DeviceMessage {
    /// The device connected; the payload is the revocation under which it signed in. The reply is `None` when it has been
    /// revoked since.
    Connected(Queued<i64, Option<Generation>>),
    /// The connection with this generation ended.
    Disconnected(Queued<Generation, ()>),
    Report(Queued<Report, ()>),
    Ack(Queued<Ack, AckOutcome>),
}

/// A queued message of a device; `reply` resolves after the commit.
#[derive(Debug)]
pub(super) struct Queued<T, R> {
    pub(super) device_id: i64,
    pub(super) payload: T,
    pub(super) reply: oneshot::Sender<Result<R>>,
}

/// A report whose values the properties of the device accept.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) values: Vec<Accepted>,
    /// Time of the report by the device's own clock.
    pub(super) at: Option<Timestamp>,
    pub(super) info: DeviceInfo,
}

/// A device's acknowledgement of a command.
#[derive(Debug)]
pub(super) struct Ack {
    pub(super) command: String,
    pub(super) status: i64,
    pub(super) message: Option<Value>,
    pub(super) properties: Properties,
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
            Self::Report(queued) => queued.device_id,
            Self::Ack(queued) => queued.device_id,
        }
    }
}

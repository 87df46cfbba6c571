//! What a device can say, each with the caller who waits until it is kept.

use jiff::Timestamp;
use platform::db::Result;
use serde_json::Value;
use tokio::sync::oneshot;

use super::link::{AckOutcome, Generation};
use super::linked::{Accepted, Properties};
use crate::records::device::DeviceInfo;

/// One thing that a device said.
#[derive(Debug)]
pub(super) enum Said {
    /// It is connected, having signed in under this revocation. No generation: it may not be any more.
    Hello(Asked<i64, Option<Generation>>),
    /// This connection has ended.
    Goodbye(Asked<Generation, ()>),
    Report(Asked<Report, ()>),
    Ack(Asked<Ack, AckOutcome>),
}

/// `W` of a device; whoever asked gets an `A` when it is on disk.
#[derive(Debug)]
pub(super) struct Asked<W, A> {
    pub(super) device_id: i64,
    pub(super) what: W,
    pub(super) answer: oneshot::Sender<Result<A>>,
}

/// Values of a device's properties.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) values: Vec<Accepted>,
    /// When, by the device's own clock.
    pub(super) at: Option<Timestamp>,
    pub(super) info: DeviceInfo,
}

/// A device's answer to a command.
#[derive(Debug)]
pub(super) struct Ack {
    pub(super) command: String,
    pub(super) status: i64,
    pub(super) message: Option<Value>,
    pub(super) properties: Properties,
}

impl<W, A> Asked<W, A> {
    /// Tells whoever asked; they may have gone.
    pub(super) fn answer(self, answer: Result<A>) {
        let _ = self.answer.send(answer);
    }
}

impl Said {
    pub(super) fn device_id(&self) -> i64 {
        match self {
            Self::Hello(asked) => asked.device_id,
            Self::Goodbye(asked) => asked.device_id,
            Self::Report(asked) => asked.device_id,
            Self::Ack(asked) => asked.device_id,
        }
    }
}

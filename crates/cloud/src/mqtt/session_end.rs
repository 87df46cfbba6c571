//! The reasons for which a session ends.

use rumqttc::mqttbytes;

use super::payload::PayloadError;
use crate::devices::link::{BadValue, ReportError};

/// Why a session ended. Its text may be logged: it quotes nothing that the device sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionEnd {
    #[error("sent DISCONNECT")]
    Disconnect,
    #[error("connection lost")]
    Lost,
    #[error("no packet within one and a half keep-alives")]
    KeepAlive,
    #[error("accepts no data")]
    Stalled,
    #[error("replaced by a newer connection")]
    Replaced,
    #[error("the other nodes declared this node dead")]
    NodeIsDead,
    #[error("an operator blocked the device or changed its key")]
    Revoked,
    #[error("the gateway stops")]
    Stopped,
    #[error("sends packets too fast")]
    TooFast,
    #[error("published to a topic that is not its own")]
    ForeignTopic,
    #[error("published with QoS 2")]
    ExactlyOnce,
    #[error("{0}")]
    Payload(#[from] PayloadError),
    #[error("{0}")]
    Value(BadValue),
    #[error("unexpected packet")]
    Unexpected,
    #[error("malformed packet: {0}")]
    Malformed(mqttbytes::Error),
    #[error("store: {0}")]
    Store(#[from] platform::db::Error),
}

impl From<mqttbytes::Error> for SessionEnd {
    fn from(error: mqttbytes::Error) -> Self {
        match error {
            mqttbytes::Error::Io(_) => Self::Lost,
            mqttbytes::Error::PayloadSizeLimitExceeded(_) => Self::Payload(PayloadError::TooLarge),
            other => Self::Malformed(other),
        }
    }
}

impl From<ReportError> for SessionEnd {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Value(error) => Self::Value(error),
            ReportError::Replaced => Self::Replaced,
            ReportError::Database(error) => Self::Store(error),
        }
    }
}

impl SessionEnd {
    /// Whether the device violated the protocol of the link.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::TooFast
                | Self::ForeignTopic
                | Self::ExactlyOnce
                | Self::Payload(_)
                | Self::Value(_)
                | Self::Unexpected
                | Self::Malformed(_)
        )
    }
}

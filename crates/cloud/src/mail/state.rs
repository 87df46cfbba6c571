//! How far a message has come.

/// How far a message has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageState {
    /// Written by a node without a mail server or, a text, without a gateway: it stays where it is.
    Kept,
    /// Not delivered yet.
    Waiting,
    /// The mail server or the gateway took it.
    Sent,
    /// Given up.
    Failed,
}

impl MessageState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Kept, Self::Waiting, Self::Sent, Self::Failed];

    /// As the database keeps it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Waiting => "waiting",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }
}

//! The ways to people.

/// How a message reaches a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// By the mail server.
    Email,
    /// By the gateway for text messages.
    Sms,
}

impl Channel {
    pub(crate) const ALL: [Self; 2] = [Self::Email, Self::Sms];

    /// As on the wire and in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Sms => "sms",
        }
    }

    pub(crate) fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

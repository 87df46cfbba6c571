//! What an expression is about.

use std::fmt;

/// What happens to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum SubjectKind {
    /// A new datapoint.
    Datapoint,
    /// The device answered a command.
    Ack,
    /// It came or went.
    Connectivity,
    /// It got an owner, or has none any more.
    Registration,
    /// It was moved.
    Location,
}

impl SubjectKind {
    const ALL: [Self; 5] = [Self::Datapoint, Self::Ack, Self::Connectivity, Self::Registration, Self::Location];

    /// As the database keeps it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Datapoint => "datapoint",
            Self::Ack => "datapoint_ack",
            Self::Connectivity => "connectivity",
            Self::Registration => "registration",
            Self::Location => "location",
        }
    }

    /// What [`as_str`](Self::as_str) wrote.
    pub(crate) fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// To whom it happens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum SubjectSource {
    /// A device, by its serial number.
    Device(String),
    /// Any device of this user, by the user's UUID.
    User(String),
}

impl SubjectSource {
    /// What a text names: a UUID is a user's.
    pub(super) fn named(text: &str) -> Self {
        match uuid::Uuid::try_parse(text) {
            Ok(uuid) => Self::User(uuid.to_string()),
            Err(_) => Self::Device(text.to_owned()),
        }
    }
}

/// Something that can happen, and its value in an expression: that of the property, 1 or 0 for Online and for registered, or
/// the place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Subject {
    pub(crate) kind: SubjectKind,
    pub(crate) source: SubjectSource,
    /// Of a datapoint and its ack.
    pub(crate) property: Option<String>,
}

impl Subject {
    /// Of a device as a whole.
    pub(crate) fn of(kind: SubjectKind, source: SubjectSource) -> Self {
        Self { kind, source, property: None }
    }

    /// Of a device's property.
    pub(crate) fn of_property(kind: SubjectKind, dsn: &str, property: &str) -> Self {
        Self { kind, source: SubjectSource::Device(dsn.to_owned()), property: Some(property.to_owned()) }
    }
}

impl fmt::Display for SubjectSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Device(text) | Self::User(text)) = self;
        f.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_round_trips_through_its_text() {
        for kind in SubjectKind::ALL {
            assert_eq!(SubjectKind::find(kind.as_str()), Some(kind));
        }
        assert_eq!(SubjectKind::find("activation"), None);
    }
}

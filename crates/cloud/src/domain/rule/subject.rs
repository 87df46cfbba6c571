//! Subjects of expressions.

use std::fmt;

/// Kinds of device events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum SubjectKind {
    /// A new datapoint.
    Datapoint,
    /// The device acknowledged a command.
    Ack,
    /// The device went Online or Offline.
    Connectivity,
    /// The device was registered or unregistered.
    Registration,
    /// The location was changed.
    Location,
}

impl SubjectKind {
    const ALL: [Self; 5] = [Self::Datapoint, Self::Ack, Self::Connectivity, Self::Registration, Self::Location];

    /// As stored in the database.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Datapoint => "datapoint",
            Self::Ack => "datapoint_ack",
            Self::Connectivity => "connectivity",
            Self::Registration => "registration",
            Self::Location => "location",
        }
    }

    /// Parses [`as_str`](Self::as_str).
    pub(crate) fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// The device or user whose events count.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum SubjectSource {
    /// A device, by its serial number.
    Device(String),
    /// Any device of this user, by the user's UUID.
    User(String),
}

impl SubjectSource {
    /// Parses a name: a UUID is a user, anything else a device.
    pub(super) fn named(text: &str) -> Self {
        match uuid::Uuid::try_parse(text) {
            Ok(uuid) => Self::User(uuid.to_string()),
            Err(_) => Self::Device(text.to_owned()),
        }
    }
}

/// A subject of an expression. Its value is that of the property, 1 or 0 for Online and registered, or the location.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Subject {
    pub(crate) kind: SubjectKind,
    pub(crate) source: SubjectSource,
    /// For datapoints and acks.
    pub(crate) property: Option<String>,
}

impl Subject {
    /// A subject about a whole device.
    pub(crate) fn of(kind: SubjectKind, source: SubjectSource) -> Self {
        Self { kind, source, property: None }
    }

    /// A subject about a property of a device.
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

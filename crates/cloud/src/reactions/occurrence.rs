//! Changes of devices that reactions handle.

use crate::domain::location::NewLocation;
use crate::store::chains::Interest;
use crate::store::datapoints::DatapointRow;
use crate::store::properties::PropertyDescription;

/// A change of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence<'a> {
    pub(crate) device_id: i64,
    pub(crate) kind: OccurrenceKind<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum OccurrenceKind<'a> {
    /// A new datapoint, from the device or a user.
    Datapoint { property_id: i64, property: PropertyDescription<'a>, datapoint: &'a DatapointRow, interest: Interest },
    /// The device acknowledged a command; `datapoint` is that of the command.
    Ack { property: PropertyDescription<'a>, datapoint: &'a DatapointRow, interest: Interest },
    /// The device went Online or Offline. A connection that replaces another one is neither.
    Connectivity { online: bool },
    /// The location was changed.
    Location(&'a NewLocation),
    /// The device was registered or unregistered.
    Registration { registered: bool },
}

impl OccurrenceKind<'_> {
    /// Whether rules may refer to it.
    pub(crate) fn may_concern_rules(&self) -> bool {
        match self {
            Self::Datapoint { interest, .. } | Self::Ack { interest, .. } => interest.rules,
            Self::Connectivity { .. } | Self::Location(_) | Self::Registration { .. } => true,
        }
    }
}

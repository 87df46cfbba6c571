//! What can happen to a device.

use crate::domain::location::NewLocation;
use crate::store::chains::Interest;
use crate::store::datapoints::DatapointRow;
use crate::store::properties::PropertyDescription;

/// Something that happened to a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence<'a> {
    pub(crate) device_id: i64,
    pub(crate) kind: OccurrenceKind<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum OccurrenceKind<'a> {
    /// A new datapoint, of the device itself or of a user.
    Datapoint { property_id: i64, property: PropertyDescription<'a>, datapoint: &'a DatapointRow, interest: Interest },
    /// The device answered a command; the datapoint is the command's.
    Ack { property: PropertyDescription<'a>, datapoint: &'a DatapointRow, interest: Interest },
    /// The device came, or went: a newer connection in place of one that was there is neither.
    Connectivity { online: bool },
    /// The device stands elsewhere.
    Location(&'a NewLocation),
    /// The device got an owner, or has none any more.
    Registration { registered: bool },
}

impl OccurrenceKind<'_> {
    /// Whether there may be rules about it.
    pub(crate) fn may_concern_rules(&self) -> bool {
        match self {
            Self::Datapoint { interest, .. } | Self::Ack { interest, .. } => interest.rules,
            Self::Connectivity { .. } | Self::Location(_) | Self::Registration { .. } => true,
        }
    }
}

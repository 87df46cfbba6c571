//! What can happen to a device.

use crate::domain::location::NewLocation;
use crate::store::datapoints::DatapointRow;
use crate::store::properties::Described;

/// Something that happened to a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence<'a> {
    pub(crate) device_id: i64,
    pub(crate) what: What<'a>,
}

#[derive(Clone, Copy, Debug)]
#[expect(dead_code, reason = "nobody asks to be told of the rest yet")]
pub(crate) enum What<'a> {
    /// A new datapoint, of the device itself or of a user.
    Datapoint { property_id: i64, property: Described<'a>, datapoint: &'a DatapointRow },
    /// The device answered a command; the datapoint is the command's.
    Ack { property_id: i64, property: Described<'a>, datapoint: &'a DatapointRow },
    /// The device came, or went: a newer connection in place of one that was there is neither.
    Connectivity { online: bool },
    /// The device stands elsewhere.
    Location(&'a NewLocation),
    /// The device got an owner, or has none any more.
    Registration { registered: bool },
}

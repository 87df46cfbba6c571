use std::mem::discriminant;

use crate::error::Error;

/// How up to date the known values of a device are.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Freshness {
    /// Values, acknowledgements and the connection status arrive by the live data stream, and the device was read after the
    /// stream had connected. What is missed nevertheless is reported as a [`Gap`](crate::manager::DeviceEvent::Gap).
    ///
    /// Each write and each acknowledgement of a [`command`](crate::Property::command) also causes one read of the device, for
    /// what the stream does not contain, such as the value that the cloud shows after a command has failed. Of several such
    /// changes between two reads, only the last one is seen. The name of the device and its other fields, and devices that are added or
    /// removed, follow with the list, which is read every 15 s.
    Live,
    /// The device is read again and again. Of several changes between two reads, only the last one is seen.
    Polled,
    /// The values may be old.
    Stale(StaleReason),
}

/// Why the known values of a device may be old.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StaleReason {
    /// The device has not been read yet.
    NotRead,
    /// The live data stream was lost or missed events; the device is about to be read again.
    EventsMissed,
    /// The device is not read: the manager is paused, polling of the device was stopped, or the manager has released the
    /// device.
    NotPolled,
    /// The last read failed with this error; the next one follows.
    ReadFailed(Error),
}

impl Freshness {
    /// Whether both have the same variant and reason; errors are not compared.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Stale(one), Self::Stale(other)) => discriminant(one) == discriminant(other),
            _ => discriminant(self) == discriminant(other),
        }
    }
}

//! What an action does to a device: `DATAPOINT(dsn,property) = value`.

/// Sets a property of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) dsn: String,
    pub(crate) property: String,
    /// Without its quotes, if it had some: the property's type says what it stands for.
    pub(crate) value: String,
}

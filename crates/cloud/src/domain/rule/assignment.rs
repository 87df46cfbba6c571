//! Assignments of rule actions: `DATAPOINT(dsn,property) = value`.

/// Sets the value of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) dsn: String,
    pub(crate) property: String,
    /// Without quotes; the property's type determines its interpretation.
    pub(crate) value: String,
}

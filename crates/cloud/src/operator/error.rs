//! Why calls of the operator fail.

use crate::domain::password::InvalidCost;

/// Why an operator's call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OperatorError {
    /// A database error.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
    /// The password cost is out of range.
    #[error(transparent)]
    PasswordCost(#[from] InvalidCost),
    /// No manufacturer exists yet.
    #[error("there is no manufacturer yet")]
    NoOem,
    /// No manufacturer has this name.
    #[error("there is no manufacturer {0:?}")]
    UnknownOem(String),
    /// There are several manufacturers and no name was given.
    #[error("there are several manufacturers: {0}")]
    SeveralOems(String),
    /// No user has this address.
    #[error("there is no user with this address")]
    UnknownUser,
    /// A machine account cannot be locked or removed; change the secret of its application instead.
    #[error("a machine account can be neither locked nor removed; give its application another secret")]
    MachineAccount,
    /// No administrator of the manufacturer would be left.
    #[error("the last administrator cannot be removed; assign the role to another user first")]
    LastAdmin,
    /// The role is in use.
    #[error(
        "the role {role:?} is in use: people {people}, labels of devices {labels}, shares {shares}, customers {customers}"
    )]
    RoleInUse {
        /// The role.
        role: String,
        /// Number of users with the role.
        people: i64,
        /// Number of device labels of the role.
        labels: i64,
        /// Number of shares with the role.
        shares: i64,
        /// Number of customers associated with users of the role.
        customers: i64,
    },
    /// The manufacturer has no role of this name.
    #[error("there is no role {0:?}")]
    UnknownRole(String),
    /// The manufacturer has no application with this id.
    #[error("there is no application {0:?}")]
    UnknownApplication(String),
    /// The manufacturer has no template of this name.
    #[error("there is no template {0:?}")]
    UnknownTemplate(String),
    /// A cap of the keep-alive is 1 to 1200 seconds.
    #[error("the cap of the keep-alive is 1 to 1200 seconds, not {0}")]
    KeepAlive(u16),
    /// The owner of the device is not a user.
    #[error("the owner of device {0:?} is no user")]
    UnknownOwner(String),
    /// The manufacturer has no device with this serial number.
    #[error("there is no device {0:?}")]
    UnknownDevice(String),
    /// The device is registered and removal of registered devices was not requested.
    #[error("the device {0:?} is registered and in use")]
    RegisteredDevice(String),
    /// The device is connected; disconnect it before removal.
    #[error("the device {0:?} is Online")]
    ConnectedDevice(String),
    /// Imported history overlaps existing history, or is in the future.
    #[error("{property} of device {dsn:?} has a newer datapoint, or {at} is in the future")]
    OutOfOrder {
        /// The device.
        dsn: String,
        /// The property.
        property: String,
        /// The time of the imported point.
        at: jiff::Timestamp,
    },
    /// The property does not accept the value.
    #[error("{property} of device {dsn:?} {reason}")]
    BadValue {
        /// The device.
        dsn: String,
        /// The property.
        property: String,
        /// The reason, to follow the property's name.
        reason: &'static str,
    },
}

use crate::domain::password::InvalidCost;

/// Why an operator's function did nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OperatorError {
    /// A database error.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
    /// The password cost is out of range.
    #[error(transparent)]
    PasswordCost(#[from] InvalidCost),
    /// Nothing has been set up yet.
    #[error("there is no manufacturer yet")]
    NoOem,
    /// There is no manufacturer of this name.
    #[error("there is no manufacturer {0:?}")]
    UnknownOem(String),
    /// There are several manufacturers, and none was named.
    #[error("there are several manufacturers: {0}")]
    SeveralOems(String),
    /// There is no person with this address.
    #[error("there is no user with this address")]
    UnknownUser,
    /// A machine account is locked and removed by nothing: its application's secret ends it.
    #[error("a machine account can be neither locked nor removed; give its application another secret")]
    MachineAccount,
    /// Nobody could manage the manufacturer any more.
    #[error("the last administrator has to stay; give somebody else the role first")]
    LastAdmin,
    /// Somebody or something has the role.
    #[error(
        "the role {role:?} is in use: people {people}, labels of devices {labels}, shares {shares}, customers {customers}"
    )]
    RoleInUse {
        /// The role.
        role: String,
        /// How many have it.
        people: i64,
        /// How many labels of devices name it.
        labels: i64,
        /// With how many shares it is given.
        shares: i64,
        /// How many are associated with its people.
        customers: i64,
    },
    /// A user or a device names a role that the manufacturer does not have.
    #[error("there is no role {0:?}")]
    UnknownRole(String),
    /// A machine account names an application that the manufacturer does not have.
    #[error("there is no application {0:?}")]
    UnknownApplication(String),
    /// A device names a template that the manufacturer does not have.
    #[error("there is no template {0:?}")]
    UnknownTemplate(String),
    /// A device names an owner who is no user.
    #[error("the owner of device {0:?} is no user")]
    UnknownOwner(String),
    /// History, or a node, names a device that the manufacturer does not have.
    #[error("there is no device {0:?}")]
    UnknownDevice(String),
    /// A registered device was not meant to be removed.
    #[error("the device {0:?} is registered: somebody uses it")]
    RegisteredDevice(String),
    /// Only devices that are not connected are removed.
    #[error("the device {0:?} is Online")]
    ConnectedDevice(String),
    /// History would come after what the property has already, or after now.
    #[error("{property} of device {dsn:?} has a newer datapoint, or it is not yet {at}")]
    OutOfOrder {
        /// The device.
        dsn: String,
        /// The property.
        property: String,
        /// When the device is said to have reported.
        at: jiff::Timestamp,
    },
    /// A value that the property does not take.
    #[error("{property} of device {dsn:?} {reason}")]
    BadValue {
        /// The device.
        dsn: String,
        /// The property.
        property: String,
        /// What is wrong.
        reason: &'static str,
    },
}

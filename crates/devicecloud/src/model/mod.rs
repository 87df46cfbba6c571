//! The cloud's resources: devices, properties, datapoints, users, rules, schedules and others.
//!
//! Reading is tolerant: a member that is missing, null or of an unexpected type becomes `None`, empty or a default, and
//! an unknown enum text is preserved. All types implement `Serialize` in camelCase.
//!
//! Values that programs store implement `Deserialize` as well: ids, times, property values, labels, the types of texts and
//! the tokens of a session ([`Authorization`](crate::Authorization)). Entities such as [`Device`] do not, because they get
//! new members with time, which a stored entity would lack. Store the values that you need, in a type of your own. Tests
//! build entities with `testing::model`.

mod ack;
mod attached;
mod base_type;
mod blob;
mod connection;
mod contact;
mod datapoint;
mod device;
mod ids;
pub(crate) mod item;
mod location;
mod notification;
mod page;
mod property;
pub(crate) mod read;
mod role_user;
mod rule;
mod rule_action;
mod scalar;
mod schedule;
mod schedule_action;
pub(crate) mod secret;
mod share;
mod source;
mod subscription;
mod time;
mod trigger;
mod user;
mod user_changes;
mod user_page;
mod value;
mod wire_enum;

#[cfg(test)]
mod camel_case_tests;
#[cfg(test)]
mod privacy_tests;
#[cfg(test)]
pub(crate) mod tests;

pub use ack::{Ack, AckMessage};
pub use attached::{Address, Datum, Label, RoleLabel, TimeZone};
pub use base_type::BaseType;
pub use blob::BlobDatapoint;
pub use connection::ConnectionChange;
pub use contact::Contact;
pub use datapoint::Datapoint;
pub(crate) use device::DeviceReader;
pub use device::{ConnectionStatus, Device, Fault, FaultCounts, Refusal, RegistrationType};
pub use ids::{
    ContactId, DatapointId, DeviceKey, Dsn, GrantId, NotificationAppId, NotificationId, OemId, PropertyKey,
    RoleLabelId, RuleActionUuid, RuleUuid, ScheduleActionKey, ScheduleKey, ShareId, SubscriptionId, TriggerAppKey,
    TriggerKey, UserId, UserUuid,
};
pub use location::{Location, LocationProvider};
pub use notification::{Notification, NotificationApp, NotificationAppType, NotificationType};
pub(crate) use page::{DatapointPage, MaybePage};
pub use page::{DevicePage, Fingerprint};
pub(crate) use property::PropertyReader;
pub use property::{Command, CommandState, Direction, Property};
pub use role_user::RoleUser;
pub use rule::{Rule, RuleSubject, RuleType};
pub use rule_action::{RuleAction, RuleActionParameters, RuleActionType};
pub use schedule::Schedule;
pub use schedule_action::{FirePoint, ScheduleAction};
pub use share::{Share, ShareOperation, ShareResourceType, ShareUserProfile};
pub use source::DataSource;
pub use subscription::{Subscription, SubscriptionType};
pub use time::Time;
pub use trigger::{CompareType, Trigger, TriggerApp, TriggerType};
pub use user::{RoleTag, User};
pub use user_changes::UserChanges;
pub use user_page::UserPage;
pub use value::PropertyValue;

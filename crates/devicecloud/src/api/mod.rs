//! API calls, grouped by resource. Each group is a cheap handle from the [`Client`](crate::Client); calls with options
//! are builders that end with `send`.

mod admin;
mod contacts;
mod data;
mod datapoints;
mod device_ref;
mod devices;
mod files;
mod new_user;
mod notifications;
mod paging;
mod properties;
mod property_ref;
mod recipient;
mod role_labels;
mod roles;
mod rule_actions;
mod rules;
mod schedule_actions;
mod schedules;
mod shares;
mod subscriptions;
#[cfg(test)]
mod testing;
mod triggers;
mod user_data;
mod users;

pub use admin::{Admin, CreateUser, ListUsers};
pub use contacts::{Contacts, WriteContact};
pub use data::ListData;
pub(crate) use datapoints::AckPolling;
pub use datapoints::{BatchEntry, CreateBatch, CreateDatapoint, DEFAULT_ACK_WAIT, Datapoints, ListDatapoints};
pub use devices::{ConnectionHistory, DeviceData, Devices, GetDevice, Include, ListDevices, SetLocation};
pub use files::{CreateFile, FileChunks, FileContent, Files};
pub use new_user::NewUser;
pub use notifications::{CreateNotification, NewNotificationApp, Notifications};
pub use paging::{DEFAULT_PER_PAGE, Order};
pub use properties::{ListProperties, Properties};
pub(crate) use property_ref::PropertyRef;
pub use role_labels::{FindDevices, RoleLabels, WriteRoleLabel};
pub use roles::{CreateRoleUser, IndexUsers, Roles};
pub use rule_actions::{RecreateRuleActionError, RuleActions};
pub use rules::{CreateRule, ListRules, Rules};
pub use schedule_actions::ScheduleActions;
pub use schedules::Schedules;
pub use shares::{CreateShare, CreateShares, NewShare, Shares, UpdateShare};
pub use subscriptions::{CreateSubscription, Subscriptions};
pub use triggers::{NewTrigger, NewTriggerApp, Triggers};
pub use user_data::UserData;
pub use users::{RequestMail, UpdateEmail, Users};

/// Adds a constructor and `without_retry` to a group of calls.
macro_rules! call_group {
    ($name:ident) => {
        impl $name {
            pub(crate) fn new(session: std::sync::Arc<crate::session::CloudSession>) -> Self {
                Self { session, retries: true }
            }

            /// The same calls without retries.
            #[must_use]
            pub fn without_retry(self) -> Self {
                Self { retries: false, ..self }
            }
        }
    };
}

pub(crate) use call_group;

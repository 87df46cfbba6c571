#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

pub mod api;
mod client;
pub mod clock;
mod config;
mod endpoints;
mod error;
mod future;
mod http;
pub mod live;
pub mod manager;
mod manager_event;
mod messages;
pub mod model;
mod secret;
pub mod session;
pub mod stream;

pub use api::{
    Include, NewNotificationApp, NewShare, NewTrigger, NewTriggerApp, NewUser, Order, RecreateRuleActionError,
};
pub use client::{Client, ClientBuilder};
pub use clock::{Clock, Jitter};
pub use config::{Config, SystemSettings};
pub use endpoints::{Endpoints, Service, ServiceLocation, ServiceType};
pub use error::{Error, ErrorKind, Result};
pub use http::DEFAULT_REQUEST_TIMEOUT;
pub use live::{LiveStreamManager, LiveStreamState, LiveStreamStates};
pub use model::{
    AckMessage, Address, BaseType, BlobDatapoint, Command, CommandState, CompareType, ConnectionChange,
    ConnectionStatus, Contact, ContactId, DataSource, Datapoint, DatapointId, Datum, Device, DeviceKey, DevicePage,
    Direction, Dsn, Fingerprint, FirePoint, GrantId, Label, Location, LocationProvider, Notification, NotificationApp,
    NotificationAppId, NotificationAppType, NotificationId, NotificationType, OemId, Property, PropertyKey,
    PropertyValue, RegistrationType, RoleLabel, RoleLabelId, RoleTag, RoleUser, Rule, RuleAction, RuleActionParameters,
    RuleActionType, RuleActionUuid, RuleSubject, RuleType, RuleUuid, Schedule, ScheduleAction, ScheduleActionKey,
    ScheduleKey, Share, ShareId, ShareOperation, ShareResourceType, ShareUserProfile, Subscription, SubscriptionId,
    SubscriptionType, Time, TimeZone, Trigger, TriggerApp, TriggerAppKey, TriggerKey, TriggerType, User, UserChanges,
    UserId, UserPage, UserUuid,
};
pub use secret::SecretText;
pub use session::{
    AuthProvider, Authorization, BoxFuture, MemoryTokenStore, SessionEvent, SessionEvents, SessionState, SignIn,
    TokenLock, TokenStore,
};
pub use stream::{DatapointEvent, StreamEvent, StreamHandle};

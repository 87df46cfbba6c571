// The README and the book's chapter use all features. A test of the documentation with others leaves them out.
#![cfg_attr(any(not(doctest), all(feature = "managers", feature = "testing")), doc = include_str!("../README.md"))]
#![cfg_attr(not(any(not(doctest), all(feature = "managers", feature = "testing"))), doc = "See README.md.")]
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "managers"),
    expect(dead_code, unused_imports, reason = "the managers use more of the internals than the calls")
)]

pub mod api;
mod config;
mod error;
mod events;
#[cfg(all(doctest, feature = "managers", feature = "testing"))]
#[doc = include_str!("../FIVE-MINUTES")]
mod book {}
#[cfg(test)]
mod captured_log;
mod client;
pub mod clock;
mod debug;
mod future;
mod http;
#[cfg(feature = "managers")]
pub mod live;
#[cfg(feature = "managers")]
pub mod manager;
pub mod model;
pub mod session;
#[cfg(feature = "stream")]
pub mod stream;
#[cfg(feature = "testing")]
pub mod testing;

pub use crate::http::{
    Connect, Connection, DEFAULT_CONNECT_TIMEOUT, DEFAULT_REQUEST_TIMEOUT, DEFAULT_RESPONSE_LIMIT, RetryPolicy,
    Statistics,
};
pub use api::{
    Include, NewNotificationApp, NewShare, NewTrigger, NewTriggerApp, NewUser, Order, RecreateRuleActionError,
};
pub use client::{Client, ClientBuilder};
pub use clock::{Clock, Jitter};
pub use config::endpoints::{Endpoints, Service, ServiceLocation, ServiceType};
pub use config::{Config, SystemSettings};
pub use error::{Error, ErrorKind, Outcome, Result};
pub use events::Events;
#[cfg(feature = "managers")]
pub use http::pace::DEFAULT_MANAGER_REQUEST_INTERVAL;
#[cfg(feature = "managers")]
pub use live::{LiveStreamEvent, LiveStreamEvents, LiveStreamManager, LiveStreamState, LiveStreamStates};
pub use model::secret::SecretText;
pub use model::{
    Ack, AckMessage, Address, BaseType, BlobDatapoint, Command, CommandState, CompareType, ConnectionChange,
    ConnectionStatus, Contact, ContactId, DataSource, Datapoint, DatapointId, Datum, Device, DeviceKey, DevicePage,
    Direction, Dsn, Fault, FaultCounts, Fingerprint, FirePoint, GrantId, Label, Location, LocationProvider,
    Notification, NotificationApp, NotificationAppId, NotificationAppType, NotificationId, NotificationType, OemId,
    Property, PropertyKey, PropertyValue, Refusal, RegistrationType, RoleLabel, RoleLabelId, RoleTag, RoleUser, Rule,
    RuleAction, RuleActionParameters, RuleActionType, RuleActionUuid, RuleSubject, RuleType, RuleUuid, Schedule,
    ScheduleAction, ScheduleActionKey, ScheduleKey, Share, ShareId, ShareOperation, ShareResourceType,
    ShareUserProfile, Subscription, SubscriptionId, SubscriptionType, Time, TimeZone, Trigger, TriggerApp,
    TriggerAppKey, TriggerKey, TriggerType, User, UserChanges, UserId, UserPage, UserUuid,
};
pub use session::{
    AuthProvider, Authorization, BoxFuture, MemoryTokenStore, SessionEvent, SessionEvents, SessionState, SignIn,
    TokenLock, TokenStore,
};
#[cfg(feature = "stream")]
pub use stream::{DatapointEvent, OtherEvent, StreamEvent, StreamHandle};

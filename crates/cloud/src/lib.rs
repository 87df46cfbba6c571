//! The device cloud: users, devices, properties, datapoints, the data stream and the device link, on a wire protocol that
//! is compatible with Ayla's.
//!
//! Device types and roles are data; this crate knows no specific product and no partner. [`Cloud`] is the server, and
//! [`Operator`] sets it up.

mod app;
mod background;
mod config;
mod devices;
mod domain;
mod http;
mod limits;
mod messages;
mod metrics;
mod mqtt;
mod nodes;
pub mod operator;
mod people;
mod reactions;
mod records;
mod rules;
mod server;
mod store;
mod stream;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod wire;

pub use config::{CloudConfig, LinkLimits, LinkRate, LinkTls, RequestLimits};
pub use domain::message_limits::{BudgetScope, MessageLimitOverrides, MessageLimits};
pub use domain::password::{PasswordCost, broken_rules as broken_password_rules};
pub use domain::pattern::{InvalidPattern, Pattern};
pub use domain::role::RoleKind;
pub use domain::schedule::FirePoint;
pub use domain::value::{BaseType, Direction, Limits};
pub use messages::mail::Branding;
pub use messages::sms::{PhoneNumber, SmsError, SmsGateway};
pub use operator::Operator;
pub use platform::http::tls::{CertificateFiles, TlsError};
pub use records::message::{MessageState, ProbeError};
pub use server::{Cloud, ListenerKind, NodeFailure, StartError};
pub use store::MIGRATIONS;
pub use store::partitions::create_ahead as create_history_partitions;

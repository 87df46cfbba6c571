//! One call per golden file.

mod admin;
mod contacts;
mod datapoints;
mod devices;
mod files;
mod notifications;
mod properties;
mod role_labels;
mod roles;
mod rule_actions;
mod rules;
mod schedule_actions;
mod schedules;
mod shares;
mod subscriptions;
mod triggers;
mod user_data;
mod users;

use devicecloud::{BoxFuture, Client, Result};

pub(crate) type Run = fn(Client) -> BoxFuture<'static, Result<()>>;

pub(crate) const NOW: &str = "2026-11-20T10:00:00Z";
pub(crate) const DSN: &str = "AC000W000000001";
pub(crate) const OTHER_DSN: &str = "AC000W000000002";
pub(crate) const WRONG_DSN: &str = "AC000W999999999";
pub(crate) const ROLE: &str = "OEM::Partner::Admin";
pub(crate) const CONTACT: i64 = 71;
pub(crate) const WRONG_KEY: i64 = 999_999_999;
pub(crate) const DATAPOINT: &str = "9b2f6f0e-0000-11f1-8000-000000000001";
pub(crate) const RULE: &str = "33333333-4444-5555-6666-777777777771";
pub(crate) const ACTION: &str = "33333333-4444-5555-6666-777777777772";
pub(crate) const UNUSED_ACTION: &str = "33333333-4444-5555-6666-777777777773";
pub(crate) const WRONG_UUID: &str = "33333333-4444-5555-6666-999999999999";
pub(crate) const FILE: &str = "9b2f6f0e-0000-71f1-8000-000000000002";
/// The host in a location may differ from the configured one.
pub(crate) const LOCATION: &str =
    "https://cloud.example.com/apiv1/devices/41/properties/log/datapoints/9b2f6f0e-0000-71f1-8000-000000000002.json";

macro_rules! cases {
    ($($name:literal: |$client:ident| $body:expr;)*) => {
        [$(($name, (|$client| Box::pin(async move { $body; Ok(()) })) as $crate::cases::Run),)*]
    };
}
pub(crate) use cases;

/// The calls by the name of the golden file. Assertions hold for every sample of the response.
pub(crate) fn all() -> Vec<(&'static str, Run)> {
    [
        users::all(),
        user_data::all(),
        contacts::all(),
        shares::all(),
        schedules::all(),
        schedule_actions::all(),
        devices::all(),
        role_labels::all(),
        admin::all(),
        roles::all(),
        properties::all(),
        datapoints::all(),
        files::all(),
        notifications::all(),
        rules::all(),
        rule_actions::all(),
        subscriptions::all(),
        triggers::all(),
    ]
    .concat()
}

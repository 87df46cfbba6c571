//! Who is told when something happens to a device. A cloud keeps notifications and triggers, each with its recipients; people
//! see one row for each recipient.

mod form;
mod perform;
mod phone;
mod plan;
mod read;
mod recipient;
pub(super) mod routes;
mod rows;
mod service;
mod view;

pub(super) use plan::{NotificationPlan, NotificationSettings, additions};
pub(super) use read::{DeviceNotifications, read};
pub(super) use service::add;
pub(super) use view::NotificationView;

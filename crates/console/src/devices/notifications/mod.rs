//! Who is told when something happens to a device. A cloud keeps notifications and triggers, each with its recipients; people
//! see one row for each recipient.

mod dto;
mod form;
mod merged;
mod perform;
mod phone;
mod plan;
mod read;
mod recipient;
pub(super) mod routes;
mod service;

pub(super) use dto::Notification;
pub(super) use plan::{Plan, Wish, additions};
pub(super) use read::{Notifications, read};
pub(super) use service::add;

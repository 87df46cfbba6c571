//! The notifications of a device. The cloud stores notifications and triggers, each with recipients; the console shows
//! one row for each recipient.

mod added;
mod form;
mod perform;
mod phone;
mod plan;
mod read;
mod recipient;
mod removed;
mod rows;
mod service;
mod view;

pub(crate) use added::{AddedNotification, removals};
pub(super) use form::NotificationForm;
pub(crate) use plan::{NotificationPlan, NotificationSettings, additions};
pub(crate) use read::{DeviceNotifications, read};
pub(crate) use removed::delete_old_removals_forever;
pub(crate) use service::perform;
pub(super) use service::{create, list, remove, undo_removal, update};
pub(super) use view::{NotificationView, SavedNotifications};

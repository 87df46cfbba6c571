//! The forms that invite and edit people.

mod fields;
mod invite;
mod profile;
mod role_change;
mod update;

pub(super) use fields::{Invitation, UserForm};
pub(super) use invite::invite;
pub(super) use update::update;

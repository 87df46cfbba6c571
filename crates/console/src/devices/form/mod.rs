//! The form of a device: what may stand in it, what saving it changes, adding a device from stock and editing one.

mod add;
mod base;
mod changes;
mod facts;
mod fields;
mod perform;
mod update;

pub(crate) use add::{NewDevice, add};
pub(crate) use base::{BaseDevice, look_up};
pub(crate) use fields::DeviceForm;
pub(crate) use update::update;

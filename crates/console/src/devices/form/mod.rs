//! The form of a device: what may stand in it, what saving it changes, adding a device from stock and editing one.

mod add;
mod assign;
mod base;
mod changes;
mod facts;
mod fields;
mod perform;
mod save;
mod update;

pub(crate) use add::{NewDevice, add};
pub(crate) use assign::assign_csp;
pub(crate) use base::{BaseDevice, look_up};
pub(super) use changes::{CUSTOMER, CUSTOMER_ID, FRAGRANCE, Present, STORE_NUMBER, Step, TIME_ZONE, changes};
pub(crate) use fields::DeviceForm;
pub(super) use perform::take;
pub(crate) use update::update;

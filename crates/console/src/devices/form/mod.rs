//! Adding and editing devices: validation of the form, the steps it leads to, and their execution.

mod add;
mod changes;
mod fields;
mod perform;
mod update;

pub(crate) use add::{BaseDevice, NewDevice, add, look_up};
pub(super) use changes::{CurrentDevice, Step, changes};
pub(crate) use fields::DeviceForm;
pub(super) use fields::{CUSTOMER, CUSTOMER_ID, FRAGRANCE, STORE_NUMBER, TIME_ZONE};
pub(super) use perform::apply_step;
pub(crate) use update::update;

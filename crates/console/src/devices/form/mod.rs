//! Adding and editing devices: validation of the form, the steps it leads to, and their execution.

mod add;
mod changes;
mod fields;
mod perform;
mod update;

pub(crate) use add::{BaseDevice, NewDevice, add, look_up};
pub(super) use changes::{CUSTOMER, CUSTOMER_ID, CurrentDevice, FRAGRANCE, STORE_NUMBER, Step, TIME_ZONE, changes};
pub(crate) use fields::DeviceForm;
pub(super) use perform::apply_step;
pub(super) use update::save;
pub(crate) use update::update;

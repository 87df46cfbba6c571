//! Adding and editing devices: validation of the form, the steps it leads to, and their execution.

mod add;
mod assign;
mod changes;
mod facts;
mod fields;
mod perform;
mod save;
mod stock;
mod update;

pub(crate) use add::{NewDevice, add};
pub(crate) use assign::assign_csp;
pub(super) use changes::{CUSTOMER, CUSTOMER_ID, CurrentDevice, FRAGRANCE, STORE_NUMBER, Step, TIME_ZONE, changes};
pub(crate) use fields::DeviceForm;
pub(super) use perform::apply_step;
pub(crate) use stock::{BaseDevice, look_up};
pub(crate) use update::update;

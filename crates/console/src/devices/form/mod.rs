//! Adding and editing devices: validation of the form, the steps it leads to, and their execution.

mod add;
mod changes;
mod fields;
mod perform;
mod update;

pub(crate) use add::{BaseDevice, NewDevice, add, look_up};
pub(crate) use changes::{ADDRESS, CSP, CurrentDevice, LOCATION, SERVICE_AREA, Step, changes, is_same_location};
pub(crate) use fields::{CUSTOMER, CUSTOMER_ID, Datum, DeviceForm, FRAGRANCE, STORE_NUMBER, TIME_ZONE};
pub(crate) use perform::apply_step;
pub(crate) use update::update;

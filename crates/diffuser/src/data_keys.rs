//! Keys of the data that a cloud stores with a diffuser. The service area is the device's `product_name` and therefore
//! has no key.

pub const SERIAL_NUMBER: &str = "serial_number";
/// The system configuration.
pub const CART_NAME: &str = "cart_name";
pub const FRAGRANCE: &str = "fragrance";
pub const CUSTOMER: &str = "customer";
pub const TIME_ZONE: &str = "time_zone";
pub const CUSTOMER_ID: &str = "customer_id";
pub const STORE_NUMBER: &str = "store_number";
/// A calendar date, such as `2026-11-20`.
pub const INSTALLED_AT: &str = "installed_at";

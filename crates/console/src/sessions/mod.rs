//! Sessions of people and programs, second factors, the service account, and the account data that only the console keeps.

pub(crate) mod account_state;
pub(crate) mod cloud_fault;
pub(crate) mod second_factor;
pub(crate) mod service_account;
pub(crate) mod session;

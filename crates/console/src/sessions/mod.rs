//! Who is signed in, and how: sessions of people and programs, second factors, the service account, and what the console keeps of an account.

pub(crate) mod account_state;
pub(crate) mod cloud_fault;
pub(crate) mod second_factor;
pub(crate) mod service_account;
pub(crate) mod session;

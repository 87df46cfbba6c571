//! The service session for operations that users may not perform, and the check of the cloud with it.

mod cloud_check;
mod session;

pub(crate) use cloud_check::CloudCheck;
pub(crate) use session::ServiceSession;

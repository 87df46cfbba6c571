//! The service session, for what users may not do, and the check of the cloud with it.

mod cloud_check;
mod session;

pub(crate) use cloud_check::CloudCheck;
pub(crate) use session::ServiceSession;

//! The service session, which keeps the index and stored levels up to date and feeds live events.

mod backoff;
mod cloud_check;
mod level_queue;
mod listener;
mod metrics;
mod passes;
mod session;

pub(crate) use cloud_check::CloudCheck;
pub use cloud_check::CloudFault;
pub(crate) use listener::Listener;
pub(crate) use passes::{PassHandle, PassRunner};
pub(crate) use session::ServiceSession;

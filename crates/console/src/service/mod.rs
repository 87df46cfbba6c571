//! The one service session: keeps the index and the stored levels, and feeds the events.

mod backoff;
mod cloud_check;
mod levels;
mod listener;
mod metrics;
mod passes;
mod session;

pub(crate) use cloud_check::CloudCheck;
pub use cloud_check::CloudFault;
pub(crate) use listener::Listener;
pub(crate) use passes::{Passes, PassesHandle};
pub(crate) use session::ServiceSession;

//! The one service session: keeps the index and feeds the events.

mod backoff;
mod listener;
mod metrics;
mod passes;
mod session;

pub(crate) use listener::Listener;
pub(crate) use passes::{Passes, PassesHandle};
pub(crate) use session::ServiceSession;

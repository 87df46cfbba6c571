//! Keeps the index and the stored levels up to date with the cloud: by full passes and by the live stream.

mod backoff;
mod level_queue;
mod listener;
mod metrics;
mod passes;

pub(crate) use listener::Listener;
pub(crate) use passes::{PassHandle, PassRunner};

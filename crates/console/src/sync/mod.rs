//! Keeps the index, the stored levels, forecasts and attention up to date with the cloud: by full passes and by the live stream
//!

#[cfg(test)]
mod attention_simulation;
mod backoff;
mod device_reader;
mod event_group;
mod level_checks;
mod listener;
mod metrics;
mod passes;
mod rejected_commands;
mod retry_log;
mod stream_queue;
mod stream_writer;

#[cfg(feature = "testing")]
pub(crate) use event_group::{DeviceEvent, EventChange};
pub(crate) use listener::Listener;
pub(crate) use metrics::register as register_metrics;
pub(crate) use passes::{PassHandle, PassRunner};
pub(crate) use rejected_commands::RejectedCommands;
pub(crate) use stream_queue::STREAM_QUEUE;
#[cfg(feature = "testing")]
pub(crate) use stream_queue::StreamQueue;
pub(crate) use stream_writer::StreamWriter;

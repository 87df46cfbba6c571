//! What the program as a process does: logs, traces, signals, and its clock beside the server's.

pub(crate) mod logging;
pub(crate) mod server_clock;
pub(crate) mod stop;
#[cfg(feature = "otel")]
pub(crate) mod traces;

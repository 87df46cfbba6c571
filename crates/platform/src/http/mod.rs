//! Serving HTTP: listeners, TLS, limits of connections, trusted proxies, ids of requests, and requests that run to their end.

pub mod connection_slots;
pub mod proxies;
pub mod readiness;
pub mod request_id;
pub mod run_to_end;
pub mod server;
pub mod tls;
#[cfg(feature = "otel")]
pub mod trace_context;

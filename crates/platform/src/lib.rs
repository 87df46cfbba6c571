//! Shared parts of the servers: [`db`] opens SQLite or PostgreSQL, chosen by URL at run time; [`bus`] publishes change events;
//! [`mail`] sends mail; [`transfer`] copies a database; [`lease`] and [`node_lock`] coordinate nodes; [`run_to_end`] keeps writes from stopping
//! half-way, and [`supervisor`] a server from running on without a background task; [`http_server`] serves HTTP, with the
//! certificates of [`tls`], [`request_id`] names requests in the log, and [`readiness`] answers whether a server works; [`metrics`]
//! are served to Prometheus; [`clock`] and [`random`] are the servers' only sources of time and randomness, which tests can control;
//! [`one_line`] checks names; [`clock_reading`] corrects what a clock ahead has stored, and [`retention`] deletes nothing by one.

pub mod bus;
pub mod clock;
pub mod clock_reading;
pub mod connection_slots;
pub mod db;
pub mod file_limit;
pub mod http_server;
pub mod lease;
pub mod log_interval;
pub mod mail;
pub mod metrics;
pub mod node_lock;
pub mod one_line;
pub mod proxies;
pub mod random;
pub mod rate_limit;
pub mod readiness;
pub mod request_id;
pub mod retention;
pub mod run_to_end;
pub mod supervisor;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tls;
#[cfg(feature = "otel")]
pub mod trace_context;
pub mod transfer;

//! Shared parts of the servers: [`db`] opens SQLite or PostgreSQL, chosen by URL at run time, and [`transfer`] copies a database;
//! [`bus`] publishes change events; [`mail`] sends mail; [`http`] serves HTTP, and keeps writes from stopping half-way; [`nodes`]
//! coordinates the nodes on one database; [`run`] has the servers' only sources of time and randomness, which tests can control,
//! and keeps a server from running on without a background task; [`metrics`] are served to Prometheus; [`one_line`] checks names.

pub mod bus;
pub mod db;
pub mod http;
pub mod mail;
pub mod metrics;
pub mod nodes;
pub mod one_line;
pub mod run;
#[cfg(feature = "testing")]
pub mod testing;
pub mod transfer;

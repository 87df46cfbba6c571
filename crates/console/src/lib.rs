//! The Sillage console: the backend for the browser. Sessions, policy, the index and its lists, device pages, live events.
//!
//! It reaches the device cloud only over the wire, through the client library. The browser holds a random session id in a
//! cookie and never sees a token.

mod account;
mod account_state;
mod assets;
mod attention;
mod attention_queue;
mod attention_rules;
mod audit;
mod auth;
mod base;
mod cipher;
mod cloud_fault;
mod config;
mod core_state;
mod csps;
mod device_jobs;
mod devices;
mod echoes;
mod error;
mod etag;
#[cfg(test)]
mod explain;
mod fleet;
mod fleet_days;
mod fold;
mod forecasts;
mod fragrances;
#[cfg(any(test, feature = "testing"))]
pub mod fuzz;
mod guard;
mod headers;
mod health;
mod hub;
mod idempotency;
mod index;
mod indexer;
mod jobs;
mod limit;
mod list_params;
mod live;
mod mail;
mod maintenance;
mod migrations;
mod notice;
mod opaque;
mod openapi;
mod parts;
mod password_rule;
mod places;
mod policy;
mod preferences;
mod preloads;
mod query_reader;
mod read_cache;
mod records;
mod reindex;
mod report_slots;
mod reports;
mod request;
mod retention;
mod router;
mod rules;
mod sampling;
mod second_factor;
mod security_schemes;
mod seen;
mod server;
mod service;
mod session;
mod session_hash;
mod shared_calls;
mod shared_reads;
mod sign_in_rules;
mod sort_order;
mod state;
mod stored_times;
mod stream_slots;
mod streamed_values;
#[cfg(feature = "testing")]
pub mod testing;
mod time_zones;
mod users;
mod write_lock;

pub use cloud_fault::CloudFault;
pub use config::{ConfigError, ConsoleConfig};
pub use devicecloud::{Config as CloudConfig, SecretText};
pub use fragrances::add_missing_fragrances;
pub use limit::{Rate, RateLimit, RateLimits};
pub use migrations::{MIGRATIONS, migrate_database};
pub use platform::proxies::{NoNetwork, TrustedProxy};
pub use reindex::reindex;
pub use server::{Console, StartError, check_cloud};
pub use session::SessionLimits;

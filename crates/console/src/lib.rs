//! The Sillage console: the backend for the browser. Sessions, policy, the index and its lists, device pages, live events.
//!
//! It reaches the device cloud only over the wire, through the client library. The browser holds a random session id in a
//! cookie and never sees a token.

mod account;
mod attention;
mod attention_rules;
mod audit;
mod auth;
mod base;
mod config;
mod csps;
mod devices;
mod events;
mod fleet;
mod forms;
mod fragrances;
#[cfg(any(test, feature = "testing"))]
pub mod fuzz;
mod http;
mod idempotency;
mod index;
mod jobs;
mod limits;
mod live;
mod mail;
mod migrations;
mod policy;
mod preferences;
mod records;
mod reports;
mod retention;
mod secrets;
mod server;
mod sessions;
mod shared_work;
mod state;
mod sync;
#[cfg(test)]
mod test_tools;
#[cfg(feature = "testing")]
pub mod testing;
mod texts;
mod users;

pub use config::{ConfigError, ConsoleConfig};
pub use devicecloud::{Config as CloudConfig, SecretText};
pub use fragrances::add_missing_fragrances;
pub use limits::request_rates::{Rate, RateLimit, RateLimits};
pub use migrations::{MIGRATIONS, init_database, migrate_database};
pub use platform::http::proxies::{NoNetwork, TrustedProxy};
pub use secrets::token_key::{TokenKeyState, WrongTokenKey, token_key_state};
pub use server::reencryption::{Reencryption, ReencryptionError, reencrypt};
pub use server::reindex::reindex;
pub use server::{Console, StartError, check_cloud};
pub use sessions::cloud_fault::CloudFault;
pub use sessions::session::SessionLimits;

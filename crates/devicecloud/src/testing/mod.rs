//! A mock cloud for the tests of programs that use this library. Requires the feature `testing`.
//!
//! [`MockCloud`] answers every call, without a network:
//!
//! ```
//! use std::time::Duration;
//!
//! use devicecloud::ErrorKind;
//! use devicecloud::testing::{Fault, MockCloud};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> devicecloud::Result<()> {
//! let cloud = MockCloud::new();
//! let client = cloud.client();
//!
//! cloud.answer("GET apiv1/devices.json", 200, json!([{"device": {"dsn": "AC1", "connection_status": "Online"}}]));
//! assert_eq!(client.devices().all().await?[0].dsn, "AC1".into());
//!
//! cloud.fault("GET apiv1/devices.json", Fault::Delay(Duration::from_secs(60)));
//! assert_eq!(client.devices().all().await.unwrap_err().kind(), ErrorKind::Timeout);
//! # Ok(())
//! # }
//! ```
//!
//! Write such a test with `#[tokio::test(start_paused = true)]`: delays, timeouts, retries and reconnects then take no
//! time, because tokio moves its paused clock to the next timer. The expiry of tokens depends on the other clock,
//! [`MockCloud::clock`], which moves only when a test [advances](Clock::advance) it.
//!
//! [`model`] builds devices, properties and all other models for tests of functions that take them, [`events`] builds
//! live data.

mod clients;
mod connector;
pub mod events;
mod fault;
#[rustfmt::skip]
mod golden;
mod mock_cloud;
mod model;
mod open_stream;
mod request;
mod route;
mod transport;

pub use crate::clock::{Clock, Jitter};
#[doc(hidden)]
pub use crate::stream::fuzz::frame as fuzz_frame;
pub use fault::Fault;
pub use mock_cloud::{ALL_CALLS, MockCloud};
pub use model::{Model, model};
pub use request::MockRequest;

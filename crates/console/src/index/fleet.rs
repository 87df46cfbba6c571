//! The cloud's devices as a pass needs them.

use std::time::Duration;

use devicecloud::{Client, Order, Result};

use super::row::Entry;
use crate::devices::INCLUDE;

/// The most that the cloud gives at once (wire-facts 1.2).
const PAGE: u32 = 100;
/// The rate budget: before each call of a pass, so that it never crowds out the users.
const PAUSE: Duration = Duration::from_millis(50);

/// The cloud's registered devices: what is not registered is factory stock and none of ours.
pub(crate) trait Fleet: Send {
    /// Those with the next greater keys, by key ascending; none when there are no more. `None` begins.
    fn after(&mut self, key: Option<i64>) -> impl Future<Output = Result<Vec<Entry>>> + Send;

    /// One of them; `None` when the cloud says that it is gone, or no longer registered.
    fn one(&mut self, dsn: &str) -> impl Future<Output = Result<Option<Entry>>> + Send;
}

/// The cloud over the wire, with the service session.
pub(crate) struct CloudFleet {
    cloud: Client,
}

impl CloudFleet {
    pub(crate) fn new(cloud: Client) -> Self {
        Self { cloud }
    }
}

impl Fleet for CloudFleet {
    async fn after(&mut self, key: Option<i64>) -> Result<Vec<Entry>> {
        tokio::time::sleep(PAUSE).await;
        let mut call = self.cloud.devices().list().per_page(PAGE).order_by("key").order(Order::Asc).include(INCLUDE);
        call = call.filter("registered", "true");
        if let Some(key) = key {
            call = call.filter("key_after", key.to_string());
        }
        Ok(call.send().await?.devices.iter().map(Entry::of).collect())
    }

    async fn one(&mut self, dsn: &str) -> Result<Option<Entry>> {
        tokio::time::sleep(PAUSE).await;
        match self.cloud.devices().get(dsn).include(INCLUDE).send().await {
            Ok(device) if device.registered == Some(false) => Ok(None),
            Ok(device) => Ok(Some(Entry::of(&device))),
            Err(error) if error.status() == Some(404) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

//! The device link over TCP, as devices and users see it (docs/device-link.md).
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod api;
mod clients;
mod clocks;
mod commands;
mod device;
mod faults;
mod identity;
mod log;
mod loops;
mod mosquitto;
mod nodes;
mod page;
mod presence;
mod refusals;
mod reports;
mod settings;
mod sign_in;
mod slots;
mod supervision;
mod tls;

use std::time::Duration;

use cloud::CloudConfig;
use cloud::testing::TestCloud;
use platform::testing::TestDb;

use crate::api::Api;

/// A cloud with [`World`], and a client of a user.
pub(crate) async fn start(database: &TestDb) -> (TestCloud, Api) {
    start_with(database, |_| {}).await
}

pub(crate) async fn start_with(database: &TestDb, change: impl FnOnce(&mut CloudConfig)) -> (TestCloud, Api) {
    let cloud = TestCloud::start_with(|config| {
        config.database_url.clone_from(&database.url);
        change(config);
    })
    .await;
    let world = cloud.seed().await;
    let api = Api::new(&cloud, &world).await;
    (cloud, api)
}

/// Like [`start`], with a strict template.
pub(crate) async fn start_strict(database: &TestDb) -> (TestCloud, Api) {
    let cloud = TestCloud::start_with(|config| config.database_url.clone_from(&database.url)).await;
    let world = cloud.seed().await;
    cloud.operator().set_strict_reports(&world.oem, "thing", true).await.unwrap();
    let api = Api::new(&cloud, &world).await;
    (cloud, api)
}

/// Advances the time without waiting. No database call may be in progress, as it would time out. The clock runs on
/// afterwards: the database uses its own threads, and a paused clock would jump to the next timer meanwhile.
pub(crate) async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

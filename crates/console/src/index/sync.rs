//! The full pass: every device of the cloud, by key ascending, so that no device is skipped when another one goes.

use std::time::Duration;

use devicecloud::{Client, Device, Order};
use platform::db::{Db, params};

use super::upsert::{Read, apply_read, remove};
use crate::csps;
use crate::devices::INCLUDE;
use crate::devices::record::DeviceRecord;
use crate::notice::{self, DeviceEventKind};
use crate::state::Base;

/// The most that the cloud gives at once (wire-facts 1.2).
const PAGE: u32 = 100;
/// The rate budget: between two calls of a pass, so that it never crowds out the users.
const PAUSE: Duration = Duration::from_millis(50);

/// Why a pass was given up. What it had written by then stays.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PassError {
    #[error("cloud: {0}")]
    Cloud(#[from] devicecloud::Error),
    #[error(transparent)]
    Db(#[from] platform::db::Error),
    #[error("the cloud ignores filter[key_after]")]
    NoKeysetPaging,
}

/// Walks the whole cloud with the service session and makes the index equal to it.
pub(crate) async fn run_pass(base: &Base, cloud: &Client) -> Result<(), PassError> {
    let generation = begin(&base.db).await?;
    walk(base, cloud, generation).await?;
    remove_ghosts(base, cloud, generation).await?;
    adopt_csps(base).await?;
    base.db.execute("UPDATE idx_sync SET as_of = $1 WHERE id = 1", params![base.clock.now()]).await?;
    Ok(())
}

async fn begin(db: &Db) -> Result<i64, PassError> {
    let mut tx = db.begin().await?;
    let (generation,): (i64,) = tx
        .fetch_one("UPDATE idx_sync SET generation = generation + 1 WHERE id = 1 RETURNING generation", params![])
        .await?;
    tx.commit().await?;
    Ok(generation)
}

async fn walk(base: &Base, cloud: &Client, generation: i64) -> Result<(), PassError> {
    let mut after = None;
    loop {
        let read = Read::begin(&base.clock).in_pass(generation);
        let mut call = cloud.devices().list().per_page(PAGE).order_by("key").order(Order::Asc).include(INCLUDE);
        call = call.filter("registered", "true");
        if let Some(key) = &after {
            call = call.filter("key_after", key);
        }
        let page = call.send().await?;
        let Some(last) = page.devices.last().map(|device| device.key.to_string()) else { return Ok(()) };
        if after.as_ref() == Some(&last) {
            return Err(PassError::NoKeysetPaging);
        }
        store(base, &page.devices, read.end(&base.clock)).await?;
        after = Some(last);
        tokio::time::sleep(PAUSE).await;
    }
}

/// Rows that the pass did not meet go, but only when the cloud confirms that the device is gone.
async fn remove_ghosts(base: &Base, cloud: &Client, generation: i64) -> Result<(), PassError> {
    let unseen: Vec<(String,)> =
        base.db.fetch_all("SELECT dsn FROM idx_device_state WHERE generation < $1", params![generation]).await?;
    for (dsn,) in unseen {
        let read = Read::begin(&base.clock).in_pass(generation);
        match cloud.devices().get(dsn.as_str()).include(INCLUDE).send().await {
            // No longer registered: factory stock again.
            Ok(device) if device.registered == Some(false) => remove(&base.db, &dsn, read).await?,
            Ok(device) => store(base, &[device], read.end(&base.clock)).await?,
            Err(error) if error.status() == Some(404) => remove(&base.db, &dsn, read).await?,
            Err(error) => return Err(error.into()),
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// A partner of the cloud's labels that is no CSP here yet becomes one.
async fn adopt_csps(base: &Base) -> Result<(), PassError> {
    let unknown: Vec<(String,)> = base
        .db
        .fetch_all(
            "SELECT DISTINCT csp FROM idx_devices WHERE csp <> '' AND csp NOT IN (SELECT name FROM csps)",
            params![],
        )
        .await?;
    let names: Vec<String> = unknown.into_iter().map(|(name,)| name).collect();
    csps::adopt(&base.db, &base.random, &names, base.clock.now()).await?;
    Ok(())
}

async fn store(base: &Base, devices: &[Device], read: Read) -> Result<(), PassError> {
    let records: Vec<DeviceRecord> = devices.iter().map(DeviceRecord::of).collect();
    for dsn in apply_read(&base.db, &records, read).await?.changed {
        notice::device(&base.bus, &dsn, DeviceEventKind::Changed);
    }
    Ok(())
}

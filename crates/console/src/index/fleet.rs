//! Reads the cloud's devices for a pass.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use devicecloud::{Client, Device, Dsn, Fingerprint, Order, Result};
use futures::TryStreamExt;
use jiff::Timestamp;
use platform::run::clock::Clock;

use super::due_reads::DueReads;
use super::forecasts::{DeviceFacts, DueForecasts};
use super::row::{IndexEntry, key_of};
use crate::records::cloud_device::{self, FULL_INCLUDE};
use crate::records::device_panic;
use crate::records::{Catalogue, level_to_store};

/// The cloud's maximum page size.
const PAGE_SIZE: u32 = 100;
/// Devices on a page assembled from single reads. Small, because the whole page counts as read when its first device
/// was.
const ASSEMBLED_PAGE: usize = 10;
/// How often a list whose pages shift is read again. The next pass finds devices that are still missing.
const MAX_LISTINGS: usize = 3;

/// The cloud's registered devices. Unregistered devices are factory stock and not indexed.
pub(crate) trait Fleet: Send {
    /// Identifies the content of a page.
    type Fingerprint: Copy + Send + Sync;

    /// Returns the devices that follow `key`, by key ascending; an empty page ends the list. `None` starts it.
    fn page_after(
        &mut self,
        key: Option<i64>,
        known: Option<Self::Fingerprint>,
    ) -> impl Future<Output = Result<FleetPage<Self::Fingerprint>>> + Send;

    /// Reads one device.
    fn device(&mut self, dsn: &str) -> impl Future<Output = Result<FleetDevice>> + Send;
}

/// The result of reading one device.
pub(crate) enum FleetDevice {
    Found(Box<IndexEntry>),
    /// The cloud no longer has it, or it is not registered.
    Gone,
    /// The work on it panicked, so that its row stays as it is.
    Defective,
}

/// A page of the cloud's devices.
pub(crate) enum FleetPage<P> {
    /// The page has the fingerprint that the caller knows.
    Unchanged,
    Entries {
        /// The page's devices without those on which work panicked.
        entries: Vec<IndexEntry>,
        /// The key of the last device of the page; `None` if the page is empty, which ends the list.
        last: Option<i64>,
        /// There is none if the page was assembled from single reads, or has to be read again.
        fingerprint: Option<P>,
    },
}

/// What passes find to be outdated, for the jobs beside them. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Due {
    pub(crate) reads: DueReads,
    pub(crate) forecasts: DueForecasts,
}

/// The cloud's fleet, read with the service session during one pass.
pub(crate) struct CloudFleet {
    cloud: Client,
    /// Delay before each call, to limit the rate.
    pause: Duration,
    /// Dsns by key, for a cloud that cannot list full devices by key.
    listed: Option<BTreeMap<i64, Dsn>>,
    calls: u64,
    catalogue: Arc<Catalogue>,
    due: Due,
    clock: Clock,
}

impl CloudFleet {
    pub(crate) fn new(cloud: Client, pause: Duration, clock: Clock, catalogue: Arc<Catalogue>, due: Due) -> Self {
        Self { cloud, pause, listed: None, calls: 0, catalogue, due, clock }
    }

    /// The entry of a device, and whether its level and forecast are up to date or queued to be updated. `None` if the conversion
    /// panicked.
    fn entry(&self, device: &Device, read_at: Timestamp) -> Option<(IndexEntry, bool)> {
        let dsn = device.dsn.as_str();
        let entry = device_panic::catch("pass", dsn, || IndexEntry::of(device))?;
        let note = || {
            let is_due = level_to_store(device, &entry.record, &self.catalogue).is_some();
            let is_level_noted = !is_due || self.due.reads.add(&device.dsn);
            let facts = DeviceFacts::of(device, &entry.record, &self.catalogue, read_at);
            let is_forecast_noted = self.due.forecasts.add(facts);
            is_level_noted && is_forecast_noted
        };
        let is_noted = device_panic::catch("facts", dsn, note).unwrap_or(true);
        Some((entry, is_noted))
    }

    /// Number of calls during the pass, without the library's retries.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    /// Waits before `calls` calls.
    async fn pace(&mut self, calls: u32) {
        self.calls += u64::from(calls);
        tokio::time::sleep(self.pause * calls).await;
    }

    /// A page of full devices; `None` if this cloud cannot list them by key.
    async fn page(&mut self, after: Option<i64>, known: Option<Fingerprint>) -> Result<Option<FleetPage<Fingerprint>>> {
        self.pace(1).await;
        let mut call =
            self.cloud.devices().list().per_page(PAGE_SIZE).order_by("key").order(Order::Asc).include(FULL_INCLUDE);
        call = call.filter("registered", "true");
        if let Some(key) = after {
            call = call.filter("key_after", key.to_string());
        }
        let read_at = self.clock.now();
        let (page, fingerprint) = call.send_if_changed(known).await?;
        let Some(page) = page else { return Ok(Some(FleetPage::Unchanged)) };
        let (entries, noted): (Vec<IndexEntry>, Vec<bool>) =
            page.devices.iter().filter_map(|device| self.entry(device, read_at)).unzip();
        // A page without fingerprint is not remembered, and the next pass finds its devices again.
        let is_complete = entries.len() == page.devices.len() && noted.iter().all(|is_noted| *is_noted);
        let fingerprint = is_complete.then_some(fingerprint);
        // With the devices that are left out: the pass goes on behind the last one.
        let keys: Vec<i64> = page.devices.iter().map(key_of).collect();
        let by_key = keys.is_sorted_by(|one, next| one < next)
            && keys.first().is_none_or(|first| after.is_none_or(|after| *first > after));
        let whole =
            page.devices.iter().all(|device| device.registered == Some(true) && cloud_device::is_complete(device));
        Ok((by_key && whole).then_some(FleetPage::Entries { entries, last: keys.last().copied(), fingerprint }))
    }

    /// Lists every device by numbered page. Pages shift when a device is removed, and a device can then be skipped: if
    /// fewer devices were found than the cloud counts, the list is read again.
    async fn list(&mut self) -> Result<BTreeMap<i64, Dsn>> {
        let mut listed = BTreeMap::new();
        for _ in 0..MAX_LISTINGS {
            let list = self.cloud.devices().list().per_page(PAGE_SIZE).filter("registered", "true");
            let (mut pages, mut total) = (pin!(list.pages()), 0);
            self.pace(1).await;
            while let Some(page) = pages.try_next().await? {
                total = page.total.max(total);
                listed.extend(page.devices.iter().map(|device| (key_of(device), device.dsn.clone())));
                if page.next_page.is_some() {
                    self.pace(1).await;
                }
            }
            if listed.len() as u64 >= total {
                break;
            }
        }
        Ok(listed)
    }
}

impl Fleet for CloudFleet {
    type Fingerprint = Fingerprint;

    async fn page_after(&mut self, key: Option<i64>, known: Option<Fingerprint>) -> Result<FleetPage<Fingerprint>> {
        if self.listed.is_none() {
            match self.page(key, known).await? {
                Some(page) => return Ok(page),
                None => self.listed = Some(self.list().await?),
            }
        }
        let (mut entries, mut key, mut last) = (Vec::new(), key, None);
        while entries.len() < ASSEMBLED_PAGE {
            let from = key.map_or(Bound::Unbounded, Bound::Excluded);
            let next = self.listed.as_ref().and_then(|listed| listed.range((from, Bound::Unbounded)).next());
            let Some((&listed_key, dsn)) = next else { break };
            let dsn = dsn.clone();
            // A device with another key was removed and registered again; the pass then handles it as missing.
            if let FleetDevice::Found(entry) = self.device(dsn.as_str()).await?
                && entry.key == listed_key
            {
                entries.push(*entry);
            }
            (key, last) = (Some(listed_key), Some(listed_key));
        }
        Ok(FleetPage::Entries { entries, last, fingerprint: None })
    }

    async fn device(&mut self, dsn: &str) -> Result<FleetDevice> {
        self.pace(if self.listed.is_some() { cloud_device::MAX_CALLS } else { 1 }).await;
        let read_at = self.clock.now();
        match cloud_device::read(&self.cloud, dsn).await {
            Ok(device) if device.registered == Some(false) => Ok(FleetDevice::Gone),
            Ok(device) => {
                let entry = self.entry(&device, read_at);
                Ok(entry.map_or(FleetDevice::Defective, |(entry, _)| FleetDevice::Found(Box::new(entry))))
            }
            Err(error) if error.status() == Some(404) => Ok(FleetDevice::Gone),
            Err(error) => Err(error),
        }
    }
}

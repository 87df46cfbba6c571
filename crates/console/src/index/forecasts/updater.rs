use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use devicecloud::Dsn;
use diffuser::forecast::DailyUse;
use jiff::SignedDuration;

use super::past_days::past_days;
use super::store::{self, StoredForecast};
use super::{DeviceFacts, DueForecasts, history};
use crate::base::Base;
use crate::events::notices::{self, DeviceEventKind};
use crate::http::error::ApiError;
use crate::index::fleet_days::DeviceDays;
use crate::index::observed_devices::AttentionQueue;
use crate::records::device_panic;
use crate::sessions::service_account::ServiceSession;

/// Maximum number of devices in one transaction.
const BATCH: usize = 128;
/// Devices whose history waits to be read. Further ones are found again when their facts change.
const MAX_UNFILLED: usize = 20_000;
/// The time that a device waits for the pass to write its row.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);
const MAX_WAIT: SignedDuration = SignedDuration::from_mins(5);
/// The time to wait after a failure.
const FAILURE_PAUSE: Duration = Duration::from_secs(10);

/// Computes the forecasts of due devices. It runs on the node with the lease of the passes.
pub(crate) struct ForecastUpdater {
    pub(crate) base: Base,
    pub(crate) service: Arc<ServiceSession>,
    /// Delay before each call to the cloud.
    pub(crate) pause: Duration,
    pub(crate) due: DueForecasts,
    /// Gets what was read of each device.
    pub(crate) attention: AttentionQueue,
}

impl ForecastUpdater {
    /// Never returns. Cancel-safe.
    pub(crate) async fn run(&self) {
        let (mut unfilled, mut waiting) = (Unfilled::default(), Vec::new());
        loop {
            let mut batch = std::mem::take(&mut waiting);
            batch.extend(self.due.take(BATCH - BATCH.min(batch.len())));
            if batch.is_empty() {
                match unfilled.pop() {
                    Some(facts) => self.fill_or_retry(facts).await,
                    None => self.due.wait().await,
                }
                continue;
            }
            match self.update(&batch).await {
                Ok(Updated { new, missing }) => {
                    new.into_iter().for_each(|facts| unfilled.push(facts));
                    if !missing.is_empty() {
                        waiting = self.still_expected(missing);
                        tokio::time::sleep(RETRY_INTERVAL).await;
                    }
                }
                Err(error) => {
                    if !error.is_unavailable() {
                        tracing::warn!(%error, devices = batch.len(), "forecasts were not stored");
                    }
                    batch.iter().for_each(|facts| self.due.forget(&facts.dsn));
                    tokio::time::sleep(FAILURE_PAUSE).await;
                }
            }
        }
    }

    /// Computes all forecasts that are due, and fills those of new devices.
    #[cfg(test)]
    pub(crate) async fn run_until_idle(&self) {
        loop {
            let batch = self.due.take(BATCH);
            if batch.is_empty() {
                return;
            }
            for facts in self.update(&batch).await.expect("a database").new {
                self.fill(&facts).await.expect("a cloud");
            }
        }
    }

    /// Computes and stores the forecasts of a batch.
    pub(super) async fn update(&self, batch: &[DeviceFacts]) -> platform::db::Result<Updated> {
        let mut stored = store::read(&self.base.db, &dsns(batch)).await?;
        let (mut updated, mut forecasts, mut changed) = (Updated::default(), HashMap::new(), Vec::new());
        let (mut observations, mut device_days) = (Vec::new(), HashMap::new());
        for facts in batch {
            let dsn = facts.dsn.as_str();
            let Some(before) = forecasts.remove(dsn).or_else(|| stored.remove(dsn)) else {
                updated.missing.push(facts.clone());
                continue;
            };
            let computed = device_panic::catch("forecast", dsn, || {
                let outlook = before.outlook();
                let next: StoredForecast = facts.apply_to(before.clone());
                let days = next.filled_at.map(|_| facts.device_days(&next, Vec::new()));
                (next.outlook() != outlook, days, facts.observation(&next), next)
            });
            let Some((is_changed, days, observation, next)) = computed else {
                forecasts.insert(dsn, before);
                continue;
            };
            if is_changed {
                changed.push((next.dsn.clone(), next.csp.clone()));
            }
            match days {
                Some(days) => _ = device_days.insert(dsn, days),
                None => updated.new.push(facts.clone()),
            }
            observations.push((dsn, observation));
            forecasts.insert(dsn, next);
        }
        let device_days: Vec<DeviceDays> = device_days.into_values().collect();
        let now = self.base.clock.now();
        store::write(&self.base.db, forecasts.into_values().collect(), &device_days, now).await?;
        changed.into_iter().for_each(|(dsn, csp)| self.publish(&dsn, csp));
        self.attention.wait_for_room().await;
        observations.into_iter().for_each(|(dsn, observation)| self.attention.observe(dsn, observation));
        Ok(updated)
    }

    pub(super) async fn fill_or_retry(&self, facts: DeviceFacts) {
        // A device whose history causes a panic is read again when its facts change.
        if let Some(Err(error)) = device_panic::catch_async("history", facts.dsn.as_str(), self.fill(&facts)).await {
            if !error.is_unavailable() {
                tracing::warn!(device.dsn = %facts.dsn, %error, "the daily use of a device was not read");
            }
            self.due.forget(&facts.dsn);
            tokio::time::sleep(FAILURE_PAUSE).await;
        }
    }

    /// Reads the daily use and the connections of a device from the cloud's history, and computes its forecast again.
    pub(super) async fn fill(&self, facts: &DeviceFacts) -> Result<(), ApiError> {
        let stored = store::read(&self.base.db, &[facts.dsn.as_str()]).await?.remove(facts.dsn.as_str());
        // Filled already, or removed meanwhile.
        let Some(before) = stored.filter(|it| it.filled_at.is_none()) else { return Ok(()) };
        let outlook = before.outlook();
        let cloud = self.service.cloud().await?;
        let readings = match facts.reading {
            Some(_) => history::readings(&cloud, facts, self.pause).await?,
            None => Vec::new(),
        };
        let connections = history::connections(&cloud, facts, self.pause).await?;
        let filled_at = Some(self.base.clock.now());
        let mut known = StoredForecast { daily_use: DailyUse::default(), filled_at, ..before };
        for reading in &readings {
            if known.daily_use.record(reading.at, reading.hours) {
                known.refills.push(reading.at);
            }
        }
        let filled = facts.apply_to(known);
        let past = past_days(facts, &readings, connections);
        let device_days = [facts.device_days(&filled, past)];
        let observation = facts.observation(&filled);
        let (dsn, csp) = (filled.dsn.clone(), filled.csp.clone());
        let is_changed = filled.outlook() != outlook;
        store::write(&self.base.db, vec![filled], &device_days, self.base.clock.now()).await?;
        self.attention.observe(facts.dsn.as_str(), observation);
        if is_changed {
            self.publish(&dsn, csp);
        }
        Ok(())
    }

    fn publish(&self, dsn: &str, csp: String) {
        publish(&self.base, dsn, csp);
    }

    /// A page is queued before the pass writes its rows. Devices that are not written for long have been removed.
    fn still_expected(&self, missing: Vec<DeviceFacts>) -> Vec<DeviceFacts> {
        let now = self.base.clock.now();
        let (expected, gone): (Vec<_>, Vec<_>) =
            missing.into_iter().partition(|facts| now.duration_since(facts.read_at) < MAX_WAIT);
        gone.iter().for_each(|facts| self.due.forget(&facts.dsn));
        expected
    }
}

/// Ends forecasts whose date has passed while the device was offline.
///
/// # Errors
/// Database errors.
pub(crate) async fn end_passed_forecasts(base: &Base) -> platform::db::Result<()> {
    let passed = store::end_passed(&base.db, base.clock.now()).await?;
    passed.into_iter().for_each(|(dsn, csp)| publish(base, &dsn, csp));
    Ok(())
}

/// Lists show and sort by the date.
fn publish(base: &Base, dsn: &str, csp: String) {
    notices::device(&base.bus, dsn, DeviceEventKind::Changed, &[csp]);
}

/// What is left to do after an update.
#[derive(Debug, Default)]
pub(super) struct Updated {
    /// Devices whose daily use has not been filled.
    pub(super) new: Vec<DeviceFacts>,
    /// Devices that are not in the index.
    pub(super) missing: Vec<DeviceFacts>,
}

/// Devices whose history waits to be read, in turn, with what was last read of each.
#[derive(Debug, Default)]
struct Unfilled {
    turn: VecDeque<Dsn>,
    facts: HashMap<Dsn, DeviceFacts>,
}

impl Unfilled {
    /// Adds a device at the end, or replaces what was read of it before.
    fn push(&mut self, facts: DeviceFacts) {
        if self.facts.len() >= MAX_UNFILLED && !self.facts.contains_key(&facts.dsn) {
            return;
        }
        let dsn = facts.dsn.clone();
        if self.facts.insert(dsn.clone(), facts).is_none() {
            self.turn.push_back(dsn);
        }
    }

    fn pop(&mut self) -> Option<DeviceFacts> {
        self.facts.remove(&self.turn.pop_front()?)
    }
}

fn dsns(batch: &[DeviceFacts]) -> Vec<&str> {
    batch.iter().map(|facts| facts.dsn.as_str()).collect()
}

//! Lists from memory (A-162, ADR 0007): the columns that lists filter, sort and count by, for all devices of the index. A question is a
//! scan of these columns; what a page shows is then read from the index. Below: the table of devices, and what is asked of it.

mod changes;
mod choices;
mod dictionary;
mod order;
mod own_texts;
mod question;
mod table;
mod text_order;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use diffuser::LOW_PRODUCT_PERCENT;
use jiff::Timestamp;
use platform::db::{Db, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use self::changes::Follower;
use self::order::ListOrder;
use self::question::Visible;
use self::table::DeviceTable;
use super::columns::{FilterColumn, RUNS_DRY_DAYS, STATUS};
use super::filter::{DeviceFilter, RunsDryWithin, TextMatch};
use super::query::{ListQuery, Page, rows};
use crate::policy::Actor;
use crate::records::{DeviceStatus, ListedDevice};
use crate::texts::folding::fold;

pub(crate) use choices::{EmptiedBy, ValueCount};

/// Up to this many visible devices, a question is answered at once; a longer one would keep others from being answered.
const SHORT: usize = 20_000;

/// How often a node without questions looks for changes.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long a question waits while the devices are read for the first time.
const MOMENT: Duration = Duration::from_millis(500);

/// The lists of devices. Cheap to clone.
#[derive(Clone)]
pub(crate) struct DeviceLists {
    db: Db,
    parts: Arc<Parts>,
}

struct Parts {
    table: RwLock<DeviceTable>,
    follower: Follower,
    turns: Turns,
}

/// Device counts by status, level and forecast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) online: u64,
    pub(crate) offline: u64,
    pub(crate) never_connected: u64,
    /// With a level of at most [`LOW_PRODUCT_PERCENT`].
    pub(crate) low: u64,
    /// In a list by need for [`RUNS_DRY_DAYS`].
    pub(crate) runs_dry: u64,
}

impl DeviceLists {
    pub(crate) fn new(db: Db) -> Self {
        let parts =
            Parts { table: RwLock::new(DeviceTable::new()), follower: Follower::default(), turns: Turns::default() };
        Self { db, parts: Arc::new(parts) }
    }

    /// Brings the lists up to date with the index. Every question does so, too.
    pub(crate) async fn catch_up(&self) -> Result<()> {
        self.parts.follower.catch_up(&self.db, &self.parts.table).await
    }

    /// Follows the index, so that a question after a quiet time has little to catch up with.
    pub(crate) async fn follow(self) {
        let mut is_following = true;
        loop {
            let caught_up = self.catch_up().await;
            if let Err(error) = &caught_up
                && is_following
                && !error.is_unavailable()
            {
                tracing::error!(%error, "lists do not follow the index");
            }
            is_following = caught_up.is_ok();
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Whether all devices have been read since the start.
    pub(crate) fn is_loaded(&self) -> bool {
        self.parts.follower.is_loaded()
    }

    /// The same, after it has waited for a moment. The devices are read on without the caller.
    pub(crate) async fn is_loaded_soon(&self) -> bool {
        if self.is_loaded() {
            return true;
        }
        let lists = self.clone();
        let loading = tokio::spawn(async move { lists.catch_up().await });
        matches!(timeout(MOMENT, loading).await, Ok(Ok(Ok(()))))
    }

    /// Bytes of memory for each device.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn bytes_per_device(&self) -> usize {
        let table = self.table();
        table.bytes_used() / table.len().max(1)
    }

    /// Asks the table a question about the visible devices after it has caught up. Long ones wait for the turn of their CSP.
    async fn ask<T: Send + 'static>(
        &self,
        visible: Visible,
        question: impl FnOnce(&DeviceTable, &Visible) -> T + Send + 'static,
    ) -> Result<T> {
        self.catch_up().await?;
        let is_short = self.table().count_visible(&visible) <= SHORT;
        if is_short {
            return Ok(question(&self.table(), &visible));
        }
        let _turn = self.parts.turns.take(&visible).await;
        let lists = self.clone();
        let answer = move || question(&lists.table(), &visible);
        match tokio::task::spawn_blocking(answer).await {
            Ok(answer) => Ok(answer),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    fn table(&self) -> RwLockReadGuard<'_, DeviceTable> {
        self.parts.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads one page of the devices that `actor` may see.
    pub(crate) async fn page(&self, actor: &Actor, query: &ListQuery) -> Result<Page> {
        let Some(visible) = Visible::to(actor) else { return Ok(Page::EMPTY) };
        let (filter, order) = (query.filter.clone(), order_of(query));
        let (number, size) = (query.page, query.page_size);
        let (dsns, total, number) = self
            .ask(visible, move |table, visible| {
                let devices = table.find_all(visible, &filter);
                let total = devices.len() as u64;
                let number = Ord::min(number, Ord::max(total.div_ceil(size), 1));
                let skip = usize::try_from((number - 1) * size).unwrap_or(usize::MAX);
                let page = table.page(&devices, order, skip, usize::try_from(size).unwrap_or(usize::MAX));
                (dsns(table, &page), total, number)
            })
            .await?;
        Ok(Page { devices: rows(&self.db, actor, &dsns).await?, total, number })
    }

    /// Returns the dsns of all matching devices in order, and their number. Returns no dsns if there are more than `most`.
    pub(crate) async fn select(&self, actor: &Actor, filter: &DeviceFilter, most: u64) -> Result<(Vec<String>, u64)> {
        let Some(visible) = Visible::to(actor) else { return Ok((Vec::new(), 0)) };
        let filter = filter.clone();
        self.ask(visible, move |table, visible| {
            let mut devices = table.find_all(visible, &filter);
            let total = devices.len() as u64;
            if total > most {
                devices.clear();
            }
            devices.sort_by_key(|device| table.by_dsn().place(*device));
            (dsns(table, &devices), total)
        })
        .await
    }

    /// Counts the devices that match.
    pub(crate) async fn count(&self, actor: &Actor, filter: &DeviceFilter) -> Result<u64> {
        let Some(visible) = Visible::to(actor) else { return Ok(0) };
        let filter = filter.clone();
        self.ask(visible, move |table, visible| table.find_all(visible, &filter).len() as u64).await
    }

    /// Counts matching devices by status, ignoring the filter's status, those with a low level, ignoring the filter's level, and
    /// those in need soon after `now`, ignoring the filter's dates.
    pub(crate) async fn counts(&self, actor: &Actor, filter: &DeviceFilter, now: Timestamp) -> Result<Counts> {
        let Some(visible) = Visible::to(actor) else { return Ok(Counts::default()) };
        let filter = filter.clone();
        self.ask(visible, move |table, visible| {
            let found = |filter: &DeviceFilter| table.find_all(visible, filter);
            let of_any_status = found(&filter.without(STATUS));
            let status = |status: DeviceStatus| {
                of_any_status.iter().filter(|device| table.columns().status[**device as usize] == status).count() as u64
            };
            let low = DeviceFilter { max_remaining: Some(LOW_PRODUCT_PERCENT), ..filter.clone() };
            let within = Some(RunsDryWithin::new(RUNS_DRY_DAYS, now));
            let runs_dry = DeviceFilter { runs_dry_within: within, runs_dry_before: None, ..filter };
            Counts {
                online: status(DeviceStatus::Online),
                offline: status(DeviceStatus::Offline),
                never_connected: status(DeviceStatus::NeverConnected),
                low: found(&low).len() as u64,
                runs_dry: found(&runs_dry).len() as u64,
            }
        })
        .await
    }

    /// Counts devices of these CSPs that `actor` may see. A CSP without devices is missing from the map.
    pub(crate) async fn count_by_csp(&self, actor: &Actor, names: &[&str]) -> Result<HashMap<String, u64>> {
        let Some(visible) = Visible::to(actor) else { return Ok(HashMap::new()) };
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        self.catch_up().await?;
        let table = self.table();
        let seen =
            names.into_iter().filter(|name| visible == Visible::Everything || visible == Visible::Csp(name.clone()));
        let counted = seen.map(|name| (table.of_csp(&name).len() as u64, name));
        Ok(counted.filter(|(devices, _)| *devices > 0).map(|(devices, name)| (name, devices)).collect())
    }

    /// The values that `field` can be filtered by, and the number of devices that each leaves.
    pub(crate) async fn values(
        &self,
        actor: &Actor,
        filter: &DeviceFilter,
        field: &'static FilterColumn,
        text: Option<&str>,
    ) -> Result<Vec<ValueCount>> {
        let Some(visible) = Visible::to(actor) else { return Ok(Vec::new()) };
        let (filter, text) = (filter.clone(), text.map(|text| TextMatch::Contains(fold(text))));
        self.ask(visible, move |table, visible| table.values(visible, &filter, field, text.as_ref())).await
    }

    /// The filter whose removal brings devices back to an empty list.
    pub(crate) async fn emptied_by(&self, actor: &Actor, filter: &DeviceFilter) -> Result<Option<EmptiedBy>> {
        let Some(visible) = Visible::to(actor) else { return Ok(None) };
        let filter = filter.clone();
        self.ask(visible, move |table, visible| table.emptied_by(visible, &filter)).await
    }

    /// At most `limit` customers of the devices that `actor` may see: those whose names match as in a filter, or the first ones
    /// without a text. Names that begin with the text come first. Of names that differ only in case or accents, one is returned.
    pub(crate) async fn customers(&self, actor: &Actor, text: Option<&str>, limit: usize) -> Result<Vec<String>> {
        let Some(visible) = Visible::to(actor) else { return Ok(Vec::new()) };
        let wanted = text.map(|text| (TextMatch::of(text), fold(text)));
        self.ask(visible, move |table, visible| {
            let (text, begins) = wanted.as_ref().map(|(text, begins)| (text, begins.as_str())).unzip();
            table.customers(visible, text, begins, limit)
        })
        .await
    }
}

/// Turns of the readers of long lists: as many at the same time as the machine has processors for each CSP, and for those who see all.
#[derive(Default)]
struct Turns(Mutex<HashMap<Option<String>, Arc<Semaphore>>>);

impl Turns {
    async fn take(&self, visible: &Visible) -> Option<OwnedSemaphorePermit> {
        let csp = match visible {
            Visible::Everything => None,
            Visible::Csp(csp) => Some(csp.clone()),
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let turns = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(csp).or_insert_with(|| Arc::new(Semaphore::new(processors))))
        };
        // It is never closed.
        turns.acquire_owned().await.ok()
    }
}

fn order_of(query: &ListQuery) -> ListOrder {
    let centre = query.filter.near.as_ref().map(|near| near.centre);
    ListOrder { sort: query.sort, order: query.order, centre }
}

fn dsns(table: &DeviceTable, devices: &[u32]) -> Vec<String> {
    devices.iter().map(|device| table.own_texts().dsn(*device).to_owned()).collect()
}

/// All devices of a list in order, regardless of the query's page, for reports. Which devices match is decided once, at the first batch;
/// each batch shows its devices as they are when it is read, without those that are gone.
pub(crate) struct ListScan {
    lists: DeviceLists,
    actor: Actor,
    query: ListQuery,
    /// Those that are left.
    dsns: Option<std::vec::IntoIter<String>>,
}

impl ListScan {
    pub(crate) fn new(lists: DeviceLists, actor: Actor, query: ListQuery) -> Self {
        Self { lists, actor, query, dsns: None }
    }

    /// Counts the devices that match now.
    pub(crate) async fn count(&self) -> Result<u64> {
        self.lists.count(&self.actor, &self.query.filter).await
    }

    /// Returns the next devices, at most `limit`. Fewer than `limit` means that the scan is complete.
    pub(crate) async fn next(&mut self, limit: usize) -> Result<Vec<ListedDevice>> {
        let mut dsns = match self.dsns.take() {
            Some(dsns) => dsns,
            None => self.matching().await?.into_iter(),
        };
        let mut devices = Vec::new();
        // Some may be gone.
        while devices.len() < limit && dsns.len() > 0 {
            let batch: Vec<String> = dsns.by_ref().take(limit - devices.len()).collect();
            devices.extend(rows(&self.lists.db, &self.actor, &batch).await?);
        }
        self.dsns = Some(dsns);
        Ok(devices)
    }

    async fn matching(&self) -> Result<Vec<String>> {
        let Some(visible) = Visible::to(&self.actor) else { return Ok(Vec::new()) };
        let (filter, order) = (self.query.filter.clone(), order_of(&self.query));
        self.lists
            .ask(visible, move |table, visible| {
                let devices = table.find_all(visible, &filter);
                dsns(table, &table.page(&devices, order, 0, devices.len()))
            })
            .await
    }
}

//! For benchmarks: fills and lists the index without cloud and HTTP, and applies stream events without a stream.

use diffuser::Role;
use jiff::Timestamp;
use platform::bus::Bus;
use platform::db::{Db, Dialect, Result, params};
use platform::nodes::lease::Lease;
use platform::run::clock::Clock;
use platform::run::random::Random;
use sqlx::AssertSqlSafe;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::base::Base;
use crate::csps;
use crate::devices::parse_list_query;
use crate::events::hub::Hub;
use crate::events::notices::{self, DeviceEventKind};
use crate::http::request::QueryPairs;
use crate::index::observed_devices::AttentionQueue;
use crate::index::{self, CloudRead, DeviceLists, DueReads, IndexEntry, StreamChange};
use crate::migrations::MIGRATIONS;
use crate::policy::Actor;
use crate::policy::session_hash::SessionHash;
use crate::records::Position;
use crate::records::{ConnectionStatus, DeviceRecord, DeviceState, IndexedProperty, LAN};
use crate::sync::{DeviceEvent, EventChange, PassHandle, STREAM_QUEUE, StreamQueue, StreamWriter};

/// Number of devices per write.
const BATCH: usize = 5_000;

/// A device in the index. Empty texts mean missing values.
#[derive(Clone, Debug)]
pub struct IndexedDevice {
    /// Serial number in the cloud.
    pub dsn: String,
    /// The CSP that serves the device.
    pub csp: String,
    /// The serial number printed on the device.
    pub serial_number: String,
    /// The owner.
    pub customer: String,
    /// The number of the customer's store.
    pub store_number: String,
    /// The location within the store.
    pub service_area: String,
    /// The stored name of the system configuration.
    pub system_configuration: String,
    /// The name of the fragrance.
    pub fragrance: String,
    /// The name of the Wi-Fi network; empty for a cable.
    pub ssid: String,
    /// City.
    pub city: String,
    /// State or province.
    pub state_province: String,
    /// Country.
    pub country: String,
    /// The name of the time zone.
    pub time_zone: String,
    /// Time of the registration.
    pub created_at: Timestamp,
    /// Whether the device is connected.
    pub online: bool,
    /// Time of the last connection; `None` if there was none.
    pub connected_at: Option<Timestamp>,
    /// The fragrance level in percent, if known.
    pub fragrance_remaining: Option<i64>,
    /// Latitude and longitude in degrees, if known.
    pub place: Option<(f64, f64)>,
}

/// Writes the devices into a new index, as a pass does, and marks the index as filled. The database indexes are built
/// afterwards, as when a database is restored.
///
/// # Errors
/// Database errors.
pub async fn fill_index(db: &Db, devices: impl Iterator<Item = IndexedDevice>) -> Result<()> {
    db.migrate(&MIGRATIONS).await?;
    let (clock, random) = (Clock::system(), Random::system());
    let indices: Vec<(String, String)> = db.fetch_all(indices(db.dialect()), params![]).await?;
    for (name, _) in &indices {
        db.execute(AssertSqlSafe(format!("DROP INDEX {name}")), params![]).await?;
    }
    let mut entries = (1..).zip(devices).map(|(key, device)| IndexEntry { key, record: record(device) });
    loop {
        let batch: Vec<IndexEntry> = entries.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        index::apply_read(db, &batch, CloudRead::begin(&clock).end(&clock)).await?;
    }
    for (_, definition) in indices {
        db.execute(AssertSqlSafe(definition), params![]).await?;
    }
    let names: Vec<(String,)> = db.fetch_all("select distinct csp from idx_devices", params![]).await?;
    let names: Vec<String> = names.into_iter().map(|(name,)| name).collect();
    csps::adopt(db, &random, &names, clock.now()).await?;
    db.execute("update idx_sync set as_of = $1 where id = 1", params![clock.now()]).await?;
    Ok(())
}

/// Name and definition of the database indexes of the index tables, except those of keys.
fn indices(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "select name, sql from sqlite_master where type = 'index' and name like 'idx_%'",
        Dialect::Postgres => {
            "select indexname::text, indexdef from pg_indexes \
             where indexname like 'idx_%' and indexname not in (select conname from pg_constraint)"
        }
    }
}

/// The lists of a console node, without HTTP, session and JSON.
pub struct Lists(DeviceLists);

impl Lists {
    /// Loads the devices of the index.
    ///
    /// # Errors
    /// Database errors.
    pub async fn load(db: &Db) -> Result<Self> {
        let lists = DeviceLists::new(db.clone());
        lists.catch_up().await?;
        Ok(Self(lists))
    }

    /// Bytes of memory for each device.
    pub fn bytes_per_device(&self) -> usize {
        self.0.bytes_per_device()
    }

    /// Answers `GET /api/devices?{query}` for an administrator of `csp` or of the whole fleet. Returns the number of matching devices.
    ///
    /// # Errors
    /// Database errors.
    ///
    /// # Panics
    /// If the query is refused.
    pub async fn page(&self, csp: Option<&str>, query: &str) -> Result<u64> {
        let role = if csp.is_some() { Role::CspAdmin } else { Role::Admin };
        let actor = Actor {
            session: SessionHash::of(&[0; 32]),
            user: uuid::Uuid::nil(),
            role: Some(role),
            csp: csp.map(str::to_owned),
        };
        let query = parse_list_query(&QueryPairs::read(query), Clock::system().now()).expect("a query of the list");
        Ok(self.0.page(&actor, &query).await?.total)
    }
}

fn record(device: IndexedDevice) -> DeviceRecord {
    let text = |text: String| (!text.is_empty()).then_some(text);
    DeviceRecord {
        dsn: device.dsn,
        csp: text(device.csp),
        serial_number: text(device.serial_number),
        customer: text(device.customer),
        store_number: text(device.store_number),
        service_area: text(device.service_area),
        system_configuration: text(device.system_configuration),
        fragrance: text(device.fragrance),
        network: text(device.ssid).unwrap_or_else(|| LAN.to_owned()),
        city: text(device.city),
        state_province: text(device.state_province),
        country: text(device.country),
        time_zone: text(device.time_zone),
        created_at: Some(device.created_at),
        position: device.place.and_then(|(latitude, longitude)| Position::of(latitude, longitude)),
        state: DeviceState {
            connection_status: if device.online { ConnectionStatus::Online } else { ConnectionStatus::Offline },
            connected_at: device.connected_at,
            connection_changed_at: device.connected_at,
            mode: Some(3),
            cycle: Some(2),
            intensity: Some(20),
            fan: Some(2),
            fragrance_remaining: device.fragrance_remaining,
            pending: 0,
        },
        ..DeviceRecord::default()
    }
}

/// The path of stream events, from the listener's queue to the index and the bus.
pub struct StreamPath {
    queue: StreamQueue,
    lease: Lease,
    writer: JoinHandle<()>,
}

impl StreamPath {
    /// Starts the writer of an index that [`fill_index`] has filled. Call this in a runtime.
    ///
    /// # Errors
    /// What the database says.
    ///
    /// # Panics
    /// When another node holds the lease.
    pub async fn start(db: &Db) -> Result<Self> {
        let base = Base { db: db.clone(), bus: Bus::in_process(), clock: Clock::system(), random: Random::system() };
        let lease = Lease::new(db.clone(), base.clock.clone(), index::LEASE, base.random.uuid().to_string());
        assert!(lease.take().await?, "the lease is free");
        let passes = PassHandle::new();
        let (events, queued) = mpsc::channel(STREAM_QUEUE);
        let (rejected, _) = mpsc::channel(1);
        let (attention, reads) = (AttentionQueue::default(), DueReads::default());
        let writer = StreamWriter::new(base.clone(), lease.clone(), passes.clone(), queued, rejected, attention, reads);
        let mut notices = notices::listen(&base.bus);
        let hub = tokio::spawn(async move {
            let hub = Hub::default();
            while let Some(delivery) = notices.next().await {
                hub.dispatch(&delivery, |_| false);
            }
        });
        let queue = StreamQueue::new(&base, passes, events);
        let writer = tokio::spawn(async move {
            writer.run().await;
            hub.abort();
        });
        Ok(Self { queue, lease, writer })
    }

    /// Whether the queue takes another event.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.queue.has_room()
    }

    /// As if the device reported an intensity. Returns false if the queue is full: the event is lost, and a console requests
    /// a pass.
    pub fn report_intensity(&mut self, dsn: &str, percent: i64) -> bool {
        let change = EventChange::Known(StreamChange::Reported(IndexedProperty::Intensity, percent));
        let event = DeviceEvent { dsn: dsn.to_owned(), change, kind: DeviceEventKind::Reported, is_published: false };
        self.queue.push(event, Some(Clock::system().now()))
    }

    /// Waits until all events are in the index.
    ///
    /// # Errors
    /// What the database says.
    ///
    /// # Panics
    /// When the writer panicked.
    pub async fn finish(self) -> Result<()> {
        drop(self.queue);
        self.writer.await.expect("the writer does not panic");
        self.lease.release().await
    }
}

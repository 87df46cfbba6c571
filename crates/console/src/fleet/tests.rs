//! The hourly sample on both databases.

use jiff::{SignedDuration, Timestamp};
use platform::bus::Bus;
use platform::db::{Db, params};
use platform::run::clock::Clock;
use platform::run::random::Random;

use super::FleetSampler;
use crate::base::Base;
use crate::index::fleet_days::{self, DaySelection, DaySums, Dimension};
use crate::index::{self, CloudRead, IndexEntry};
use crate::records::{ConnectionStatus, DeviceRecord, DeviceState};

const START: &str = "2026-11-20T12:20:00Z";

struct Console {
    sampler: FleetSampler,
    clock: Clock,
}

impl Console {
    fn new(db: Db) -> Self {
        let clock = Clock::mock(START.parse().unwrap());
        let base = Base { db, bus: Bus::in_process(), clock: clock.clone(), random: Random::seeded(1) };
        Self { sampler: FleetSampler { base }, clock }
    }

    fn db(&self) -> &Db {
        &self.sampler.base.db
    }

    async fn index(&self, devices: &[DeviceRecord]) {
        let read = CloudRead::begin(&self.clock).end(&self.clock);
        let entries: Vec<IndexEntry> =
            (1..).zip(devices).map(|(key, record)| IndexEntry { key, record: record.clone() }).collect();
        index::apply_read(self.db(), &entries, read).await.unwrap();
    }

    /// All earlier changes of states are in the index.
    async fn states_are_known_until(&self, time: Timestamp) {
        let sql = "update idx_sync set as_of = coalesce(as_of, $1), states_as_of = $1 where id = 1";
        self.db().execute(sql, params![time]).await.unwrap();
    }

    async fn sample_now(&self) {
        self.states_are_known_until(self.clock.now()).await;
        self.sampler.sample_if_due().await.unwrap();
    }

    /// The sums of today.
    async fn today(&self, csp: Option<&str>, group: (Dimension, &str)) -> Option<DaySums> {
        let from = fleet_days::day_of(self.clock.now());
        let (csp, group) = (csp.map(str::to_owned), Some((group.0, group.1.to_owned())));
        let until = from + SignedDuration::from_hours(24);
        let found = fleet_days::days(self.db(), &DaySelection { csp, group, from, until }).await.unwrap();
        found.into_iter().next().map(|(_, sums)| sums)
    }
}

fn device(dsn: &str, customer: &str, online: bool, level: Option<i64>) -> DeviceRecord {
    let connection_status = if online { ConnectionStatus::Online } else { ConnectionStatus::Offline };
    DeviceRecord {
        dsn: dsn.to_owned(),
        csp: Some("North".to_owned()),
        customer: Some(customer.to_owned()).filter(|customer| !customer.is_empty()),
        fragrance: Some("Fig".to_owned()),
        state: DeviceState { connection_status, fragrance_remaining: level, ..DeviceState::default() },
        ..DeviceRecord::default()
    }
}

async fn sample_counts_devices_by_csp_customer_and_fragrance(db: Db) {
    let console = Console::new(db);
    let levels = [Some(0), Some(1), Some(20), Some(21), Some(50), Some(51), Some(100), None];
    let mut devices: Vec<DeviceRecord> = (0..)
        .zip(levels)
        .map(|(number, level)| device(&format!("D{number}"), "Hotel", number % 2 == 0, level))
        .collect();
    devices.push(DeviceRecord { csp: None, ..device("X", "", true, Some(80)) });
    console.index(&devices).await;
    console.sample_now().await;
    let all = console.today(None, (Dimension::All, "")).await.unwrap();
    assert_eq!((all.devices, all.levels), (Some(9), [1, 2, 2, 3].map(Some)));
    assert_eq!(all.online[11..14], [None, Some(5), None]);
    for group in [(Dimension::All, ""), (Dimension::Customer, "Hotel"), (Dimension::Fragrance, "Fig")] {
        let north = console.today(Some("North"), group).await.unwrap();
        assert_eq!((north.devices, north.levels, north.online[12]), (Some(8), [1, 2, 2, 2].map(Some), Some(4)));
    }
    let without = console.today(Some(""), (Dimension::Customer, "")).await.unwrap();
    assert_eq!((without.devices, without.online[12]), (Some(1), Some(1)));
    assert_eq!(console.today(Some("South"), (Dimension::All, "")).await, None);
}

async fn hour_is_sampled_once_and_only_from_current_states(db: Db) {
    let console = Console::new(db);
    console.index(&[device("A", "Hotel", true, Some(80))]).await;
    console.sampler.sample_if_due().await.unwrap();
    assert_eq!(console.today(None, (Dimension::All, "")).await, None, "the index is not filled");
    console.states_are_known_until("2026-11-20T11:59:59Z".parse().unwrap()).await;
    console.sampler.sample_if_due().await.unwrap();
    assert_eq!(console.today(None, (Dimension::All, "")).await, None, "its states are those of the hour before");
    console.sample_now().await;

    console.clock.advance(SignedDuration::from_mins(30));
    console.index(&[device("A", "Hotel", false, Some(80)), device("B", "Hotel", false, Some(80))]).await;
    console.sample_now().await;
    let online = async || console.today(None, (Dimension::All, "")).await.unwrap().online;
    assert_eq!(online().await[12..15], [Some(1), None, None]);
    // The console was stopped for two hours.
    console.clock.advance(SignedDuration::from_hours(2));
    console.sample_now().await;
    assert_eq!(online().await[12..15], [Some(1), None, Some(0)]);
    assert_eq!(console.today(None, (Dimension::All, "")).await.unwrap().devices, Some(2));
    console.clock.advance(SignedDuration::from_hours(10));
    console.sample_now().await;
    assert_eq!(online().await[..2], [Some(0), None], "the next day");
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [sample_counts_devices_by_csp_customer_and_fragrance, hour_is_sampled_once_and_only_from_current_states]
);

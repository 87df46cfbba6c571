//! Compares lists with a plain walk of all devices.

use jiff::civil::Date;
use std::cmp::Ordering;

use platform::run::clock::to_micros;
use platform::run::random::Random;

use super::*;
use crate::index::columns::RUNS_DRY_DAYS;
use crate::index::fleet_days::Dimension;
use crate::policy::Scope;
use crate::records::{ForecastObstacle, ListedDevice, Outlook, Position, SupplyGroup};
use crate::texts::folding::fold;
use crate::texts::natural_order;

const SEEDS: u64 = 8;
const LISTS: usize = 60;

const SORTS: [&str; 17] = [
    "created_at",
    "serialnumber",
    "dsn",
    "csp",
    "customer",
    "servicearea",
    "model",
    "network",
    "connectionstatus",
    "connectedat",
    "city",
    "stateprovince",
    "country",
    "installedat",
    "fragranceremaining",
    "runsdry",
    "distance",
];

/// Few texts, so that they repeat, with the special characters of patterns, queries and quoted texts.
const TEXTS: [&str; 14] = [
    "Oslo",
    "OSLO",
    "Bergen",
    "100%_a",
    "a_b%c",
    "back\\slash",
    "it's \"q\"",
    "NOT x*",
    "dsn: y^",
    "Łódź",
    "straße",
    "ΟΔΟΣ",
    "ab",
    "é",
];
const MODES_BY_NAME: [(&str, Option<i64>); 3] = [("Off", Some(1)), ("24/7", Some(3)), ("Run", Some(4))];
const SEARCHED: [&str; 30] = [
    "o",
    "os",
    "osl",
    "OSLO",
    "slo",
    "b",
    "e",
    "0%_",
    "_",
    "%",
    "a_b",
    "\\",
    "k\\s",
    "\"q\"",
    "t's",
    "not",
    "x*",
    " x*",
    "dsn",
    "y^",
    "ódź",
    "strasse",
    "ss",
    "οδος",
    "é",
    "nothing of this",
    "\"oslo\"",
    "\"ab\"",
    "\"it's \"q\"\"",
    "\"\"",
];
const SEARCHES: [&str; 10] =
    ["o", "osl SC", "it's \"q\"", "sc00", "  q ", "x* NOT", "b a%", "ÓDŹ", "01 strasse \u{a0}e", "nothing of this"];
const CSPS: [Option<&str>; 4] = [None, Some("North"), Some("South"), Some("O'Hara \"%\"")];
const MODELS: [&str; 3] = ["AQ290", "AQ380", "aq290"];

pub(super) struct RandomValues(pub(super) Random);

impl RandomValues {
    pub(super) fn below(&self, n: usize) -> usize {
        usize::try_from(self.0.below(n as u64)).unwrap()
    }

    fn one_in(&self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Clone>(&self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    fn text(&self) -> Option<String> {
        (!self.one_in(5)).then(|| self.pick(&TEXTS).to_owned())
    }

    fn time(&self) -> Option<Timestamp> {
        let second = i64::try_from(self.below(4)).unwrap();
        (second > 0).then(|| Timestamp::from_second(1_700_000_000 + second).unwrap())
    }

    fn date(&self) -> &'static str {
        self.pick(&["2024-02-29", "2026-11-19", "2026-11-20", "2026-12-01"])
    }

    pub(super) fn device(&self, number: usize) -> DeviceRecord {
        let status = if self.one_in(4) { ConnectionStatus::Offline } else { ConnectionStatus::Online };
        let like = record(&format!("{}{number:03}", self.pick(&["SC", "sc", "Ä"])), self.pick(&CSPS));
        DeviceRecord {
            serial_number: self.text(),
            customer: self.text(),
            service_area: self.text(),
            fragrance: self.text(),
            customer_id: self.text(),
            store_number: self.text(),
            installed_at: (!self.one_in(4)).then(|| self.date().parse().unwrap()),
            system_configuration: (!self.one_in(6)).then(|| self.pick(&MODELS).to_owned()),
            network: self.text().unwrap_or_else(|| "LAN".to_owned()),
            city: self.text(),
            state_province: self.text(),
            country: self.text(),
            created_at: self.time(),
            position: (!self.one_in(4)).then(|| self.place()),
            state: DeviceState {
                connection_status: status,
                connected_at: self.time(),
                connection_changed_at: self.time(),
                mode: self.pick(&[None, Some(1), Some(2), Some(3), Some(4)]),
                fragrance_remaining: self.pick(&[None, Some(0), Some(20), Some(21), Some(100), Some(120)]),
                ..like.state
            },
            ..like
        }
    }

    /// Positions around the date line and the pole.
    fn place(&self) -> Position {
        let (latitude, longitude) =
            self.pick(&[(0.0, 179.9), (0.0, -179.9), (0.1, 179.5), (89.9, 10.0), (89.9, -170.0)]);
        Position::of(latitude, longitude).unwrap()
    }

    fn filter(&self) -> DeviceFilter {
        // Most lists have at most two filters.
        let text = || self.one_in(7).then(|| self.pick(&SEARCHED).to_owned());
        let texts = [
            ("csp", self.one_in(5).then(|| self.pick(&["North", "O'Hara \"%\"", "none"]).to_owned())),
            ("dsn", self.one_in(7).then(|| self.pick(&["s", "sc", "C01", "ä0", "00"]).to_owned())),
            ("network", if self.one_in(10) { Some("lan".to_owned()) } else { text() }),
            ("servicearea", text()),
            ("fragrance", text()),
            ("model", self.one_in(6).then(|| self.pick(&MODELS).to_owned())),
            ("serialnumber", text()),
            ("customer", text()),
            ("customerid", text()),
            ("storenumber", text()),
            ("city", text()),
            ("country", text()),
            ("stateprovince", text()),
            ("installedfrom", self.one_in(8).then(|| self.date().to_owned())),
            ("installedthrough", self.one_in(8).then(|| self.date().to_owned())),
            ("mode", self.one_in(6).then(|| self.pick(&MODES_BY_NAME).0.to_owned())),
            (STATUS, self.one_in(4).then(|| self.pick(&DeviceStatus::ALL).name().to_owned())),
            ("q", self.one_in(4).then(|| self.pick(&SEARCHES).to_owned())),
        ];
        DeviceFilter {
            texts: texts.into_iter().filter_map(|(name, text)| Some((name, text?))).collect(),
            max_remaining: self.one_in(6).then(|| self.pick(&[0, 20, 99, 100])),
            offline_for: self
                .one_in(6)
                .then(|| OfflineFor { hours: 1, before: Timestamp::from_second(1_700_000_002).unwrap() }),
            runs_dry_within: self.one_in(6).then(|| RunsDryWithin { days: 1, before: runs_dry_at(3) }),
            runs_dry_before: self.one_in(8).then(|| self.date().parse().unwrap()),
            near: self.one_in(5).then(|| Near {
                place: String::new(),
                centre: self.place(),
                kilometres: self.pick(&[1, 50, 500]),
            }),
            // About a third of the values from [`Self::device`].
            exclude_dsn: self.one_in(3).then(|| format!("SC{:03}", self.below(300))),
        }
    }

    pub(super) fn query(&self) -> ListQuery {
        ListQuery {
            page: self.below(8) as u64 + 1,
            page_size: self.pick(&[5, 25, 50]),
            order: self.pick(&[SortOrder::Asc, SortOrder::Desc]),
            sort: self.pick(&SORTS).parse().unwrap(),
            filter: match self.below(8) {
                0 => DeviceFilter::default(),
                1 => DeviceFilter { exclude_dsn: self.filter().exclude_dsn, ..DeviceFilter::default() },
                _ => self.filter(),
            },
        }
    }

    pub(super) fn actor(&self) -> Actor {
        match self.below(8) {
            0 => actor(Some(Role::CspTech), Some("North")),
            1 => actor(Some(Role::CspAdmin), Some("O'Hara \"%\"")),
            2 => actor(Some(Role::CspObserver), None),
            3 => actor(Some(Role::Observer), None),
            _ => admin(),
        }
    }
}

/// The expected page, total and page number.
#[expect(clippy::too_many_lines, reason = "one condition for each filter")]
pub(super) fn expected(fleet: &[DeviceRecord], actor: &Actor, query: &ListQuery) -> (Vec<String>, u64, u64) {
    let filter = &query.filter;
    let text = |name: &str| filter.texts.get(name).map(String::as_str);
    let mut matching: Vec<&DeviceRecord> = fleet
        .iter()
        .filter(|device| match actor.scope() {
            Scope::Everything => text("csp").is_none_or(|csp| device.csp.as_deref() == Some(csp)),
            Scope::Csp(own) => device.csp.as_deref() == Some(own),
            Scope::Nothing => false,
        })
        .filter(|device| filter.exclude_dsn.as_ref() != Some(&device.dsn))
        .filter(|device| text("model").is_none_or(|model| device.system_configuration.as_deref() == Some(model)))
        .filter(|device| text("mode").is_none_or(|name| MODES_BY_NAME.contains(&(name, device.state.mode))))
        .filter(|device| filter.status().is_none_or(|status| device.state.status() == status))
        .filter(|device| {
            [
                (text("dsn"), Some(&device.dsn)),
                (text("servicearea"), device.service_area.as_ref()),
                (text("fragrance"), device.fragrance.as_ref()),
                (text("serialnumber"), device.serial_number.as_ref()),
                (text("customer"), device.customer.as_ref()),
                (text("customerid"), device.customer_id.as_ref()),
                (text("storenumber"), device.store_number.as_ref()),
                (text("city"), device.city.as_ref()),
                (text("country"), device.country.as_ref()),
                (text("stateprovince"), device.state_province.as_ref()),
            ]
            .into_iter()
            .all(|(wanted, value)| wanted.is_none_or(|wanted| matches(wanted, value.map_or("", |it| it))))
        })
        .filter(|device| match text("network") {
            None => true,
            Some(wanted) if fold(wanted) == "lan" => device.network == "LAN",
            Some(wanted) => matches(wanted, ssid(device)),
        })
        .filter(|device| {
            let date = device.installed_at.map(|date| date.to_string());
            let compare = |name: &str, holds: fn(&str, &str) -> bool| {
                text(name).is_none_or(|limit| date.as_deref().is_some_and(|date| holds(date, limit)))
            };
            compare("installedfrom", |date, from| date >= from)
                && compare("installedthrough", |date, through| date <= through)
        })
        .filter(|device| {
            let level = device.state.fragrance_remaining;
            filter.max_remaining.is_none_or(|most| level.is_some_and(|level| level.min(100) <= i64::from(most)))
        })
        .filter(|device| {
            let state = device.state;
            let is_offline = state.status() == DeviceStatus::Offline;
            // A missing time sorts as the earliest.
            filter.offline_for.is_none_or(|it| is_offline && state.connection_changed_at < Some(it.before))
        })
        .filter(|device| filter.runs_dry_before().is_none_or(|limit| is_in_need(device, limit)))
        .filter(|device| {
            filter
                .near
                .as_ref()
                .is_none_or(|near| distance(device, near).is_some_and(|it| it <= near.kilometres.into()))
        })
        .filter(|device| text("q").unwrap_or_default().split_whitespace().all(|word| finds(word, device)))
        .collect();
    matching.sort_by(|one, other| {
        let order = compare_in_order(query, one, other)
            .then_with(|| natural_order::compare(&fold(&one.dsn), &fold(&other.dsn)))
            .then_with(|| one.dsn.cmp(&other.dsn));
        if query.order == SortOrder::Asc { order } else { order.reverse() }
    });
    let total = matching.len() as u64;
    let number = query.page.min(total.div_ceil(query.page_size).max(1));
    let skipped = usize::try_from((number - 1) * query.page_size).unwrap();
    let page = matching.into_iter().skip(skipped).take(usize::try_from(query.page_size).unwrap());
    (page.map(|device| device.dsn.clone()).collect(), total, number)
}

fn matches(wanted: &str, value: &str) -> bool {
    if let Some(whole) = wanted.strip_prefix('"').and_then(|it| it.strip_suffix('"')).filter(|it| !it.is_empty()) {
        return fold(whole) == fold(value);
    }
    part_matches(wanted, value)
}

fn part_matches(wanted: &str, value: &str) -> bool {
    let (wanted_folded, value) = (fold(wanted), fold(value));
    if wanted_folded.chars().count() >= 3 { value.contains(&wanted_folded) } else { value.starts_with(&wanted_folded) }
}

fn ssid(device: &DeviceRecord) -> &str {
    if device.network == "LAN" { "" } else { &device.network }
}

fn distance(device: &DeviceRecord, near: &Near) -> Option<f64> {
    Some(near.centre.kilometres_to(device.position?))
}

fn squared(device: &DeviceRecord, centre: Position) -> Option<i64> {
    let Position { x, y, z } = device.position?;
    Some((x - centre.x).pow(2) + (y - centre.y).pow(2) + (z - centre.z).pow(2))
}

/// One of a few times, which is before or after the dates of the filters.
fn runs_dry_at(number: i64) -> Timestamp {
    NOON.parse::<Timestamp>().unwrap() + SignedDuration::from_hours(24 * 3 * (number - 3))
}

/// By the last digit of the dsn, as [`store_fleet`] stores it.
fn outlook(device: &DeviceRecord) -> Outlook {
    let digit: i64 = device.dsn[device.dsn.len() - 1..].parse().unwrap();
    Outlook {
        emptied_at: Some(runs_dry_at(digit)),
        runs_dry_at: (digit < 6).then(|| runs_dry_at(digit)),
        obstacle: (digit == 6).then_some(ForecastObstacle::PassedOffline),
        has_history: true,
        ml_per_week: None,
    }
}

fn supply(device: &DeviceRecord) -> SupplyGroup {
    outlook(device).group(device.state.fragrance_remaining)
}

fn is_in_need(device: &DeviceRecord, limit: Timestamp) -> bool {
    match supply(device) {
        SupplyGroup::Empty | SupplyGroup::NoContact | SupplyGroup::Low => true,
        SupplyGroup::Forecast => outlook(device).runs_dry_at.unwrap() < limit,
        SupplyGroup::Other => false,
    }
}

/// The rank of the group, and the value that orders it, in ascending order.
fn supply_order(device: &DeviceRecord, order: SortOrder) -> (i64, i64) {
    let state = device.state;
    let is_rising = order == SortOrder::Asc;
    let sign = if is_rising { 1 } else { -1 };
    let emptied_at = outlook(device).emptied_at.map_or(0, to_micros);
    match supply(device) {
        SupplyGroup::Forecast => (if is_rising { 1 } else { 0 }, outlook(device).runs_dry_at.map_or(0, to_micros)),
        SupplyGroup::Empty => (if is_rising { 0 } else { -1 }, sign * emptied_at),
        SupplyGroup::NoContact => (sign * 2, sign * state.connection_changed_at.map_or(0, to_micros)),
        SupplyGroup::Low => (sign * 3, sign * state.fragrance_remaining.unwrap()),
        SupplyGroup::Other => (sign * 4, 0),
    }
}

/// Replaces all devices. Nothing is left of a former device with the same dsn, such as a later disconnection time.
async fn store_fleet(db: &Db, fleet: &[DeviceRecord]) {
    clear(db, &[]).await;
    store(db, fleet).await;
    store_forecasts(db).await;
}

pub(super) async fn store_forecasts(db: &Db) {
    for digit in 0..10 {
        store_forecast(db, &digit.to_string()).await;
    }
}

/// Stores the forecasts of the devices whose DSNs end alike.
pub(super) async fn store_forecast(db: &Db, end: &str) {
    let outlook = outlook(&record(end, None));
    let obstacle = outlook.obstacle.map(<&str>::from);
    let sql = "update idx_device_state set runs_dry_at = $1, emptied_at = $2, forecast_obstacle = $3 where dsn like $4";
    let values = params![outlook.runs_dry_at, outlook.emptied_at, obstacle, format!("%{end}")];
    db.execute(sql, values).await.unwrap();
}

/// Whether the word occurs in one of the texts' words.
fn finds(word: &str, device: &DeviceRecord) -> bool {
    let numbers =
        [Some(&device.dsn), device.serial_number.as_ref(), device.customer_id.as_ref(), device.store_number.as_ref()];
    let names =
        [device.customer.as_ref(), device.service_area.as_ref(), device.fragrance.as_ref(), device.city.as_ref()];
    let without_hyphens = numbers.map(|number| number.map(|text| text.replace('-', "")));
    let without_hyphens = without_hyphens.each_ref().map(Option::as_ref);
    let texts = [numbers, names, without_hyphens].into_iter().flatten();
    texts.flatten().flat_map(|text| text.split_whitespace()).any(|text| part_matches(word, text))
}

fn compare_in_order(query: &ListQuery, one: &DeviceRecord, other: &DeviceRecord) -> Ordering {
    let text = |of: fn(&DeviceRecord) -> Option<&str>| {
        natural_order::compare(&fold(of(one).unwrap_or("")), &fold(of(other).unwrap_or("")))
    };
    match query.sort {
        DeviceSort::CreatedAt => one.created_at.cmp(&other.created_at),
        DeviceSort::SerialNumber => text(|it| it.serial_number.as_deref()),
        DeviceSort::Dsn => text(|it| Some(&it.dsn)),
        DeviceSort::Csp => text(|it| it.csp.as_deref()),
        DeviceSort::Customer => text(|it| it.customer.as_deref()),
        DeviceSort::ServiceArea => text(|it| it.service_area.as_deref()),
        DeviceSort::Model => text(|it| it.system_configuration.as_deref()),
        DeviceSort::Network => text(|it| Some(ssid(it))),
        DeviceSort::ConnectionStatus => one.state.status().name().cmp(other.state.status().name()),
        DeviceSort::ConnectedAt => one.state.connected_at.cmp(&other.state.connected_at),
        DeviceSort::City => text(|it| it.city.as_deref()),
        DeviceSort::StateProvince => text(|it| it.state_province.as_deref()),
        DeviceSort::Country => text(|it| it.country.as_deref()),
        DeviceSort::InstalledAt => {
            let unknown = if query.order == SortOrder::Asc { Date::MAX } else { Date::MIN };
            let date = |it: &DeviceRecord| it.installed_at.unwrap_or(unknown);
            date(one).cmp(&date(other))
        }
        DeviceSort::FragranceRemaining => {
            let unknown = if query.order == SortOrder::Asc { 101 } else { -1 };
            let level = |it: &DeviceRecord| it.state.fragrance_remaining.map_or(unknown, |level| level.min(100));
            level(one).cmp(&level(other))
        }
        DeviceSort::RunsDry => supply_order(one, query.order).cmp(&supply_order(other, query.order)),
        DeviceSort::Distance => match &query.filter.near {
            Some(near) => squared(one, near.centre).cmp(&squared(other, near.centre)),
            None => text(|it| Some(&it.dsn)),
        },
    }
}

/// Counts the devices of a list with this filter.
fn total(fleet: &[DeviceRecord], actor: &Actor, filter: DeviceFilter) -> u64 {
    expected(fleet, actor, &ListQuery { filter, ..query() }).1
}

fn expected_counts(fleet: &[DeviceRecord], actor: &Actor, filter: &DeviceFilter) -> Counts {
    let with = |status: DeviceStatus| total(fleet, actor, filter.clone().and(STATUS, status.name()));
    Counts {
        online: with(DeviceStatus::Online),
        offline: with(DeviceStatus::Offline),
        never_connected: with(DeviceStatus::NeverConnected),
        low: total(fleet, actor, DeviceFilter { max_remaining: Some(20), ..filter.clone() }),
        runs_dry: {
            let within = Some(RunsDryWithin::new(RUNS_DRY_DAYS, NOON.parse().unwrap()));
            total(fleet, actor, DeviceFilter { runs_dry_within: within, runs_dry_before: None, ..filter.clone() })
        },
    }
}

async fn counts_and_selections_agree_with_the_lists(db: Db) {
    for seed in 0..SEEDS {
        let random = RandomValues(Random::seeded(seed));
        let fleet: Vec<DeviceRecord> = (0..200).map(|number| random.device(number)).collect();
        store_fleet(&db, &fleet).await;
        let lists = DeviceLists::new(db.clone());
        let empty = fleet.iter().filter(|device| supply(device) == SupplyGroup::Empty).count();
        let samples = fleet_samples(&db, Dimension::All).await.unwrap();
        assert_eq!(samples.iter().map(|sample| sample.levels[0]).sum::<i64>(), i64::try_from(empty).unwrap());
        for _ in 0..LISTS / 6 {
            let (actor, filter) = (random.actor(), random.query().filter);
            let found = lists.counts(&actor, &filter, NOON.parse().unwrap()).await.unwrap();
            assert_eq!(found, expected_counts(&fleet, &actor, &filter), "{actor:?} {filter:?}");
            let all = ListQuery { page_size: 1000, filter: filter.clone(), ..query() };
            let (dsns, total, _) = expected(&fleet, &actor, &all);
            assert_eq!(lists.select(&actor, &filter, 1000).await.unwrap(), (dsns, total), "{actor:?} {filter:?}");
            if total > 0 {
                let too_many = lists.select(&actor, &filter, total - 1).await.unwrap();
                assert_eq!(too_many, (Vec::new(), total), "{actor:?} {filter:?}");
            }
        }
    }
}

async fn every_list_equals_sorting_and_filtering_in_memory(db: Db) {
    let clock = clock();
    let lists = DeviceLists::new(db.clone());
    for seed in 0..SEEDS {
        let random = RandomValues(Random::seeded(seed));
        // Devices change between fleets and keep their dsns, so derived data must change too.
        let mut fleet: Vec<DeviceRecord> = (0..300).map(|number| random.device(number)).collect();
        // A device that stays offline keeps a later disconnection time unless it connected anew.
        for device in &mut fleet {
            let connected_at = &mut device.state.connected_at;
            *connected_at = connected_at.map(|at| at + SignedDuration::from_micros(seed.cast_signed()));
        }
        clear(&db, &fleet).await;
        clock.advance(SignedDuration::from_secs(1));
        apply_read(&db, &entries(&fleet), CloudRead::begin(&clock).end(&clock)).await.unwrap();
        store_forecasts(&db).await;
        for _ in 0..LISTS {
            let (actor, query) = (random.actor(), random.query());
            let answer = lists.page(&actor, &query).await.unwrap();
            let found: Vec<String> = answer.devices.iter().map(|device| device.record.dsn.clone()).collect();
            assert_eq!((found, answer.total, answer.number), expected(&fleet, &actor, &query), "{actor:?} {query:?}");
        }
    }
}

/// Scans a list in batches.
async fn scan_all(lists: &DeviceLists, actor: &Actor, query: &ListQuery, limit: usize) -> Vec<String> {
    let mut scan = ListScan::new(lists.clone(), actor.clone(), query.clone());
    assert_eq!(scan.count().await.unwrap(), lists.count(actor, &query.filter).await.unwrap());
    let mut found = Vec::new();
    loop {
        let page = scan.next(limit).await.unwrap();
        let is_last = page.len() < limit;
        found.extend(page.into_iter().map(|device| device.record.dsn));
        if is_last {
            return found;
        }
    }
}

async fn scan_returns_the_whole_list_in_order(db: Db) {
    for seed in 0..SEEDS {
        let random = RandomValues(Random::seeded(seed));
        let fleet: Vec<DeviceRecord> = (0..100).map(|number| random.device(number)).collect();
        store_fleet(&db, &fleet).await;
        let lists = DeviceLists::new(db.clone());
        for _ in 0..LISTS / 4 {
            let (actor, query) = (random.actor(), ListQuery { page_size: 1000, ..random.query() });
            let (whole, ..) = expected(&fleet, &actor, &query);
            for limit in [1, 7, 1000] {
                assert_eq!(scan_all(&lists, &actor, &query, limit).await, whole, "{limit} {actor:?} {query:?}");
            }
        }
    }
}

async fn scan_shows_what_matched_at_its_beginning_without_devices_that_are_gone(db: Db) {
    let fleet: Vec<DeviceRecord> = (10..30).map(|number| record(&format!("D{number}"), None)).collect();
    store(&db, &fleet).await;
    let mut scan = ListScan::new(DeviceLists::new(db.clone()), admin(), query());
    let dsns = |page: Vec<ListedDevice>| page.into_iter().map(|device| device.record.dsn).collect::<Vec<_>>();
    assert_eq!(dsns(scan.next(3).await.unwrap()), ["D10", "D11", "D12"]);
    store(&db, &[record("D01", None), record("D12A", None)]).await;
    for gone in ["D10", "D14", "D15"] {
        crate::index::upsert::remove(&db, gone, Timestamp::MAX).await.unwrap();
    }
    assert_eq!(dsns(scan.next(3).await.unwrap()), ["D13", "D16", "D17"]);
}

/// Removes devices that are not in the fleet.
async fn clear(db: &Db, fleet: &[DeviceRecord]) {
    let known: Vec<(String,)> = db.fetch_all("select dsn from idx_device_state", params![]).await.unwrap();
    for (dsn,) in known {
        if !fleet.iter().any(|device| device.dsn == dsn) {
            let removed = crate::index::upsert::remove(db, &dsn, Timestamp::MAX).await.unwrap();
            assert!(removed.is_some(), "{dsn}");
        }
    }
}

async fn matches_at_the_end_of_the_order_are_found(db: Db) {
    let fleet: Vec<DeviceRecord> = (0..3000)
        .map(|number| {
            let (city, status) = match number {
                2000.. => ("Zürich", ConnectionStatus::Offline),
                _ => ("Aarhus", ConnectionStatus::Online),
            };
            let like = record(&format!("D{number:04}"), Some("North"));
            let state = DeviceState { connection_status: status, ..like.state };
            DeviceRecord { city: Some(city.to_owned()), state, ..like }
        })
        .collect();
    store(&db, &fleet).await;
    let by_city = DeviceFilter::by("city", "rich");
    let by_status = DeviceFilter::by(STATUS, "Offline");
    for filter in [by_city, by_status] {
        for actor in [admin(), actor(Some(Role::CspTech), Some("North"))] {
            let first = list(&db, &actor, &ListQuery { filter: filter.clone(), ..query() }).await.unwrap();
            assert_eq!((first.total, first.devices[0].record.dsn.as_str()), (1000, "D2000"), "{filter:?}");
            let last = ListQuery { page: 200, filter: filter.clone(), ..query() };
            assert_eq!(dsns(&db, &actor, &last).await.last().unwrap(), "D2999", "{filter:?}");
        }
    }
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        every_list_equals_sorting_and_filtering_in_memory,
        counts_and_selections_agree_with_the_lists,
        scan_returns_the_whole_list_in_order,
        scan_shows_what_matched_at_its_beginning_without_devices_that_are_gone,
        matches_at_the_end_of_the_order_are_found,
    ]
);

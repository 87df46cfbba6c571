//! From the behaviour of simulated diffusers over the real cloud to items of attention, and back: each kind (F-06).

use devicecloud::ConnectionStatus;
use diffuser::{Fragrance, Mode, SystemConfiguration, properties};
use jiff::{SignedDuration, Timestamp};
use platform::db::params;
use platform::testing::{PATIENCE, TestDb, until};
use serde_json::{Value, json};
use simulator::{Clock, ClockHandle, Fault, Fleet, Hours, Options, State, VirtualDevice};

use crate::browser::Browser;
use crate::world::*;
use cloud::testing::device_key;

/// Every day from 08:00 to 17:59.
const DAILY: &str = "1,1,0,20,8,0,17,59";
const LATER: &str = "1,1,0,20,9,0,18,59";
const BROKEN: &str = "1,1,0,99,8,0,17,59";

/// A diffuser that runs all day with a cartridge for 1000 hours, unless it has a schedule.
struct Behaviour {
    dsn: &'static str,
    kind: &'static str,
    life: f64,
    schedule: Option<&'static str>,
    fault: Option<Fault>,
}

const fn behaviour(dsn: &'static str, kind: &'static str, life: f64) -> Behaviour {
    Behaviour { dsn, kind, life, schedule: None, fault: None }
}

const DRY: Behaviour = behaviour("F-DRY", "runs_dry", 940.0);
const EMPTY: Behaviour = behaviour("F-EMPTY", "empty", 1000.0);
const OFFLINE: Behaviour = behaviour("F-OFFLINE", "offline", 100.0);
const NEVER: Behaviour = behaviour("F-NEVER", "never_connected", 100.0);
const CLOGGED: Behaviour = Behaviour { fault: Some(Fault::Clogged), ..behaviour("F-CLOGGED", "no_use", 300.0) };
const STUCK: Behaviour =
    Behaviour { fault: Some(Fault::StuckOn), schedule: Some(DAILY), ..behaviour("F-STUCK", "excess_use", 100.0) };
const HANGS: Behaviour = Behaviour { fault: Some(Fault::Hangs), ..behaviour("F-HANGS", "unanswered_command", 100.0) };
const IDLE: Behaviour = Behaviour { schedule: Some(BROKEN), ..behaviour("F-IDLE", "no_running_time", 100.0) };
const REFILLED: Behaviour =
    Behaviour { fault: Some(Fault::RefilledWithoutReset), ..behaviour("F-REFILLED", "level_not_reset", 500.0) };
const ODD: Behaviour = behaviour("F-ODD", "unreadable_values", 100.0);
const TWINS: Behaviour = behaviour("F-TWINS", "shared_identity", 100.0);
const ALL: [&Behaviour; 11] =
    [&DRY, &EMPTY, &OFFLINE, &NEVER, &CLOGGED, &STUCK, &HANGS, &IDLE, &REFILLED, &ODD, &TWINS];

/// Diffusers, cloud and console on one clock.
struct Scene {
    world: World,
    clock: ClockHandle,
    of_devices: Clock,
    started: Timestamp,
    test: TestDb,
}

/// The browser of an administrator.
struct Administrator<'a> {
    browser: Browser,
    scene: &'a Scene,
}

impl Scene {
    async fn start(test: TestDb) -> Self {
        let world = World::start_on(&test).await;
        let flow = [Some(0.5), None, None, None, None, None, None];
        let tea = Fragrance { name: "White Tea".to_owned(), sku: "T-1".to_owned(), density: 1.0, flow };
        world.console.add_missing_fragrances(&[tea]).await.unwrap();
        for behaviour in ALL {
            let device = device(behaviour.dsn, Some("North"), "AQ290");
            world.cloud.operator().add_devices(&world.oem, &[device]).await.unwrap();
        }
        let started = world.clock.now();
        let (clock, of_devices) = Clock::set_by_hand(started);
        let scene = Self { world, clock, of_devices, started, test };
        scene.world.console.resync().await;
        scene
    }

    /// Switches diffusers on.
    fn switch_on(&self, behaviours: &[&Behaviour]) -> Fleet {
        let device = |behaviour: &&Behaviour| VirtualDevice {
            dsn: behaviour.dsn.to_owned(),
            key: device_key(behaviour.dsn),
            state: State {
                mode: if behaviour.schedule.is_some() { Mode::Run } else { Mode::AllDay },
                schedule_blob: behaviour.schedule.map(str::to_owned),
                cartridge_life: Hours::new(behaviour.life).unwrap(),
                fragrance_remaining: None,
                ..State::new(SystemConfiguration::Aq290)
            },
            fault: behaviour.fault,
        };
        let (link, devices) = (self.world.cloud.link_addr().into(), behaviours.iter().map(device).collect());
        Fleet::start(Options { link, seed: 1, drop_outs: false, devices, clock: self.of_devices.clone() })
    }

    /// Moves all clocks, and waits until these diffusers, which were switched on at the start, have reported and a pass is complete.
    ///
    /// The diffusers go first, because they report a jump in several steps: what is read in the meantime is as old as the last pass.
    async fn pass_time(&self, time: SignedDuration, reporting: &[&Behaviour]) {
        let then = self.world.clock.now() + time;
        self.clock.set(then);
        let hundredths = then.duration_since(self.started).as_secs() / 36;
        let cloud = self.world.cloud_as(ADMIN).await;
        for Behaviour { dsn, .. } in reporting {
            until(async || {
                let life = cloud.properties().get(*dsn, properties::APPLIANCE_LIFE).await.unwrap().value;
                let reported = life.and_then(|life| life.as_f64()).unwrap_or_default();
                (reported * 100.0).round() >= hundredths as f64
            })
            .await;
        }
        self.world.clock.advance(time);
        self.world.console.resync().await;
    }

    /// Lets a day pass, and waits until the console has taken into account what these diffusers used: a later read would replace this
    /// one.
    async fn pass_day(&self, reporting: &[&Behaviour]) {
        self.pass_time(SignedDuration::from_hours(24), reporting).await;
        let now = self.world.clock.now();
        for Behaviour { dsn, .. } in reporting {
            self.until_observed(dsn, &format!("\"read_at\":\"{now}\"")).await;
        }
    }

    /// Switches a diffuser off, and waits until the cloud has noticed.
    async fn switch_off(&self, fleet: Fleet, Behaviour { dsn, .. }: &Behaviour) {
        fleet.shutdown().await;
        let cloud = self.world.cloud_as(ADMIN).await;
        let status = async || cloud.devices().get(*dsn).send().await.unwrap().connection_status;
        until(async || status().await == ConnectionStatus::Offline).await;
    }

    async fn administrator(&self) -> Administrator<'_> {
        Administrator { browser: self.world.signed_in(ADMIN).await, scene: self }
    }

    /// Another application writes a schedule.
    async fn write_schedule(&self, dsn: &str, schedule: &str) {
        let cloud = self.world.cloud_as(ADMIN).await;
        cloud.datapoints().create(dsn, properties::SCHEDULE_BLOB, schedule).send().await.unwrap();
    }

    /// Waits until what the console remembers of a device contains this text.
    async fn until_observed(&self, dsn: &str, text: &str) {
        until(async || self.memory(dsn).await.is_some_and(|memory| memory.contains(text))).await;
    }

    /// What the console remembers of a device for attention, in JSON.
    async fn memory(&self, dsn: &str) -> Option<String> {
        let sql = "select memory from attention_devices where dsn = $1";
        let row: Option<(String,)> = self.test.fetch_optional(sql, params![dsn]).await.unwrap();
        row.map(|(memory,)| memory)
    }
}

impl Administrator<'_> {
    async fn items(&mut self, query: &str) -> Vec<(String, String)> {
        let answer = self.browser.get(&format!("/api/attention?{query}")).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let text = |item: &Value, name: &str| item[name].as_str().unwrap_or_default().to_owned();
        let items = answer.body["items"].as_array().unwrap();
        items.iter().map(|item| (text(item, "kind"), text(item, "csp"))).collect()
    }

    /// Waits until the device has exactly one open item, of its kind.
    async fn until_open(&mut self, behaviour: &Behaviour) {
        let query = format!("dsn={}", behaviour.dsn);
        self.until(&query, &[(behaviour.kind.to_owned(), "North".to_owned())]).await;
    }

    /// Waits until the item of the device is closed.
    async fn until_closed(&mut self, behaviour: &Behaviour) {
        let query = format!("dsn={}", behaviour.dsn);
        self.until(&query, &[]).await;
        let closed = self.items(&format!("{query}&state=closed")).await;
        // The level of the test data may have led to another one before the first report.
        assert!(closed.contains(&(behaviour.kind.to_owned(), "North".to_owned())), "{}: {closed:?}", behaviour.dsn);
    }

    async fn until(&mut self, query: &str, expected: &[(String, String)]) {
        let reached = async {
            while self.items(query).await != expected {
                self.scene.world.console.resync().await;
            }
        };
        if tokio::time::timeout(PATIENCE, reached).await.is_err() {
            let answer = self.browser.get(&format!("/api/attention?{query}")).await;
            let memory = self.scene.memory(query.trim_start_matches("dsn=")).await;
            panic!("{query}: {} instead of {expected:?}; memory: {memory:?}", answer.body);
        }
    }

    /// As after a refill.
    async fn reset_level(&mut self, behaviour: &Behaviour) {
        let path = format!("/api/devices/dsns/{}/fragrance-level/reset", behaviour.dsn);
        let answer = self.browser.post(&path, &json!(null)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
}

async fn misbehaving_devices_have_an_item_of_each_kind_until_they_behave_again(test: TestDb) {
    let scene = Scene::start(test).await;
    let steady = [&DRY, &EMPTY, &CLOGGED, &STUCK, &HANGS, &IDLE, &REFILLED];
    let _fleet = scene.switch_on(&steady);
    let offline = scene.switch_on(&[&OFFLINE]);
    let mut admin = scene.administrator().await;
    for behaviour in [&DRY, &EMPTY, &IDLE] {
        admin.until_open(behaviour).await;
    }
    // The partner's only technician leaves.
    let guest = scene.world.user_id(SOUTH_GUEST).await;
    assert_eq!(admin.browser.delete(&format!("/api/users/{guest}")).await.status, 204);
    let no_technician = [("no_technician".to_owned(), "South".to_owned())];
    admin.until("kind=no_technician", &no_technician).await;

    scene.until_observed(REFILLED.dsn, "\"life_hours\":500").await;
    scene.pass_time(SignedDuration::from_mins(16), &[&REFILLED]).await;
    admin.until_open(&REFILLED).await;
    for behaviour in [&DRY, &EMPTY, &REFILLED] {
        admin.reset_level(behaviour).await;
        admin.until_closed(behaviour).await;
    }
    scene.write_schedule(IDLE.dsn, DAILY).await;
    admin.until_closed(&IDLE).await;
    scene.world.guests().await;
    scene.world.console.resync().await;
    admin.until("kind=no_technician", &[]).await;

    let path = format!("/api/devices/dsns/{}/settings", HANGS.dsn);
    assert_eq!(admin.browser.put(&path, &json!({ "intensity": 21 })).await.status, 200);
    scene.switch_off(offline, &OFFLINE).await;
    scene.pass_time(SignedDuration::from_mins(61), &steady).await;
    let mut admin = scene.administrator().await;
    for behaviour in [&HANGS, &OFFLINE] {
        admin.until_open(behaviour).await;
    }
    scene.pass_time(SignedDuration::from_mins(31), &steady).await;
    let _online = scene.switch_on(&[&OFFLINE]);
    for behaviour in [&HANGS, &OFFLINE] {
        admin.until_closed(behaviour).await;
    }

    for _ in 0..8 {
        scene.pass_day(&steady).await;
    }
    let mut admin = scene.administrator().await;
    for behaviour in [&NEVER, &CLOGGED, &STUCK] {
        admin.until_open(behaviour).await;
    }
    let _connected = scene.switch_on(&[&NEVER]);
    admin.until_closed(&NEVER).await;
    scene.write_schedule(STUCK.dsn, LATER).await;
    admin.until_closed(&STUCK).await;
    admin.reset_level(&CLOGGED).await;
    for _ in 0..5 {
        scene.pass_day(&steady).await;
    }
    scene.administrator().await.until_closed(&CLOGGED).await;
}

async fn values_that_are_not_stored_are_on_the_page_and_open_an_item_from_twenty_a_day(test: TestDb) {
    let scene = Scene::start(test).await;
    let device = scene.world.cloud.device(ODD.dsn).await;
    device.connect().await;
    let names: Vec<String> = (0..19).map(|n| format!("sensor_{n:02}")).collect();
    let mut values: Vec<(&str, Value)> = names.iter().map(|name| (&**name, json!("secret"))).collect();
    device.report(&values).await;
    let mut admin = scene.administrator().await;
    scene.world.console.resync().await;
    admin.until("kind=unreadable_values", &[]).await;

    values = vec![(properties::INTENSITY, json!("20 %")), (properties::FAN, json!("3"))];
    device.report(&values).await;
    admin.until("kind=unreadable_values", &[("unreadable_values".to_owned(), "North".to_owned())]).await;
    let page = admin.browser.get(&format!("/api/devices/dsns/{}", ODD.dsn)).await.body;
    let faults = page["faults"].as_array().unwrap();
    let fault = |property: &str| faults.iter().find(|fault| fault["property"] == property).unwrap();
    assert_eq!((faults.len(), &page["fan"]), (20, &json!(3)), "{page}");
    let now = scene.world.clock.now();
    for (property, kind, value) in
        [("intensity", "wrong_type", "text: 20 %"), ("sensor_07", "unknown_property", "text of 6 characters")]
    {
        let expected = json!({ "property": property, "kind": kind, "count": 1, "lastAt": now, "value": value });
        assert_eq!(fault(property), &expected);
    }
    let item = admin.browser.get("/api/attention?kind=unreadable_values").await.body["items"][0].take();
    assert_eq!((&item["evidence"], &item["cause"]), (&json!({ "faults": 20 }), &json!("other_firmware")));

    scene.pass_time(SignedDuration::from_hours(48), &[]).await;
    scene.administrator().await.until("kind=unreadable_values", &[]).await;
}

async fn two_devices_with_one_identity_are_on_the_page_and_open_an_item_for_a_day(test: TestDb) {
    let scene = Scene::start(test).await;
    let device = scene.world.cloud.device(TWINS.dsn).await;
    device.connect().await;
    for _ in 0..6 {
        device.end_replaced().await;
    }
    let mut admin = scene.administrator().await;
    scene.world.console.resync().await;
    admin.until("kind=shared_identity", &[]).await;

    for _ in 0..20 {
        device.end_replaced().await;
    }
    admin.until("kind=shared_identity", &[("shared_identity".to_owned(), "North".to_owned())]).await;
    let now = scene.world.clock.now();
    let page = admin.browser.get(&format!("/api/devices/dsns/{}", TWINS.dsn)).await.body;
    let fault = json!({
        "property": "connection", "kind": "shared_identity", "count": 20, "lastAt": now, "value": "replaced",
    });
    assert_eq!(page["faults"], json!([fault]));
    let item = admin.browser.get("/api/attention?kind=shared_identity").await.body["items"][0].take();
    assert_eq!((&item["evidence"], &item["cause"]), (&json!({}), &json!("copied_key")));
    admin.until("kind=unreadable_values", &[]).await;

    scene.pass_time(SignedDuration::from_hours(24), &[]).await;
    scene.administrator().await.until("kind=shared_identity", &[]).await;
}

on_both_databases!(
    misbehaving_devices_have_an_item_of_each_kind_until_they_behave_again,
    values_that_are_not_stored_are_on_the_page_and_open_an_item_from_twenty_a_day,
    two_devices_with_one_identity_are_on_the_page_and_open_an_item_for_a_day,
);

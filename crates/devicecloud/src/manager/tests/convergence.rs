//! Property test: after any sequence of actions the manager converges to the state of the cloud.

use proptest::prelude::*;

use super::*;
use crate::live::ManagedDevices;
use crate::model::DataSource;
use crate::model::tests::any_json;

const DSNS: [&str; 4] = ["A", "B", "C", "D"];

#[derive(Clone, Copy, Debug)]
enum Act {
    Start,
    Stop,
    Pause,
    Resume,
    Refresh,
    Stream(bool),
    AddByHand(&'static str),
    StopPolling(&'static str),
    StartPolling(&'static str),
    Appear(&'static str),
    Vanish(&'static str),
    Set(&'static str, i64),
    Break(&'static str),
    Hang(&'static str),
    Heal,
    Wait(u64),
}

fn act() -> impl Strategy<Value = Act> {
    let dsn = || prop::sample::select(DSNS.to_vec());
    let part = || prop::sample::select(vec![LIST, "A/properties", "B/properties", "/properties", "dsns/C"]);
    prop_oneof![
        Just(Act::Start),
        Just(Act::Stop),
        Just(Act::Pause),
        Just(Act::Resume),
        Just(Act::Refresh),
        any::<bool>().prop_map(Act::Stream),
        dsn().prop_map(Act::AddByHand),
        dsn().prop_map(Act::StopPolling),
        dsn().prop_map(Act::StartPolling),
        dsn().prop_map(Act::Appear),
        dsn().prop_map(Act::Vanish),
        (dsn(), 0..9_i64).prop_map(|(dsn, value)| Act::Set(dsn, value)),
        part().prop_map(Act::Break),
        part().prop_map(Act::Hang),
        Just(Act::Heal),
        (0..20_000_u64).prop_map(Act::Wait),
    ]
}

async fn perform(act: Act, world: &World, manager: &DeviceManager) {
    match act {
        Act::Start => manager.start(true),
        Act::Stop => manager.stop(),
        Act::Pause => manager.pause(),
        Act::Resume => manager.resume(),
        Act::Refresh => manager.refresh(),
        Act::Stream(connected) => manager.source_changed(DataSource::Dss, connected),
        Act::AddByHand(dsn) => manager.add(dsn).unwrap(),
        Act::StopPolling(dsn) => manager.device(dsn).iter().for_each(ManagedDevice::stop_polling),
        Act::StartPolling(dsn) => manager.device(dsn).iter().for_each(ManagedDevice::start_polling),
        Act::Appear(dsn) => {
            if !world.cloud().devices.contains_key(dsn) {
                world.cloud().devices.insert(dsn.to_owned(), (device(dsn), BTreeMap::new()));
                world.cloud().set(dsn, "intensity", 1);
            }
        }
        Act::Vanish(dsn) => {
            world.cloud().devices.remove(dsn);
        }
        Act::Set(dsn, value) => {
            if world.cloud().devices.contains_key(dsn) {
                world.cloud().set(dsn, "intensity", value);
            }
        }
        Act::Break(part) => world.instead(part, Reply::Status(500, json!({}))),
        Act::Hang(part) => world.instead(part, Reply::Slow(7 * SECOND, 200, json!([]))),
        Act::Heal => world.cloud().instead.clear(),
        Act::Wait(millis) => tokio::time::sleep(Duration::from_millis(millis)).await,
    }
    let rests = matches!(
        manager.state(),
        DeviceManagerState::Uninitialized | DeviceManagerState::Paused | DeviceManagerState::Error
    );
    if rests {
        settle().await;
        let requests = world.script.seen().len();
        tokio::time::sleep(10 * SECOND).await;
        assert_eq!(world.script.seen().len(), requests, "an inactive manager sends no requests");
    }
}

/// The devices and their values.
fn known(manager: &DeviceManager) -> Vec<(String, Option<i64>)> {
    let value = |device: &ManagedDevice| device.property("intensity")?.snapshot()?.value?.as_i64();
    manager.devices().iter().map(|device| (device.dsn().to_string(), value(device))).collect()
}

async fn whatever(acts: Vec<Act>) {
    let world = World::with(&["A", "B"]);
    let manager = DeviceManager::new(&world.client);
    for act in acts {
        perform(act, &world, &manager).await;
    }
    world.cloud().instead.clear();
    manager.source_changed(DataSource::Cloud, false);
    manager.start(true);
    manager.resume();
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(manager.state(), DeviceManagerState::Ready);
    manager.devices().iter().for_each(ManagedDevice::start_polling);
    tokio::time::sleep(6 * SECOND).await;
    let expected: Vec<_> = {
        let cloud = world.cloud();
        let value = |properties: &BTreeMap<String, Value>| properties.get("intensity")?["value"].as_i64();
        cloud.devices.iter().map(|(dsn, (_, properties))| (dsn.clone(), value(properties))).collect()
    };
    assert_eq!(known(&manager), expected);
    assert!(manager.devices().iter().all(ManagedDevice::is_polling));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn manager_converges_to_the_state_of_the_cloud(acts in prop::collection::vec(act(), 0..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(whatever(acts));
    }

    #[test]
    fn arbitrary_responses_do_not_break_the_manager(list in any_json(), properties in any_json()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let world = World::with(&["A"]);
            world.in_turn(LIST, [Reply::Status(200, list.clone()), Reply::Status(200, json!([{"device": device("A")}]))]);
            world.in_turn("properties.json", [Reply::Status(200, properties.clone()), Reply::Status(200, json!([]))]);
            let manager = DeviceManager::new(&world.client);
            manager.start(true);
            tokio::time::sleep(60 * SECOND).await;
            manager.start(true);
            manager.ready().await.unwrap();
        });
    }
}

//! Property test: after any sequence of actions the manager converges to the state of the cloud.

use proptest::prelude::*;

use super::*;
use crate::live::ManagedDevices;
use crate::model::DataSource;
use crate::model::tests::any_json;

const DSNS: [&str; 4] = ["A", "B", "C", "D"];

#[derive(Clone, Copy, Debug)]
enum Action {
    Start,
    Stop,
    Pause,
    Resume,
    Refresh,
    Stream(bool),
    AddDevice(&'static str),
    StopPolling(&'static str),
    StartPolling(&'static str),
    Appear(&'static str),
    Disappear(&'static str),
    Set(&'static str, i64),
    Fail(&'static str),
    Hang(&'static str),
    Recover,
    Wait(u64),
}

fn action() -> impl Strategy<Value = Action> {
    let dsn = || prop::sample::select(DSNS.to_vec());
    let part = || prop::sample::select(vec![LIST, "A/properties", "B/properties", "/properties", "dsns/C"]);
    prop_oneof![
        Just(Action::Start),
        Just(Action::Stop),
        Just(Action::Pause),
        Just(Action::Resume),
        Just(Action::Refresh),
        any::<bool>().prop_map(Action::Stream),
        dsn().prop_map(Action::AddDevice),
        dsn().prop_map(Action::StopPolling),
        dsn().prop_map(Action::StartPolling),
        dsn().prop_map(Action::Appear),
        dsn().prop_map(Action::Disappear),
        (dsn(), 0..9_i64).prop_map(|(dsn, value)| Action::Set(dsn, value)),
        part().prop_map(Action::Fail),
        part().prop_map(Action::Hang),
        Just(Action::Recover),
        (0..20_000_u64).prop_map(Action::Wait),
    ]
}

async fn perform(action: Action, cloud: &TestCloud, manager: &DeviceManager) {
    match action {
        Action::Start => manager.start(true),
        Action::Stop => manager.stop(),
        Action::Pause => manager.pause(),
        Action::Resume => manager.resume(),
        Action::Refresh => manager.refresh(),
        Action::Stream(connected) => manager.source_changed(DataSource::Dss, connected),
        Action::AddDevice(dsn) => manager.add(dsn).unwrap(),
        Action::StopPolling(dsn) => manager.device(dsn).iter().for_each(ManagedDevice::stop_polling),
        Action::StartPolling(dsn) => manager.device(dsn).iter().for_each(ManagedDevice::start_polling),
        Action::Appear(dsn) => {
            if !cloud.state().devices.contains_key(dsn) {
                cloud.state().devices.insert(dsn.to_owned(), (device(dsn), BTreeMap::new()));
                cloud.state().set(dsn, "intensity", 1);
            }
        }
        Action::Disappear(dsn) => {
            cloud.state().devices.remove(dsn);
        }
        Action::Set(dsn, value) => {
            if cloud.state().devices.contains_key(dsn) {
                cloud.state().set(dsn, "intensity", value);
            }
        }
        Action::Fail(part) => cloud.reply_with(part, Reply::Status(500, json!({}))),
        Action::Hang(part) => cloud.reply_with(part, Reply::Slow(7 * SECOND, 200, json!([]))),
        Action::Recover => cloud.state().overrides.clear(),
        Action::Wait(millis) => tokio::time::sleep(Duration::from_millis(millis)).await,
    }
    let rests = matches!(
        manager.state(),
        DeviceManagerState::Uninitialized | DeviceManagerState::Paused | DeviceManagerState::Error
    );
    if rests {
        settle().await;
        let requests = cloud.script.seen().len();
        tokio::time::sleep(10 * SECOND).await;
        assert_eq!(cloud.script.seen().len(), requests, "an inactive manager sends no requests");
    }
}

/// The devices and their values.
fn known(manager: &DeviceManager) -> Vec<(String, Option<i64>)> {
    let value = |device: &ManagedDevice| device.property("intensity")?.snapshot()?.value?.as_i64();
    manager.devices().iter().map(|device| (device.dsn().to_string(), value(device))).collect()
}

async fn assert_converges(acts: Vec<Action>) {
    let cloud = TestCloud::with(&["A", "B"]);
    let manager = DeviceManager::new(&cloud.client);
    for action in acts {
        perform(action, &cloud, &manager).await;
    }
    cloud.state().overrides.clear();
    manager.source_changed(DataSource::Cloud, false);
    manager.start(true);
    manager.resume();
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(manager.state(), DeviceManagerState::Ready);
    manager.devices().iter().for_each(ManagedDevice::start_polling);
    tokio::time::sleep(6 * SECOND).await;
    let expected: Vec<_> = {
        let cloud = cloud.state();
        let value = |properties: &BTreeMap<String, Value>| properties.get("intensity")?["value"].as_i64();
        cloud.devices.iter().map(|(dsn, (_, properties))| (dsn.clone(), value(properties))).collect()
    };
    assert_eq!(known(&manager), expected);
    assert!(manager.devices().iter().all(ManagedDevice::is_polling));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn manager_converges_to_the_state_of_the_cloud(acts in prop::collection::vec(action(), 0..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(assert_converges(acts));
    }

    #[test]
    fn arbitrary_responses_do_not_break_the_manager(list in any_json(), properties in any_json()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let cloud = TestCloud::with(&["A"]);
            cloud.in_turn(LIST, [Reply::Status(200, list.clone()), Reply::Status(200, json!([{"device": device("A")}]))]);
            cloud.in_turn("properties.json", [Reply::Status(200, properties.clone()), Reply::Status(200, json!([]))]);
            let manager = DeviceManager::new(&cloud.client);
            manager.start(true);
            tokio::time::sleep(60 * SECOND).await;
            manager.start(true);
            manager.ready().await.unwrap();
        });
    }
}

use devicecloud::{Address, PropertyValue};
use diffuser::{Days, TimeOfDay, data_keys};

use super::*;
use crate::devices::writes::DeviceValue;
use crate::records::{ConnectionStatus, DeviceState};

const STATE: DeviceState = DeviceState {
    connection_status: ConnectionStatus::Online,
    connected_at: None,
    connection_changed_at: None,
    mode: Some(3),
    cycle: Some(3),
    intensity: Some(20),
    fan: Some(2),
    fragrance_remaining: Some(64),
    pending: 0,
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// A snapshot with all options of a hotel in Oslo.
fn snapshot() -> DeviceSnapshot {
    DeviceSnapshot {
        source: "SC-1".to_owned(),
        name: Some(NameSnapshot {
            service_area: some("Lobby"),
            customer: some("Hotel Aurora"),
            customer_id: some("C-9"),
            store_number: some("7"),
        }),
        fragrance: some("White Tea"),
        schedule: Some(schedule(50).to_string()),
        settings: Some(DeviceSettings { mode: Some(4), cycle: Some(1), intensity: Some(50), fan: Some(5) }),
        location: Some(LocationSnapshot {
            at: Some((59.911_491, 10.757_933)),
            time_zone: some("Europe/Oslo"),
            city: some("Oslo"),
            state: some("Viken"),
            country: some("Norway"),
        }),
        notifications: Vec::new(),
    }
}

fn schedule(intensity: u8) -> Schedule {
    let noon = TimeOfDay::new(12, 0).unwrap();
    [Frame { active: true, days: Days::Weekdays, intensity, start: noon, stop: noon }].into_iter().collect()
}

/// A shop in Chicago.
fn target() -> CurrentDevice {
    let mut address = Address::default();
    (address.street, address.zip) = (some("State Street 1"), some("60602"));
    (address.city, address.state, address.country) = (some("Chicago"), some("Illinois"), some("United States"));
    let data = [
        (data_keys::SERIAL_NUMBER, "4712"),
        (data_keys::CART_NAME, "AQ380"),
        (data_keys::FRAGRANCE, "Fig"),
        (data_keys::TIME_ZONE, "America/Chicago"),
        (data_keys::CUSTOMER, "Shop"),
        (data_keys::CUSTOMER_ID, "C-1"),
        (data_keys::STORE_NUMBER, "1"),
    ];
    CurrentDevice {
        record: DeviceRecord {
            dsn: "SC-2".to_owned(),
            csp: some("North"),
            serial_number: some("4712"),
            customer: some("Shop"),
            customer_id: some("C-1"),
            store_number: some("1"),
            service_area: some("Door"),
            system_configuration: some("AQ380"),
            fragrance: some("Fig"),
            network: "LAN".to_owned(),
            city: some("Chicago"),
            state_province: some("Illinois"),
            country: some("United States"),
            time_zone: some("America/Chicago"),
            state: STATE,
            ..DeviceRecord::default()
        },
        zone: some("America/Chicago"),
        address,
        location: Some((41.878_1, -87.629_8)),
        data: data.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
    }
}

fn of_model(cart_name: &str, state: DeviceState) -> CurrentDevice {
    let mut target = target();
    target.record = DeviceRecord { system_configuration: some(cart_name), state, ..target.record };
    target
}

/// The writes of a plan, as `field value`.
fn writes(plan: &TargetPlan) -> Vec<String> {
    let step = |step: &Step| {
        let value = match step {
            Step::Rename(value) | Step::TimeZone(value) | Step::Create(_, value) | Step::Update(_, value) => {
                value.clone()
            }
            Step::Delete(_) => "-".to_owned(),
            Step::Location(lat, lng) => format!("{lat} {lng}"),
            Step::Address(it) => format!(
                "{:?}",
                [&it.street, &it.city, &it.state, &it.country, &it.zip].map(|it| it.as_deref().unwrap_or("-"))
            ),
            Step::Assign { .. } | Step::Unassign => panic!("{step:?}"),
        };
        format!("{} {value}", step.part().field)
    };
    let setting = |(value, requested): &(DeviceValue, PropertyValue)| {
        format!("{} {}", value.part.field, requested.as_i64().unwrap())
    };
    let schedule = plan.schedule.iter().map(|schedule| format!("schedule {}", schedule.frame(1).unwrap().intensity));
    plan.steps.iter().map(step).chain(plan.settings.iter().map(setting)).chain(schedule).collect()
}

fn written(snapshot: &DeviceSnapshot, target: &CurrentDevice) -> Vec<String> {
    writes(&differences(snapshot, target, &Schedule::default().to_string()))
}

#[test]
fn each_copy_option_writes_only_its_values() {
    let (all, none) = (snapshot(), DeviceSnapshot::default);
    let rows: [(DeviceSnapshot, &[&str]); 6] = [
        (none(), &[]),
        (
            DeviceSnapshot { name: all.name, ..none() },
            &["serviceArea Lobby", "customer Hotel Aurora", "customerId C-9", "storeNumber 7"],
        ),
        (DeviceSnapshot { fragrance: all.fragrance, ..none() }, &["fragrance White Tea"]),
        (DeviceSnapshot { schedule: all.schedule, ..none() }, &["schedule 50"]),
        (DeviceSnapshot { settings: all.settings, ..none() }, &["mode 4", "cycle 1", "intensity 50", "fan 5"]),
        (
            DeviceSnapshot { location: all.location, ..none() },
            &[
                "latitude 59.911491 10.757933",
                "timeZone Europe/Oslo",
                "timeZone Europe/Oslo",
                r#"city ["State Street 1", "Oslo", "Viken", "Norway", "60602"]"#,
            ],
        ),
    ];
    for (snapshot, expected) in rows {
        assert_eq!(written(&snapshot, &target()), expected, "{snapshot:?}");
    }
}

#[test]
fn settings_are_written_before_the_schedule() {
    let fields: Vec<String> =
        written(&snapshot(), &target()).iter().map(|write| write.split(' ').next().unwrap().to_owned()).collect();
    let expected = "serviceArea customer customerId storeNumber fragrance latitude timeZone timeZone city mode cycle \
                    intensity fan schedule";
    assert_eq!(fields.join(" "), expected);
}

#[test]
fn equal_values_are_not_copied() {
    let record = target().record;
    let same = DeviceSnapshot {
        name: Some(NameSnapshot {
            service_area: record.service_area,
            customer: record.customer,
            customer_id: record.customer_id,
            store_number: record.store_number,
        }),
        fragrance: record.fragrance,
        schedule: Some(schedule(30).to_string()),
        settings: Some(DeviceSettings { mode: Some(3), cycle: Some(3), intensity: Some(20), fan: Some(2) }),
        location: Some(LocationSnapshot {
            at: target().location,
            time_zone: record.time_zone,
            city: record.city,
            state: record.state_province,
            country: record.country,
        }),
        ..snapshot()
    };
    let plan = differences(&same, &target(), &schedule(30).to_string());
    assert!(plan.is_empty(), "{plan:?}");
}

#[test]
fn missing_optional_values_clear_the_target_and_required_ones_stay() {
    let bare = DeviceSnapshot {
        name: Some(NameSnapshot::default()),
        fragrance: None,
        schedule: None,
        settings: Some(DeviceSettings { mode: None, cycle: None, intensity: None, fan: None }),
        location: Some(LocationSnapshot::default()),
        ..snapshot()
    };
    let expected =
        ["customerId -", "storeNumber -", r#"city ["State Street 1", "Chicago", "-", "United States", "60602"]"#];
    assert_eq!(written(&bare, &target()), expected);
}

#[test]
fn intensity_is_limited_to_the_targets_maximum() {
    let settings = |mode, cycle, intensity| DeviceSettings { mode, cycle, intensity, fan: None };
    let high = DeviceState { intensity: Some(50), cycle: Some(1), ..STATE };
    let rows: [(&str, DeviceState, DeviceSettings, &[&str], u8); 9] = [
        ("AQ380", STATE, settings(None, Some(3), Some(50)), &["intensity 50"], 50),
        // Limited by the resulting off-cycle.
        ("AQ290", STATE, settings(None, Some(1), Some(50)), &["cycle 1", "intensity 49"], 49),
        ("AQ290", STATE, settings(None, Some(2), Some(50)), &["cycle 2", "intensity 45"], 45),
        ("AQ290", STATE, settings(None, None, Some(50)), &["intensity 40"], 40),
        ("AQ290", STATE, settings(None, None, Some(0)), &["intensity 1"], 40),
        // The target's own intensity must fit the new off-cycle.
        ("AQ290", high, settings(None, Some(3), None), &["cycle 3", "intensity 40"], 40),
        ("AQ290", high, settings(Some(4), None, None), &["mode 4"], 49),
        // No intensity in mode 2, unless the copy changes the mode.
        ("AQ380", DeviceState { mode: Some(2), ..STATE }, settings(None, Some(1), Some(9)), &["cycle 1"], 50),
        (
            "AQ380",
            DeviceState { mode: Some(2), ..STATE },
            settings(Some(3), None, Some(9)),
            &["mode 3", "intensity 9"],
            50,
        ),
    ];
    for (model, state, settings, expected, max) in rows {
        let target = of_model(model, state);
        let snapshot = DeviceSnapshot {
            settings: Some(settings),
            schedule: Some(schedule(50).to_string()),
            ..DeviceSnapshot::default()
        };
        let schedule = format!("schedule {max}");
        let expected = [expected, &[&schedule]].concat();
        assert_eq!(written(&snapshot, &target), expected, "{model} {state:?} {settings:?}");
    }
}

#[test]
fn copied_schedule_is_limited_by_the_targets_off_cycle() {
    let snapshot = DeviceSnapshot { schedule: Some(schedule(50).to_string()), ..DeviceSnapshot::default() };
    assert_eq!(written(&snapshot, &of_model("AQ290", STATE)), ["schedule 40"]);
    let lowered = differences(&snapshot, &of_model("AQ290", STATE), &schedule(40).to_string());
    assert!(lowered.is_empty(), "the target already has it at its maximum");
}

#[test]
fn unreadable_schedule_is_replaced_and_an_empty_one_equals_none() {
    let snapshot =
        |schedule: Schedule| DeviceSnapshot { schedule: Some(schedule.to_string()), ..DeviceSnapshot::default() };
    let rows = [
        (schedule(30), "", true),
        (schedule(30), "broken", true),
        (Schedule::default(), "", false),
        (Schedule::default(), &schedule(30).to_string(), true),
    ];
    for (schedule, stored, is_written) in rows {
        assert_eq!(differences(&snapshot(schedule), &target(), stored).schedule.is_some(), is_written, "{stored}");
    }
}

use super::*;
use crate::records::{ConnectionStatus, DeviceState};

const STATE: DeviceState = DeviceState {
    connection_status: ConnectionStatus::Offline,
    connected_at: None,
    connection_changed_at: None,
    mode: None,
    cycle: None,
    intensity: None,
    fan: None,
    fragrance_remaining: None,
    pending: 0,
};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn wanted() -> DeviceFields {
    DeviceFields {
        csp: some("North"),
        serial_number: some("4711"),
        system_configuration: some("AQ290"),
        fragrance: some("White Tea"),
        customer: some("Hotel Aurora"),
        time_zone: some("Europe/Oslo"),
        service_area: some("Lobby"),
        location: None,
        city: some("Oslo"),
        state: Some(None),
        country: some("Norway"),
        customer_id: Some(some("C-9")),
        store_number: Some(None),
    }
}

/// A device with the values of [`wanted`].
fn present() -> CurrentDevice {
    let mut address = Address::default();
    address.street = some("Karl Johans gate 1");
    address.city = some("Oslo");
    address.country = some("Norway");
    address.zip = some("0154");
    let data = [
        ("serial_number", "4711"),
        ("cart_name", "AQ290"),
        ("fragrance", "White Tea"),
        ("time_zone", "Europe/Oslo"),
        ("customer_id", "C-9"),
        ("customer", "Hotel Aurora"),
    ];
    CurrentDevice {
        record: DeviceRecord {
            dsn: "SC-1".to_owned(),
            csp: some("North"),
            serial_number: some("4711"),
            customer: some("Hotel Aurora"),
            customer_id: some("C-9"),
            store_number: None,
            service_area: some("Lobby"),
            system_configuration: some("AQ290"),
            fragrance: some("White Tea"),
            network: "LAN".to_owned(),
            city: some("Oslo"),
            state_province: None,
            country: some("Norway"),
            time_zone: some("Europe/Oslo"),
            created_at: None,
            position: None,
            state: STATE,
        },
        zone: some("Europe/Oslo"),
        address,
        location: Some((59.911_491, 10.757_933)),
        data: data.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
    }
}

/// A device in factory stock.
fn stock() -> CurrentDevice {
    let nothing = DeviceRecord {
        csp: None,
        serial_number: None,
        customer: None,
        customer_id: None,
        service_area: some("Diffuser"),
        system_configuration: None,
        fragrance: None,
        city: None,
        country: None,
        time_zone: None,
        ..present().record
    };
    CurrentDevice { record: nothing, zone: None, address: Address::default(), location: None, data: BTreeMap::new() }
}

#[test]
fn unchanged_fields_produce_no_steps() {
    assert_eq!(steps(&present(), &wanted()), []);
    let here = DeviceFields { location: Some((59.911_491_2, 10.757_933_3)), ..wanted() };
    assert_eq!(steps(&present(), &here), [], "the cloud stores six decimals");
}

#[test]
fn missing_time_zone_of_the_cloud_is_set() {
    let without_zone = CurrentDevice { zone: None, ..present() };
    assert_eq!(steps(&without_zone, &wanted()), [Step::TimeZone("Europe/Oslo".to_owned())]);
}

#[test]
fn each_changed_field_produces_one_step() {
    let rows = [
        (DeviceFields { service_area: some("Spa"), ..wanted() }, vec![Step::Rename("Spa".to_owned())]),
        (
            DeviceFields { time_zone: some("UTC"), ..wanted() },
            vec![Step::TimeZone("UTC".to_owned()), Step::Update(TIME_ZONE, "UTC".to_owned())],
        ),
        (DeviceFields { location: Some((1.5, -2.5)), ..wanted() }, vec![Step::Location(1.5, -2.5)]),
        (
            DeviceFields { serial_number: some("4712"), ..wanted() },
            vec![Step::Update(SERIAL_NUMBER, "4712".to_owned())],
        ),
        (
            DeviceFields { system_configuration: some("AQ380"), ..wanted() },
            vec![Step::Update(CART_NAME, "AQ380".to_owned())],
        ),
        (DeviceFields { fragrance: some("Fig"), ..wanted() }, vec![Step::Update(FRAGRANCE, "Fig".to_owned())]),
        (DeviceFields { customer: some("Inn"), ..wanted() }, vec![Step::Update(CUSTOMER, "Inn".to_owned())]),
        (DeviceFields { customer_id: Some(None), ..wanted() }, vec![Step::Delete(CUSTOMER_ID)]),
        (DeviceFields { store_number: Some(some("7")), ..wanted() }, vec![Step::Create(STORE_NUMBER, "7".to_owned())]),
    ];
    for (wanted, expected) in rows {
        assert_eq!(steps(&present(), &wanted), expected);
    }
}

#[test]
fn omitted_fields_produce_no_steps() {
    let untouched = DeviceFields::default();
    assert_eq!(steps(&present(), &untouched), []);
    assert_eq!(steps(&stock(), &untouched), [], "even if nothing is stored");
    let city = DeviceFields { city: some("Bergen"), ..untouched };
    let steps = steps(&present(), &city);
    let [Step::Address(address)] = steps.as_slice() else { panic!("{steps:?}") };
    assert_eq!((&address.city, &address.country), (&some("Bergen"), &some("Norway")));
}

#[test]
fn address_step_keeps_street_and_zip() {
    let moves = [
        DeviceFields { city: some("Bergen"), ..wanted() },
        DeviceFields { state: Some(some("Vestland")), ..wanted() },
        DeviceFields { country: some("Sweden"), ..wanted() },
    ];
    for wanted in moves {
        let steps = steps(&present(), &wanted);
        let [Step::Address(address)] = steps.as_slice() else { panic!("{steps:?}") };
        assert_eq!((&address.street, &address.zip), (&some("Karl Johans gate 1"), &some("0154")));
        assert_eq!((&address.city, &address.country), (&wanted.city, &wanted.country));
        assert_eq!(Some(&address.state), wanted.state.as_ref());
    }
}

#[test]
fn new_device_gets_all_fields_with_the_customer_last() {
    let wanted = DeviceFields { location: Some((59.9, 10.7)), store_number: Some(some("7")), ..wanted() };
    let steps = steps(&stock(), &wanted);
    let fields: Vec<_> = steps.iter().map(|step| step.part().field).collect();
    let expected = [
        "serviceArea",
        "timeZone",
        "city",
        "latitude",
        "serialNumber",
        "systemConfiguration",
        "fragrance",
        "timeZone",
        "customerId",
        "storeNumber",
        "customer",
    ];
    assert_eq!(fields, expected);
    assert!(steps[4..].iter().all(|step| matches!(step, Step::Create(..))), "{steps:?}");
}

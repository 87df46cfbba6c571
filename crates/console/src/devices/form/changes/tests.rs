use super::super::fields::{CART_NAME, CUSTOMER, CUSTOMER_ID, FRAGRANCE, SERIAL_NUMBER, STORE_NUMBER};
use super::*;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn requested() -> DeviceFields {
    DeviceFields {
        csp: some("North"),
        time_zone: some("Europe/Oslo"),
        service_area: some("Lobby"),
        location: None,
        city: some("Oslo"),
        state: Some(None),
        country: some("Norway"),
        data: vec![
            (SERIAL_NUMBER, some("4711")),
            (CART_NAME, some("AQ290")),
            (FRAGRANCE, some("White Tea")),
            (TIME_ZONE, some("Europe/Oslo")),
            (CUSTOMER_ID, some("C-9")),
            (STORE_NUMBER, None),
            (CUSTOMER, some("Hotel Aurora")),
        ],
    }
}

/// The fields of [`requested`] with another value.
fn requested_with(datum: Datum, value: Option<&str>) -> DeviceFields {
    let mut fields = requested();
    for (_, requested) in fields.data.iter_mut().filter(|(known, _)| *known == datum) {
        *requested = value.map(str::to_owned);
    }
    fields
}

/// A device with the values of [`requested`].
fn current() -> CurrentDevice {
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
            service_area: some("Lobby"),
            system_configuration: some("AQ290"),
            fragrance: some("White Tea"),
            network: "LAN".to_owned(),
            city: some("Oslo"),
            country: some("Norway"),
            time_zone: some("Europe/Oslo"),
            ..DeviceRecord::default()
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
        ..current().record
    };
    CurrentDevice { record: nothing, zone: None, address: Address::default(), location: None, data: BTreeMap::new() }
}

#[test]
fn unchanged_fields_produce_no_steps() {
    assert_eq!(steps(&current(), &requested()), []);
    let here = DeviceFields { location: Some((59.911_491_2, 10.757_933_3)), ..requested() };
    assert_eq!(steps(&current(), &here), [], "the cloud stores six decimals");
}

#[test]
fn missing_time_zone_of_the_cloud_is_set() {
    let without_zone = CurrentDevice { zone: None, ..current() };
    assert_eq!(steps(&without_zone, &requested()), [Step::TimeZone("Europe/Oslo".to_owned())]);
}

#[test]
fn each_changed_field_produces_one_step() {
    let rows = [
        (DeviceFields { service_area: some("Spa"), ..requested() }, vec![Step::Rename("Spa".to_owned())]),
        (
            DeviceFields { time_zone: some("UTC"), ..requested_with(TIME_ZONE, Some("UTC")) },
            vec![Step::TimeZone("UTC".to_owned()), Step::Update(TIME_ZONE, "UTC".to_owned())],
        ),
        (DeviceFields { location: Some((1.5, -2.5)), ..requested() }, vec![Step::Location(1.5, -2.5)]),
        (requested_with(SERIAL_NUMBER, Some("4712")), vec![Step::Update(SERIAL_NUMBER, "4712".to_owned())]),
        (requested_with(CART_NAME, Some("AQ380")), vec![Step::Update(CART_NAME, "AQ380".to_owned())]),
        (requested_with(FRAGRANCE, Some("Fig")), vec![Step::Update(FRAGRANCE, "Fig".to_owned())]),
        (requested_with(CUSTOMER, Some("Inn")), vec![Step::Update(CUSTOMER, "Inn".to_owned())]),
        (requested_with(CUSTOMER_ID, None), vec![Step::Delete(CUSTOMER_ID)]),
        (requested_with(STORE_NUMBER, Some("7")), vec![Step::Create(STORE_NUMBER, "7".to_owned())]),
    ];
    for (requested, expected) in rows {
        assert_eq!(steps(&current(), &requested), expected);
    }
}

#[test]
fn omitted_fields_produce_no_steps() {
    let untouched = DeviceFields::default();
    assert_eq!(steps(&current(), &untouched), []);
    assert_eq!(steps(&stock(), &untouched), [], "even if nothing is stored");
    let city = DeviceFields { city: some("Bergen"), ..untouched };
    let steps = steps(&current(), &city);
    let [Step::Address(address)] = steps.as_slice() else { panic!("{steps:?}") };
    assert_eq!((&address.city, &address.country), (&some("Bergen"), &some("Norway")));
}

#[test]
fn address_step_keeps_street_and_zip() {
    let moves = [
        DeviceFields { city: some("Bergen"), ..requested() },
        DeviceFields { state: Some(some("Vestland")), ..requested() },
        DeviceFields { country: some("Sweden"), ..requested() },
    ];
    for requested in moves {
        let steps = steps(&current(), &requested);
        let [Step::Address(address)] = steps.as_slice() else { panic!("{steps:?}") };
        assert_eq!((&address.street, &address.zip), (&some("Karl Johans gate 1"), &some("0154")));
        assert_eq!((&address.city, &address.country), (&requested.city, &requested.country));
        assert_eq!(Some(&address.state), requested.state.as_ref());
    }
}

#[test]
fn new_device_gets_all_fields_with_the_customer_last() {
    let requested = DeviceFields { location: Some((59.9, 10.7)), ..requested_with(STORE_NUMBER, Some("7")) };
    let steps = steps(&stock(), &requested);
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

use serde_json::{Value, json};

use super::*;
use crate::http::error::ApiError;

fn whole() -> Value {
    json!({
        "csp": "North", "serialNumber": "4711", "systemConfiguration": "AQ290", "fragrance": "White Tea",
        "customer": "Hotel Aurora", "timeZone": "Europe/Oslo", "serviceArea": "Lobby", "city": "Oslo", "country": "Norway",
    })
}

fn with(changes: Value) -> DeviceForm {
    let (mut form, Value::Object(changes)) = (whole(), changes) else { panic!("no object") };
    form.as_object_mut().unwrap().extend(changes);
    serde_json::from_value(form).unwrap()
}

fn datum(fields: &DeviceFields, datum: Datum) -> Option<Option<&str>> {
    fields.data.iter().find(|(known, _)| *known == datum).map(|(_, value)| value.as_deref())
}

/// The context of a new device.
const CHOSEN: FormContext<'_> =
    FormContext { before: None, has_fragrance: true, csp: CspChoice::Chosen { exists: true } };

fn errors(form: &DeviceForm, context: &FormContext<'_>) -> Vec<(String, String)> {
    match form.check(context) {
        Ok(_) => vec![],
        Err(ApiError::Invalid(errors)) => errors.into_iter().map(|(field, texts)| (field, texts.join("; "))).collect(),
        Err(other) => panic!("{other:?}"),
    }
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(field, text)| ((*field).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn nine_fields_are_required() {
    let required = [
        ("city", "Required"),
        ("country", "Required"),
        ("csp", "Required"),
        ("customer", "Required"),
        ("fragrance", "Required"),
        ("serialNumber", "Required"),
        ("serviceArea", "Required"),
        ("systemConfiguration", "Required"),
        ("timeZone", "Required"),
    ];
    assert_eq!(errors(&DeviceForm::default(), &CHOSEN), named(&required));
    for (field, text) in required {
        for empty in [json!(null), json!(""), json!("  ")] {
            assert_eq!(errors(&with(json!({ field: empty })), &CHOSEN), named(&[(field, text)]), "{field}");
        }
    }
}

#[test]
fn optional_fields_may_be_empty() {
    let fields = with(json!({})).check(&CHOSEN).unwrap();
    assert_eq!(
        (datum(&fields, CUSTOMER_ID), datum(&fields, STORE_NUMBER), &fields.state, fields.location),
        (Some(None), Some(None), &Some(None), None)
    );
}

#[test]
fn texts_are_trimmed_and_empty_ones_become_none() {
    let form = with(json!({ "customer": " Hotel Aurora ", "state": " ", "customerId": " 7 ", "storeNumber": "" }));
    let fields = form.check(&CHOSEN).unwrap();
    assert_eq!(datum(&fields, CUSTOMER), Some(Some("Hotel Aurora")));
    let optional = (datum(&fields, CUSTOMER_ID), datum(&fields, STORE_NUMBER), &fields.state);
    assert_eq!(optional, (Some(Some("7")), Some(None), &Some(None)));
}

#[test]
fn overlong_or_multiline_texts_are_rejected() {
    let (fits, long) = ("ä".repeat(255), "ä".repeat(256));
    for field in ["customer", "serialNumber", "serviceArea", "city", "country", "state", "customerId", "storeNumber"] {
        assert_eq!(errors(&with(json!({ field: fits })), &CHOSEN), []);
        let too_long = [(field, "Must be at most 255 characters")];
        assert_eq!(errors(&with(json!({ field: long })), &CHOSEN), named(&too_long));
        assert_eq!(errors(&with(json!({ field: "a\nb" })), &CHOSEN), named(&[(field, "Must be one line of text")]));
    }
}

#[test]
fn install_date_must_be_a_calendar_date() {
    let fields = with(json!({ "installedAt": " 2024-02-29 " })).check(&CHOSEN).unwrap();
    assert_eq!(datum(&fields, INSTALLED_AT), Some(Some("2024-02-29")));
    for empty in [json!(null), json!("")] {
        let fields = with(json!({ "installedAt": empty })).check(&CHOSEN).unwrap();
        assert_eq!(datum(&fields, INSTALLED_AT), Some(None));
    }
    for text in ["2026-02-29", "20261120", "2026-11-20T10:00", "20.11.2026", "soon"] {
        let refusal = [("installedAt", "Must be a date like 2026-11-20")];
        assert_eq!(errors(&with(json!({ "installedAt": text })), &CHOSEN), named(&refusal), "{text}");
    }
}

#[test]
fn unknown_choice_is_rejected_unless_already_stored() {
    let no_choice = "Is not one of the choices";
    let rows = [
        ("systemConfiguration", "AQ9999", CHOSEN),
        ("systemConfiguration", "AQ200 Series 500 mL", CHOSEN),
        ("timeZone", "Europe/Atlantis", CHOSEN),
        ("timeZone", "Etc/GMT+5", CHOSEN),
        ("timeZone", "Factory", CHOSEN),
        ("fragrance", "Petrol", FormContext { has_fragrance: false, ..CHOSEN }),
        ("csp", "Nobody", FormContext { csp: CspChoice::Chosen { exists: false }, ..CHOSEN }),
    ];
    for (field, value, context) in rows {
        assert_eq!(errors(&with(json!({ field: value })), &context), named(&[(field, no_choice)]), "{value}");
    }

    let before = StoredChoices {
        csp: Some("Closed"),
        system_configuration: Some("AQ9999"),
        fragrance: Some("Petrol"),
        time_zone: Some("US/Pacific-New"),
    };
    let context = FormContext { before: Some(before), has_fragrance: false, csp: CspChoice::Chosen { exists: false } };
    let kept = json!({
        "csp": "Closed", "systemConfiguration": "AQ9999", "fragrance": "Petrol", "timeZone": "US/Pacific-New",
    });
    assert_eq!(errors(&with(kept), &context), []);
}

#[test]
fn csp_of_a_csp_role_overrides_the_form() {
    for csp in [json!("South"), json!(null)] {
        let context = FormContext { csp: CspChoice::Own("North"), ..CHOSEN };
        assert_eq!(with(json!({ "csp": csp })).check(&context).unwrap().csp.as_deref(), Some("North"));
    }
}

#[test]
fn omitted_fields_of_an_update_are_not_validated() {
    let stored = FormContext {
        before: Some(StoredChoices::default()),
        has_fragrance: false,
        csp: CspChoice::Chosen { exists: false },
    };
    let read = |form: Value| serde_json::from_value::<DeviceForm>(form).unwrap();
    assert_eq!(read(json!({})).check(&stored).unwrap(), DeviceFields::default());
    let own = FormContext { csp: CspChoice::Own("North"), ..stored };
    assert_eq!(read(json!({ "csp": "South" })).check(&own).unwrap(), DeviceFields::default());
    let area = DeviceFields { service_area: Some("Spa".to_owned()), ..DeviceFields::default() };
    assert_eq!(read(json!({ "serviceArea": " Spa " })).check(&stored).unwrap(), area);
    let cleared = DeviceFields { data: vec![(STORE_NUMBER, None)], ..DeviceFields::default() };
    for empty in [json!(null), json!("")] {
        assert_eq!(read(json!({ "storeNumber": empty })).check(&stored).unwrap(), cleared);
        assert_eq!(errors(&read(json!({ "customer": empty })), &stored), named(&[("customer", "Required")]));
    }
    let half = read(json!({ "latitude": 59.9 }));
    assert_eq!(errors(&half, &stored), named(&[("longitude", "Enter both latitude and longitude")]));
}

#[test]
fn location_needs_both_coordinates_within_range() {
    let both = "Enter both latitude and longitude";
    let rows = [
        (json!({ "latitude": 59.9, "longitude": 10.7 }), vec![]),
        (json!({ "latitude": -90, "longitude": 180 }), vec![]),
        (json!({ "latitude": 59.9 }), vec![("longitude", both)]),
        (json!({ "longitude": 10.7 }), vec![("latitude", both)]),
        (json!({ "latitude": 90.1, "longitude": 0 }), vec![("latitude", "Must be between -90 and 90")]),
        (json!({ "latitude": 0, "longitude": -180.5 }), vec![("longitude", "Must be between -180 and 180")]),
    ];
    for (change, expected) in rows {
        assert_eq!(errors(&with(change.clone()), &CHOSEN), named(&expected), "{change}");
    }
    assert_eq!(with(json!({ "latitude": 1, "longitude": 2 })).check(&CHOSEN).unwrap().location, Some((1.0, 2.0)));
}

//! The filters, on both databases.

use super::*;

/// A device whose texts all equal `text`.
fn all_texts(dsn: &str, text: &str) -> DeviceRecord {
    let some = || Some(text.to_owned());
    DeviceRecord {
        serial_number: some(),
        customer: some(),
        customer_id: some(),
        store_number: some(),
        service_area: some(),
        fragrance: some(),
        network: text.to_owned(),
        city: some(),
        state_province: some(),
        country: some(),
        ..record(dsn, None)
    }
}

fn text_filters(text: &str) -> [DeviceFilter; 10] {
    let names = [
        "serialnumber",
        "customer",
        "customerid",
        "storenumber",
        "servicearea",
        "fragrance",
        "network",
        "city",
        "stateprovince",
        "country",
    ];
    names.map(|name| DeviceFilter::by(name, text))
}

async fn found(db: &Db, actor: &Actor, filter: &DeviceFilter) -> Vec<String> {
    let answer = list(db, actor, &ListQuery { filter: filter.clone(), page_size: 50, ..query() }).await.unwrap();
    let found: Vec<String> = answer.devices.into_iter().map(|device| device.record.dsn).collect();
    assert_eq!(answer.total, u64::try_from(found.len()).unwrap(), "{filter:?}");
    found
}

const TEXTS: [&str; 8] = ["SC100", "XSC10", "AB_12", "AB%34", "AB\\56", "ÄÖ777", "Straße", "ΟΔΟΣΑ"];

/// A filter text and the [`TEXTS`] that it matches.
const MATCHES: [(&str, &[&str]); 22] = [
    ("s", &["SC100", "Straße"]),
    ("sc", &["SC100"]),
    ("C1", &[]),
    ("sc1", &["SC100", "XSC10"]),
    ("C10", &["SC100", "XSC10"]),
    ("100", &["SC100"]),
    ("ab", &["AB_12", "AB%34", "AB\\56"]),
    ("b_1", &["AB_12"]),
    ("b%3", &["AB%34"]),
    ("b\\5", &["AB\\56"]),
    ("b_3", &[]),
    ("a%", &[]),
    ("%", &[]),
    ("_", &[]),
    ("%%%", &[]),
    ("\\", &[]),
    ("ä", &["AB_12", "AB%34", "AB\\56", "ÄÖ777"]),
    ("äö", &["ÄÖ777"]),
    ("äö7", &["ÄÖ777"]),
    ("STRASSE", &["Straße"]),
    ("οδος", &["ΟΔΟΣΑ"]),
    ("'; --", &[]),
];

async fn text_filter_matches_a_prefix_below_three_characters_and_any_part_from_three(db: Db) {
    let dsn = |text: &str| format!("D-{text}");
    store(&db, &TEXTS.map(|text| all_texts(&dsn(text), text))).await;
    for (text, expected) in MATCHES {
        let expected: Vec<String> =
            TEXTS.into_iter().filter(|text| expected.contains(text)).map(|text| format!("D-{text}")).collect();
        for filter in text_filters(text) {
            let mut found = found(&db, &admin(), &filter).await;
            found.sort_by_key(|dsn| TEXTS.iter().position(|text| dsn.ends_with(text)));
            assert_eq!(found, expected, "{filter:?}");
        }
    }
}

async fn dsn_filter_matches_a_prefix_below_three_characters_and_any_part_from_three(db: Db) {
    store(&db, &TEXTS.map(|dsn| record(dsn, None))).await;
    for (text, expected) in MATCHES {
        let filter = DeviceFilter::by("dsn", text);
        let mut found = found(&db, &admin(), &filter).await;
        found.sort_by_key(|dsn| TEXTS.iter().position(|text| dsn == text));
        assert_eq!(found, expected, "{text}");
    }
}

async fn each_text_filter_searches_only_its_own_column(db: Db) {
    let some = |text: &str| Some(text.to_owned());
    let values = ["serial", "customer", "account", "shop", "area", "scent", "ssid", "city", "province", "country"];
    let [serial, customer, account, shop, area, scent, ssid, city, province, country] = values;
    let device = DeviceRecord {
        serial_number: some(serial),
        customer: some(customer),
        customer_id: some(account),
        store_number: some(shop),
        service_area: some(area),
        fragrance: some(scent),
        network: ssid.to_owned(),
        city: some(city),
        state_province: some(province),
        country: some(country),
        ..record("SC1", Some("North"))
    };
    store(&db, &[device, all_texts("SC2", "-")]).await;
    for (number, value) in values.into_iter().enumerate() {
        for (column, filter) in text_filters(value).into_iter().enumerate() {
            let expected: &[&str] = if column == number { &["SC1"] } else { &[] };
            assert_eq!(found(&db, &admin(), &filter).await, expected, "{filter:?}");
        }
    }
}

async fn changed_text_is_found_only_by_its_new_value(db: Db) {
    store(&db, &[all_texts("SC1", "before")]).await;
    let clock = clock();
    clock.advance(SignedDuration::from_secs(1));
    apply_read(&db, &entries(&[all_texts("SC1", "after")]), CloudRead::begin(&clock).end(&clock)).await.unwrap();
    for filter in text_filters("after") {
        assert_eq!(found(&db, &admin(), &filter).await, ["SC1"], "{filter:?}");
    }
    for filter in text_filters("before") {
        assert!(found(&db, &admin(), &filter).await.is_empty(), "{filter:?}");
    }
}

async fn network_filter_matches_lan_or_a_part_of_the_ssid(db: Db) {
    let on = |dsn: &str, network: &str| DeviceRecord { network: network.to_owned(), ..record(dsn, None) };
    store(&db, &[on("SC1", "LAN"), on("SC2", "Planet Guest"), on("SC3", "lantern")]).await;
    let rows: [(&str, &[&str]); 6] = [
        ("LAN", &["SC1"]),
        ("lan", &["SC1"]),
        ("la", &["SC3"]),
        ("lant", &["SC3"]),
        ("net g", &["SC2"]),
        ("LANE", &["SC2"]),
    ];
    for (text, expected) in rows {
        let filter = DeviceFilter::by("network", text);
        assert_eq!(found(&db, &admin(), &filter).await, expected, "{text}");
    }
}

async fn csp_and_model_filters_match_exactly(db: Db) {
    let model = |dsn: &str, model: &str| DeviceRecord {
        system_configuration: Some(model.to_owned()),
        ..record(dsn, Some("North"))
    };
    store(&db, &[model("SC1", "AQ880"), model("SC2", "AQ880w1250"), record("SC3", Some("Northern"))]).await;
    let rows: [(&str, &[&str], &[&str]); 6] = [
        ("North", &["SC1", "SC2"], &[]),
        ("Northern", &["SC3"], &[]),
        ("north", &[], &[]),
        ("Nor", &[], &[]),
        ("AQ880", &[], &["SC1"]),
        ("aq880", &[], &[]),
    ];
    for (value, by_csp, by_model) in rows {
        let csp = DeviceFilter::by("csp", value);
        assert_eq!(found(&db, &admin(), &csp).await, by_csp, "csp {value}");
        let model = DeviceFilter::by("model", value);
        assert_eq!(found(&db, &admin(), &model).await, by_model, "model {value}");
    }
}

async fn install_date_filters_include_both_days_and_leave_out_devices_without_a_date(db: Db) {
    let installed = |dsn: &str, date: Option<&str>| DeviceRecord {
        installed_at: date.map(|date| date.parse().unwrap()),
        ..record(dsn, None)
    };
    let fleet = [("SC1", Some("2026-11-20")), ("SC2", Some("2026-01-05")), ("SC3", None), ("SC4", Some("2025-12-31"))];
    store(&db, &fleet.map(|(dsn, date)| installed(dsn, date))).await;
    let rows: [(Option<&str>, Option<&str>, &[&str]); 5] = [
        (Some("2026-01-05"), None, &["SC1", "SC2"]),
        (None, Some("2026-01-05"), &["SC2", "SC4"]),
        (Some("2026-01-05"), Some("2026-11-20"), &["SC1", "SC2"]),
        (Some("2026-01-06"), Some("2026-11-19"), &[]),
        (None, Some("2025-12-30"), &[]),
    ];
    for (from, through, expected) in rows {
        let texts = [("installedfrom", from), ("installedthrough", through)];
        let texts = texts.into_iter().filter_map(|(name, date)| Some((name, date?.to_owned()))).collect();
        let filter = DeviceFilter { texts, ..DeviceFilter::default() };
        assert_eq!(found(&db, &admin(), &filter).await, expected, "{filter:?}");
    }
}

async fn devices_without_an_install_date_come_last_in_both_directions(db: Db) {
    let dates = [("SC1", None), ("SC2", Some("2026-11-20")), ("SC3", Some("2026-01-05"))];
    let device = |(dsn, date): (&str, Option<&str>)| DeviceRecord {
        installed_at: date.map(|date| date.parse().unwrap()),
        ..record(dsn, None)
    };
    store(&db, &dates.map(device)).await;
    for (order, expected) in [(SortOrder::Asc, ["SC3", "SC2", "SC1"]), (SortOrder::Desc, ["SC2", "SC3", "SC1"])] {
        let sorted = ListQuery { sort: DeviceSort::InstalledAt, order, ..query() };
        assert_eq!(dsns(&db, &admin(), &sorted).await, expected);
    }
}

async fn csp_filter_is_ignored_for_csp_roles(db: Db) {
    store(&db, &[record("N1", Some("North")), record("S1", Some("South")), record("X1", None)]).await;
    let rows = [
        (actor(Some(Role::Admin), None), vec!["S1"]),
        (actor(Some(Role::Observer), None), vec!["S1"]),
        (actor(Some(Role::CspAdmin), Some("North")), vec!["N1"]),
        (actor(Some(Role::CspObserver), Some("North")), vec!["N1"]),
        (actor(Some(Role::CspTech), Some("South")), vec!["S1"]),
        (actor(Some(Role::CspTech), None), vec![]),
        (actor(None, None), vec![]),
    ];
    let filter = DeviceFilter::by("csp", "South");
    for (actor, expected) in rows {
        assert_eq!(found(&db, &actor, &filter).await, expected, "{actor:?}");
    }
}

async fn fragrance_filter_combines_with_other_text_filters(db: Db) {
    let device = |dsn: &str, fragrance: &str, city: &str| DeviceRecord {
        fragrance: Some(fragrance.to_owned()),
        city: Some(city.to_owned()),
        ..record(dsn, None)
    };
    let fleet = [("SC1", "Warm Linen", "Oslo"), ("SC2", "Linen", "Porto"), ("SC3", "Amber", "Oslo")];
    store(&db, &fleet.map(|(dsn, fragrance, city)| device(dsn, fragrance, city))).await;
    let rows: [(&str, &str, &[&str]); 4] =
        [("linen", "oslo", &["SC1"]), ("linen", "o", &["SC1"]), ("amber", "porto", &[]), ("a", "oslo", &["SC3"])];
    for (fragrance, city, expected) in rows {
        let texts = [("fragrance", fragrance), ("city", city)].map(|(name, text)| (name, text.to_owned()));
        let filter = DeviceFilter { texts: texts.into(), ..DeviceFilter::default() };
        assert_eq!(found(&db, &admin(), &filter).await, expected, "{filter:?}");
    }
}

async fn combined_filters_stay_within_the_scope(db: Db) {
    let mut offline = record("SC2", Some("North"));
    offline.state.connection_status = ConnectionStatus::Offline;
    store(&db, &[record("SC1", Some("North")), offline, record("SC3", Some("South"))]).await;
    let filter = DeviceFilter::by("dsn", "SC").and(STATUS, "Online");
    let filtered = ListQuery { filter, ..query() };
    assert_eq!(dsns(&db, &admin(), &filtered).await, ["SC1", "SC3"]);
    assert_eq!(dsns(&db, &actor(Some(Role::CspTech), Some("North")), &filtered).await, ["SC1"]);
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        text_filter_matches_a_prefix_below_three_characters_and_any_part_from_three,
        dsn_filter_matches_a_prefix_below_three_characters_and_any_part_from_three,
        each_text_filter_searches_only_its_own_column,
        changed_text_is_found_only_by_its_new_value,
        network_filter_matches_lan_or_a_part_of_the_ssid,
        csp_and_model_filters_match_exactly,
        install_date_filters_include_both_days_and_leave_out_devices_without_a_date,
        devices_without_an_install_date_come_last_in_both_directions,
        csp_filter_is_ignored_for_csp_roles,
        fragrance_filter_combines_with_other_text_filters,
        combined_filters_stay_within_the_scope,
    ]
);

//! Query plans: which database index serves a list, and that no sort is needed.

use platform::db::Dialect;

use super::*;
use crate::index::columns::IdxDevices;
use crate::index::query::devices;
use crate::index::query_plan::QueryPlan;
use crate::index::scope::visible_rows;
use crate::index::selection::{Selection, Slice, Start};
use crate::index::sort::SortKey;
use crate::index::value_counts::ColumnValues;
use crate::records::Position;
use crate::test_tools::query_plans::{explain, sorts};

/// The database index that serves each order.
const ORDERS: [(&str, &str); 16] = [
    ("created_at", "idx_devices_{}created_at"),
    ("serialnumber", "idx_devices_{}serial_number_folded"),
    ("dsn", "idx_devices_{}dsn_folded"),
    ("csp", "idx_devices_csp"),
    ("customer", "idx_devices_{}customer_folded"),
    ("servicearea", "idx_devices_{}service_area_folded"),
    ("model", "idx_devices_{}system_configuration"),
    ("network", "idx_devices_{}ssid_folded"),
    ("connectionstatus", "idx_device_state_{}connection_status"),
    ("connectedat", "idx_device_state_{}connected_at"),
    ("city", "idx_devices_{}city_folded"),
    ("stateprovince", "idx_devices_{}state_province_folded"),
    ("country", "idx_devices_{}country_folded"),
    ("installedat", "idx_devices_{}installed_at"),
    ("fragranceremaining", "idx_device_state_{}remaining_falling"),
    ("runsdry", "idx_device_state_{}runs_dry_falling"),
];

/// Whether the plan uses the database index of this order. PostgreSQL may use the index without the CSP if few rows
/// belong to other CSPs.
fn uses_index(db: &Db, plan: &str, index: &str, scope: &str) -> bool {
    let others: &[&str] = match (db.dialect(), index) {
        (Dialect::Sqlite, _) => &[],
        // Within one CSP, the order by CSP is that by serial number.
        (Dialect::Postgres, "idx_devices_csp") => &["idx_devices_dsn_key"],
        (Dialect::Postgres, _) => &[&index.replace("{}", "")],
    };
    plan.contains(&index.replace("{}", scope)) || others.iter().any(|other| plan.contains(other))
}

/// Enough devices for PostgreSQL to prefer an index.
fn fleet() -> Vec<DeviceRecord> {
    let text = |what: &str, number: usize| Some(format!("{what} {number}"));
    let device = |number: usize| {
        let like = record(&format!("D{number:04}"), text("CSP", number % 10).as_deref());
        let connection_status = if number == 17 { ConnectionStatus::Offline } else { ConnectionStatus::Online };
        DeviceRecord {
            customer: text("Aurora", number % 89),
            service_area: text("Area", number % 83),
            network: format!("Wi-Fi {}", number % 79),
            installed_at: (number == 17).then(|| "2026-11-20".parse().unwrap()),
            city: if number == 17 { Some("Oslo".to_owned()) } else { text("City", number % 97) },
            state_province: text("Province", number % 73),
            country: text("Country", number % 71),
            position: Position::of(f64::from(u16::try_from(number).unwrap()) / 100.0, 0.0),
            state: DeviceState {
                connection_status,
                fragrance_remaining: Some(if number == 17 { 5 } else { 80 }),
                ..like.state
            },
            ..like
        }
    };
    (0..3000).map(device).collect()
}

fn slice(name: &str) -> Slice {
    Slice { key: SortKey::new(name.parse().unwrap(), SortOrder::Desc, None), descending: true, limit: 5, offset: 0 }
}

async fn every_order_of_the_whole_list_and_of_one_csp_uses_an_index(db: Db) {
    store(&db, &fleet()).await;
    let (admin, tech) = (admin(), actor(Some(Role::CspTech), Some("CSP 1")));
    for (name, index) in ORDERS {
        for (actor, scope) in [(&admin, ""), (&tech, "csp_")] {
            let filter = DeviceFilter::default();
            let selection = Selection::new(visible_rows(actor, None).unwrap(), &filter, db.dialect());
            assert!(selection.is_unfiltered());
            let plan = explain(&db, &selection.unfiltered_page(slice(name))).await;
            assert!(uses_index(&db, &plan, index, scope) && !sorts(&plan), "{name} {actor:?}: {plan}");
        }
    }
}

async fn every_report_page_uses_an_index_with_any_filter(db: Db) {
    store(&db, &fleet()).await;
    let (admin, tech) = (admin(), actor(Some(Role::CspTech), Some("CSP 1")));
    let filters = [DeviceFilter::default(), DeviceFilter::by("city", "c").and(STATUS, "Online")];
    for (name, index) in ORDERS {
        for (actor, scope) in [(&admin, ""), (&tech, "csp_")] {
            // Within one CSP all rows are equal in this order.
            let filters = if (name, scope) == ("csp", "csp_") { &[] } else { &filters[..] };
            for filter in filters {
                let selection = Selection::new(visible_rows(actor, None).unwrap(), filter, db.dialect());
                let is_number = slice(name).key.is_number();
                let cursor = Cursor::at(if is_number { "1700000000000000" } else { "m" }, is_number, "D1500");
                let page = selection.page_after(slice(name), Some(&cursor));
                let plan = explain(&db, &page).await;
                assert!(uses_index(&db, &plan, index, scope) && !sorts(&plan), "{name} {actor:?}: {plan}");
                if db.dialect() == Dialect::Sqlite {
                    assert!(
                        plan.contains("<(?") || plan.contains("<?"),
                        "the page starts at its cursor: {name} {plan}"
                    );
                }
            }
        }
    }
}

async fn scan_reads_at_most_its_length_with_any_filter(db: Db) {
    store(&db, &fleet()).await;
    let filter = DeviceFilter::by("model", "AQ290").and("city", "c").and("customer", "aurora").and(STATUS, "Online");
    let admin = admin();
    for (name, index) in ORDERS {
        let rows = visible_rows(&admin, Some("CSP 1")).unwrap();
        let selection = Selection::new(rows, &filter, db.dialect());
        let found = |length| {
            let (selection, db) = (&selection, &db);
            async move {
                let page = selection.page(slice(name), QueryPlan::Scan(length), &Start::State);
                db.select::<(String,)>(&page).await.unwrap().len()
            }
        };
        assert_eq!((found(3).await, found(20).await), (3, 5), "{name}");
        let scan = selection.page(slice(name), QueryPlan::Scan(20), &Start::State);
        let plan = explain(&db, &scan).await;
        assert!(uses_index(&db, &plan, index, "csp_"), "{name}: {plan}");
    }
}

async fn rare_matches_are_found_through_an_index(db: Db) {
    store(&db, &fleet()).await;
    let admin = admin();
    let text = DeviceFilter::by("city", "slo");
    let kind = DeviceFilter::by("model", "AQ290").and(STATUS, "Offline");
    let installed = DeviceFilter::by("installedfrom", "2026-11-20");
    let search = DeviceFilter::by("q", "d00 17 osl");
    let store = DeviceFilter::by("storenumber", "s-17");
    let near = Near { place: String::new(), centre: Position::of(1.7, 0.0).unwrap(), kilometres: 1 };
    let near = DeviceFilter { near: Some(near), ..DeviceFilter::default() };
    let low = DeviceFilter { max_remaining: Some(20), ..DeviceFilter::default() };
    let before = "2026-11-19T12:00:00Z".parse().unwrap();
    let offline = DeviceFilter { offline_for: Some(OfflineFor { hours: 24, before }), ..DeviceFilter::default() };
    let cities = ColumnValues { column: IdxDevices::CityFolded, values: vec!["oslo".to_owned(), "porto".to_owned()] };
    let rows = [
        (&text, Start::Values(cities), ["INDEX idx_devices_city_folded (city_folded=?)", "idx_devices_city_folded"]),
        (&text, Start::Texts, ["SCAN idx_devices_text VIRTUAL TABLE INDEX 0:M", "idx_devices_text"]),
        (&search, Start::Texts, ["SCAN idx_devices_text VIRTUAL TABLE INDEX 0:M", "idx_devices_search"]),
        (&store, Start::Texts, ["SCAN idx_devices_text VIRTUAL TABLE INDEX 0:M", "idx_devices_text"]),
        (&near, Start::Texts, ["INDEX idx_devices_position", "idx_devices_position"]),
        (&installed, Start::Texts, ["INDEX idx_devices_installed_at", "idx_devices_installed_at"]),
        (&kind, Start::State, ["INDEX idx_device_state_kind", "using idx_device_state_"]),
        (&low, Start::State, ["INDEX idx_device_state_remaining_rising", "idx_device_state_remaining_rising"]),
        (&offline, Start::State, ["INDEX idx_device_state_changed", "idx_device_state_"]),
    ];
    for (filter, start, [on_sqlite, on_postgres]) in &rows {
        let selection = Selection::new(visible_rows(&admin, None).unwrap(), filter, db.dialect());
        let slice = Slice { key: SortKey::Devices(IdxDevices::CountryFolded), ..slice("dsn") };
        for statement in [selection.count(start), selection.page(slice, QueryPlan::Collect, start)] {
            let plan = explain(&db, &statement).await;
            match db.dialect() {
                Dialect::Sqlite => {
                    assert!(plan.contains(*on_sqlite) && !plan.contains("SCAN idx_device_state"), "{plan}");
                }
                Dialect::Postgres => assert!(plan.contains(*on_postgres), "{plan}"),
            }
        }
    }
}

async fn list_page_reads_only_its_own_rows(db: Db) {
    store(&db, &fleet()).await;
    let (admin, filter) = (admin(), DeviceFilter::default());
    let rows = visible_rows(&admin, None).unwrap();
    let selection = Selection::new(rows, &filter, db.dialect());
    let plan = explain(&db, &devices(rows, selection.unfiltered_page(slice("city")), slice("city"))).await;
    match db.dialect() {
        Dialect::Sqlite => {
            assert!(plan.contains("USING COVERING INDEX idx_devices_city_folded"), "{plan}");
            assert!(plan.contains("SEARCH idx_devices USING INDEX sqlite_autoindex_idx_devices_1 (dsn=?)"), "{plan}");
            assert!(plan.contains("SEARCH idx_device_state USING PRIMARY KEY (dsn=?)"), "{plan}");
        }
        Dialect::Postgres => {
            assert!(plan.contains("using idx_devices_city_folded"), "{plan}");
            assert!(
                plan.contains("using idx_devices_dsn_key") && plan.contains("using idx_device_state_pkey"),
                "{plan}"
            );
        }
    }
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        every_order_of_the_whole_list_and_of_one_csp_uses_an_index,
        every_report_page_uses_an_index_with_any_filter,
        scan_reads_at_most_its_length_with_any_filter,
        rare_matches_are_found_through_an_index,
        list_page_reads_only_its_own_rows,
    ]
);

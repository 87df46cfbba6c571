//! Reports of all lists as workbooks of Excel, read with another library than the one that writes them.

use std::io::{Cursor, read_to_string};

use calamine::{Data, Reader, Xlsx, open_workbook_from_rs};
use csv::ReaderBuilder;
use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, ToSpan};
use platform::testing::TestDb;
use reqwest::Method;
use reqwest::header::{CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_TYPE};
use serde_json::json;
use zip::ZipArchive;

use crate::browser::Browser;
use crate::reports::file;
use crate::world::*;
use crate::{fleet, jobs};

const WORKBOOK: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// The heads of columns of numbers, apart from those of hours.
const NUMBERS: [&str; 15] = [
    "Cartridge (mL)",
    "Remaining (%)",
    "Devices",
    "Users",
    "Cartridges",
    "Occurrences",
    "Empty",
    "1-20%",
    "21-50%",
    "51-100%",
    "Level unknown",
    "Refills",
    "Use in mL",
    "Devices with known use",
    "Days measured",
];
/// The heads of columns of days and times.
const DATES: [&str; 8] = [
    "Installed",
    "Runs Dry",
    "Empty Since",
    "Day (UTC)",
    "Last Connected (UTC)",
    "Last Sign-In (UTC)",
    "Began (UTC)",
    "Ended (UTC)",
];

/// The sheet of a workbook.
struct Sheet {
    /// Rows from the first one on, each as wide as the widest.
    rows: Vec<Vec<Data>>,
    xml: String,
}

impl Sheet {
    async fn of(browser: &Browser, path: &str) -> Self {
        let separator = if path.contains('?') { '&' } else { '?' };
        let response = browser.request(Method::GET, &format!("{path}{separator}type=xlsx")).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let headers = response.headers();
        assert_eq!((&headers[CONTENT_TYPE], headers.get(CONTENT_ENCODING)), (&WORKBOOK.parse().unwrap(), None));
        assert_eq!(headers[CONTENT_DISPOSITION], "attachment; filename=\"report.xlsx\"");
        let bytes = response.bytes().await.unwrap();
        let mut archive = ZipArchive::new(Cursor::new(&bytes)).unwrap();
        let xml = read_to_string(archive.by_name("xl/worksheets/sheet1.xml").unwrap()).unwrap();
        let mut workbook: Xlsx<_> = open_workbook_from_rs(Cursor::new(&bytes)).unwrap();
        let rows = workbook.worksheet_range("Report").unwrap().rows().map(<[Data]>::to_vec).collect();
        Self { rows, xml }
    }

    /// The texts of a row.
    fn texts(&self, row: usize) -> Vec<&str> {
        let texts =
            self.rows[row].iter().filter_map(|cell| if let Data::String(text) = cell { Some(text) } else { None });
        texts.map(String::as_str).collect()
    }

    /// The cell of a column in the first row below the heads.
    fn first(&self, head: &str) -> &Data {
        let column = self.texts(0).iter().position(|text| *text == head).unwrap_or_else(|| panic!("no {head}"));
        &self.rows[1][column]
    }
}

/// The time that a cell shows.
fn time_of(cell: &Data) -> DateTime {
    let Data::DateTime(time) = cell else { panic!("no time: {cell:?}") };
    let seconds = (time.as_f64() * 86_400.0).round();
    #[expect(clippy::cast_possible_truncation, reason = "seconds since 1899")]
    let since = SignedDuration::from_secs(seconds as i64);
    Date::constant(1899, 12, 30).to_datetime(jiff::civil::Time::midnight()) + since
}

/// Checks that the workbook has the rows of the CSV file, with the types that their columns have, and that its heads can filter and
/// stay in view.
async fn assert_same_as_csv(browser: &Browser, path: &str) {
    let sheet = Sheet::of(browser, path).await;
    let separator = if path.contains('?') { '&' } else { '?' };
    let (_, csv) = file(browser, &format!("{path}{separator}type=csv"), None).await;
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(csv.trim_start_matches('\u{feff}').as_bytes());
    let expected: Vec<Vec<String>> =
        reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect();
    let head = expected.iter().position(|record| record.len() > 1).unwrap();
    assert!(expected.len() > head + 1, "{path} has rows");
    assert_eq!(sheet.rows.len(), expected.len(), "{path}");
    let heads = &expected[head];
    assert_eq!(sheet.texts(head), *heads, "{path}");
    for (row, record) in sheet.rows.iter().zip(&expected) {
        for (column, text) in record.iter().enumerate() {
            let name = &*heads[column];
            let is_data = !std::ptr::eq(record, heads) && record.len() > 1;
            let is_number = NUMBERS.contains(&name) || name.ends_with(":00");
            match &row[column] {
                Data::Empty => assert_eq!(text, "", "{path} {name}"),
                Data::String(shown) => {
                    assert_eq!(shown, text, "{path} {name}");
                    assert!(!is_data || !(is_number || DATES.contains(&name)), "{path} {name}: {text} is a text");
                }
                Data::Float(number) => {
                    assert_eq!(Some(*number), text.parse().ok(), "{path} {name}");
                    assert!(is_number, "{path} {name}: {text} is a number");
                }
                time => {
                    let shown = time_of(time).strftime("%Y-%m-%d %H:%M:%S").to_string();
                    assert_eq!(shown.strip_suffix(" 00:00:00").unwrap_or(&shown), text, "{path} {name}");
                    assert!(DATES.contains(&name), "{path} {name}: {text} is a date");
                }
            }
        }
    }
    let (head, last) = (head + 1, expected.len());
    for part in [
        format!("<pane ySplit=\"{head}\" topLeftCell=\"A{}\" activePane=\"bottomLeft\" state=\"frozen\"/>", head + 1),
        format!("<autoFilter ref=\"A{head}:"),
        format!("{last}\"/></worksheet>"),
    ] {
        assert!(sheet.xml.contains(&part), "{path} {part}: {}", sheet.xml);
    }
}

async fn workbooks_of_all_lists_have_the_rows_of_their_csv_files_with_types(database: TestDb) {
    let world = fleet::world_with_days(&database).await;
    let month = fleet::add_store_months(&world, &database).await;
    let mut admin = world.signed_in(ADMIN).await;
    let job = jobs::assign(&mut admin, &[NORTH, "SC-NONE"], "South").await;
    let until = (world.clock.now().to_zoned(jiff::tz::TimeZone::UTC).date() + 90.days()).to_string();
    for path in [
        "/api/devices/report".to_owned(),
        format!("/api/devices/report?groupBy=customer&dsn={SOUTH}"),
        format!("/api/devices/purchasing?until={until}"),
        "/api/users/report".to_owned(),
        "/api/csps/report".to_owned(),
        "/api/fleet/report?days=7".to_owned(),
        format!("/api/fleet/stores?month={month}"),
        format!("/api/jobs/{}/report", job["id"].as_str().unwrap()),
        "/api/audit/report?operation=assign_csp".to_owned(),
        "/api/audit/report?operation=update_device".to_owned(),
    ] {
        assert_same_as_csv(&admin, &path).await;
    }
    assert_same_as_csv(&world.signed_in(NORTH_ADMIN).await, "/api/users/report").await;
}

async fn cells_of_a_workbook_are_texts_numbers_and_times_in_the_zone_of_the_reader(database: TestDb) {
    let world = World::start_on(&database).await;
    let mut admin = world.signed_in(ADMIN).await;
    let names = ["=1+1", "-2", "007", "@SUM(1)", "a,b;c \"d\" <e> & _x0041_"];
    for name in names {
        assert_eq!(admin.post("/api/csps", &json!({ "name": name })).await.status, 201, "{name}");
    }
    let csps = Sheet::of(&admin, "/api/csps/report").await;
    for name in names {
        let row = csps.rows.iter().find(|row| row[0] == Data::String(name.to_owned()));
        let row = row.unwrap_or_else(|| panic!("no {name}: {:?}", csps.rows));
        assert_eq!(row[1..], [Data::Float(0.0), Data::Float(0.0)], "{name}");
    }
    assert!(!csps.xml.contains("<f>"), "no formula");

    let path = format!("/api/devices/report?dsn={NORTH_AQ290}");
    let device = Sheet::of(&admin, &path).await;
    assert_eq!(*device.first("Serial Number"), Data::String("4711".to_owned()), "digits of an identifier");
    assert_eq!(
        (device.first("Remaining (%)"), device.first("Cartridge (mL)")),
        (&Data::Float(64.0), &Data::Float(500.0))
    );

    let path = format!("/api/users/report?email={ADMIN}");
    let in_utc = time_of(Sheet::of(&admin, &path).await.first("Last Sign-In (UTC)"));
    for (zone, hours) in [("Pacific/Kiritimati", 14), ("America/New_York", -5)] {
        let path = format!("{path}&timeZone={zone}");
        let there = Sheet::of(&admin, &path).await;
        assert_eq!(time_of(there.first(&format!("Last Sign-In ({zone})"))), in_utc + hours.hours(), "{zone}");
    }
    let refused = admin.get(&format!("{path}&timeZone=Mars/Olympus&type=xlsx")).await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["timeZone"]));
}

on_both_databases!(
    workbooks_of_all_lists_have_the_rows_of_their_csv_files_with_types,
    cells_of_a_workbook_are_texts_numbers_and_times_in_the_zone_of_the_reader,
);

//! Reports of the three lists: rows, columns and formats for each role.

use console::reindex;
use diffuser::data_keys;
use platform::db::{Db, params};
use platform::testing::TestDb;
use reqwest::Method;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderMap};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::fleet;
use crate::world::*;

const REPORTS: [&str; 3] = ["/api/devices/report", "/api/users/report", "/api/csps/report"];
const FIVE_ROLES: [&str; 5] = [ADMIN, OBSERVER, NORTH_ADMIN, NORTH_OBSERVER, NORTH_TECH];

/// One member of each item of a report.
async fn items(browser: &mut Browser, path: &str, member: &str) -> Vec<String> {
    let answer = browser.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    let items = answer.body["items"].as_array().unwrap();
    items.iter().map(|item| item[member].as_str().unwrap().to_owned()).collect()
}

pub(crate) async fn file(browser: &Browser, path: &str, accept: Option<&str>) -> (HeaderMap, String) {
    let (headers, bytes) = bytes_of(browser, path, accept).await;
    // reqwest's `text` drops a byte order mark.
    (headers, String::from_utf8(bytes).unwrap())
}

async fn bytes_of(browser: &Browser, path: &str, accept: Option<&str>) -> (HeaderMap, Vec<u8>) {
    let request = browser.request(Method::GET, path);
    let request = if let Some(accept) = accept { request.header(ACCEPT, accept) } else { request };
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let headers = response.headers().clone();
    (headers, response.bytes().await.unwrap().to_vec())
}

/// The content of a CSV file without its byte order mark.
fn unmarked(csv: &str) -> &str {
    csv.strip_prefix('\u{feff}').expect("a CSV file begins with a byte order mark")
}

/// CSV without the quotes of its cells, each of which has them.
pub(crate) fn unquoted(csv: &str) -> String {
    let cells = |line: &str| {
        let cells = line.strip_prefix('"').and_then(|line| line.strip_suffix('"'));
        cells.unwrap_or_else(|| panic!("not quoted: {line}")).split("\",\"").collect::<Vec<_>>().join(",") + "\r\n"
    };
    csv.lines().map(cells).collect()
}

#[tokio::test]
async fn csp_roles_have_only_devices_of_their_own_csp_on_page_list_and_report() {
    let world = World::start().await;
    let north = [NORTH, NORTH_AQ290];
    for email in [NORTH_ADMIN, NORTH_OBSERVER, NORTH_TECH] {
        let mut browser = world.signed_in(email).await;
        for query in ["", "csp=South&", "csp=North&"] {
            assert_eq!(browser.get(&format!("/api/devices/dsns/{SOUTH}")).await.status, 404, "{email}");
            assert_eq!(browser.dsns(&format!("&{query}")).await, north, "{email} {query}");
            let path = format!("/api/devices/report?{query}orderBy=dsn&order=asc");
            assert_eq!(items(&mut browser, &path, "dsn").await, north, "{email} {query}");
        }
        let report = browser.get("/api/devices/report?csp=South").await.body;
        assert_eq!(report["filters"], json!({}), "it counts for nothing, so it is none");
        for form in ["csv", "printable"] {
            let (_, text) = file(&browser, &format!("/api/devices/report?type={form}"), None).await;
            assert!(text.contains(NORTH) && !text.contains(SOUTH) && !text.contains("CSP"), "{email} {text}");
        }
    }
    for email in [ADMIN, OBSERVER] {
        let mut browser = world.signed_in(email).await;
        let all = items(&mut browser, "/api/devices/report?orderBy=dsn&order=asc", "dsn").await;
        assert_eq!(all, [NORTH, NORTH_AQ290, SOUTH, OWNED], "{email}");
        assert_eq!(items(&mut browser, "/api/devices/report?csp=South", "dsn").await, [SOUTH], "{email}");
    }
}

#[tokio::test]
async fn report_contains_all_matching_devices_in_list_order() {
    let world = World::start().await;
    let dsns: Vec<String> = (0..300).map(|number| format!("SC-R{number:03}")).collect();
    let devices: Vec<_> = dsns.iter().map(|dsn| device(dsn, Some("East"), "AQ380")).collect();
    world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
    world.console.resync().await;
    let mut browser = world.signed_in(ADMIN).await;
    let path = "/api/devices/report?csp=East&model=AQ380&dsn=sc-r&orderBy=dsn&order=asc&page=7&pageSize=5\
                &excludeDsn=SC-R007";
    let report = browser.get(path).await.body;
    assert_eq!(report["filters"], json!({ "csp": "East", "model": "AQ380", "dsn": "sc-r" }));
    let items = report["items"].as_array().unwrap();
    assert_eq!(items.iter().map(|item| item["dsn"].as_str().unwrap()).collect::<Vec<_>>(), dsns);
    assert_eq!(items[7], browser.listed("SC-R007").await, "a row of the list");
    let (_, csv) = file(&browser, &format!("{path}&type=csv"), None).await;
    assert_eq!(csv.matches("\r\n").count(), 301);
    let backwards = browser.get("/api/devices/report?csp=East&orderBy=dsn&order=desc").await.body;
    assert_eq!(backwards["items"][0]["dsn"], "SC-R299");
}

#[tokio::test]
async fn report_of_users_contains_all_matches_in_the_scope() {
    let world = World::start().await;
    // Reports ignore the page of a list.
    let path = "/api/users/report?orderBy=email&order=asc&page=2&pageSize=5";
    let north = [NORTH_ADMIN, NORTH_GUEST, NORTH_OBSERVER, NORTH_TECH];
    for email in [NORTH_ADMIN, NORTH_OBSERVER] {
        let mut browser = world.signed_in(email).await;
        for query in ["", "&csp=South"] {
            assert_eq!(items(&mut browser, &format!("{path}{query}"), "email").await, north, "{email} {query}");
        }
    }
    for email in [ADMIN, OBSERVER] {
        let mut browser = world.signed_in(email).await;
        assert_eq!(items(&mut browser, path, "email").await.len(), 10, "{email}");
        assert_eq!(items(&mut browser, &format!("{path}&csp=North"), "email").await, north, "{email}");
        let list = browser.get("/api/users?role=OEM::Observer").await.body;
        let report = browser.get("/api/users/report?role=OEM::Observer&confirmed=true").await.body;
        assert_eq!(
            report,
            json!({ "filters": { "role": "OEM::Observer", "confirmed": "true" }, "items": list["users"] })
        );
    }
}

#[tokio::test]
async fn report_of_csps_contains_all_matches_with_counts() {
    let world = World::start().await;
    for email in [ADMIN, OBSERVER] {
        let mut browser = world.signed_in(email).await;
        let report = browser.get("/api/csps/report").await.body;
        let list = browser.get("/api/csps").await.body;
        assert_eq!(report, json!({ "filters": {}, "items": list["csps"] }));
        assert_eq!(
            items(&mut browser, "/api/csps/report?order=desc&page=2&pageSize=5", "name").await,
            ["South", "North"]
        );
        let report = browser.get("/api/csps/report?name=no").await.body;
        assert_eq!((&report["filters"], report["items"].as_array().unwrap().len()), (&json!({ "name": "no" }), 1));
        let (_, csv) = file(&browser, "/api/csps/report?type=csv", None).await;
        assert_eq!(unquoted(unmarked(&csv)), "Name,Devices,Users\r\nNorth,2,4\r\nSouth,1,2\r\n", "{email}");
    }
}

#[tokio::test]
async fn each_list_has_its_columns_for_its_reader() {
    let world = World::start().await;
    let devices = "Serial Number,DSN,Customer,Customer ID,Service Area,Store Number,CSP,Installed,Fragrance,SKU,\
                   System Configuration,Cartridge (mL),Network,Street,ZIP,City,State/Province,Country,Status,\
                   Last Connected (UTC),Remaining (%),Need,Runs Dry,Empty Since\r\n";
    let users = "First,Last,Email,Company,Business Role,Phone,CSP Name,Role,Confirmed,\
                 Two-Step Sign-In,Last Sign-In (UTC),Disabled\r\n";
    for email in [ADMIN, NORTH_ADMIN] {
        let browser = world.signed_in(email).await;
        let seen = |head: &str| {
            if email == ADMIN { head.to_owned() } else { head.replace(",CSP Name", "").replace(",CSP", "") }
        };
        let (_, csv) = file(&browser, &format!("/api/devices/report?type=csv&dsn={NORTH_AQ290}"), None).await;
        let row = "4711,SC-N2,Hotel Aurora,C-9,Lobby,,North,,White Tea,,AQ200 Series 500 mL,500,Aurora Guest,,,Oslo,,\
                   Norway,Offline,,64,,,\r\n";
        let row = if email == ADMIN { row.to_owned() } else { row.replace(",North", "") };
        assert_eq!(unquoted(unmarked(&csv)), seen(devices) + &row, "{email}");

        let (_, csv) = file(&browser, &format!("/api/users/report?type=csv&email={NORTH_GUEST}"), None).await;
        let csv = unquoted(unmarked(&csv));
        assert!(csv.starts_with(&seen(users)), "{email} {csv}");
        assert!(csv.contains(",Aurora,Night porter,+47 1234,"), "a phone number is no formula: {csv}");
        assert!(csv.trim_end().ends_with(",CSP Technician,No,Off,,No"), "{csv}");
    }
}

#[tokio::test]
async fn printed_table_merges_columns_like_the_list() {
    let world = World::start().await;
    for email in [ADMIN, NORTH_ADMIN] {
        let browser = world.signed_in(email).await;
        let (_, page) = file(&browser, &format!("/api/devices/report?type=printable&dsn={NORTH_AQ290}"), None).await;
        let csp = if email == ADMIN { "<td><div>North</div></td>" } else { "<td><div>–</div></td>" };
        let row = format!(
            "<tr><td><div>4711</div><div>SC-N2</div></td><td><div>Hotel Aurora</div><div>C-9</div></td>\
             <td><div>Lobby</div></td>{csp}<td><div>White Tea</div></td>\
             <td><div>AQ200 Series 500 mL</div><div>500</div><div>Aurora Guest</div></td>\
             <td><div>–</div><div>Oslo</div><div>Norway</div></td><td><div>Offline</div></td><td><div>64</div></td></tr>"
        );
        assert!(page.contains(&row), "{email} {page}");
        assert!(page.contains("<dt>DSN</dt><dd>SC-N2</dd>") && page.contains("<dt>Rows</dt><dd>1</dd>"), "{page}");

        let (_, page) = file(&browser, &format!("/api/users/report?type=printable&email={NORTH_GUEST}"), None).await;
        assert!(page.contains("<td><div>Aurora</div><div>Night porter</div></td>"), "{email} {page}");
        assert!(page.contains("<th scope=\"col\"><div>First Last</div></th>"), "{email} {page}");
    }
}

#[tokio::test]
async fn printed_total_counts_all_matching_rows() {
    let world = World::start().await;
    let devices: Vec<_> = (0..300).map(|number| device(&format!("SC-R{number:03}"), Some("East"), "AQ380")).collect();
    world.cloud.operator().add_devices(&world.oem, &devices).await.unwrap();
    world.console.resync().await;
    let browser = world.signed_in(ADMIN).await;
    for (path, total) in [
        ("/api/devices/report?type=printable&csp=East", 300),
        ("/api/devices/report?type=printable&dsn=sc-r", 300),
        ("/api/devices/report?type=printable&csp=South", 1),
        ("/api/users/report?type=printable&csp=North", 4),
        ("/api/csps/report?type=printable&name=no", 1),
    ] {
        let (_, page) = file(&browser, path, None).await;
        assert!(page.contains(&format!("<dt>Rows</dt><dd>{total}</dd>")), "{path}");
        assert_eq!(page.matches("<tr><td>").count(), total, "{path}");
    }
}

#[tokio::test]
async fn report_of_devices_is_grouped_by_customer_on_request() {
    let world = World::start().await;
    let mut stored = device("SC-Z1", Some("East"), "AQ380");
    stored.data.retain(|(key, _)| key != data_keys::CUSTOMER);
    world.cloud.operator().add_devices(&world.oem, &[stored]).await.unwrap();
    world.console.resync().await;
    let mut browser = world.signed_in(ADMIN).await;
    let path = "/api/devices/report?groupBy=customer&orderBy=dsn&order=desc";
    let ascending = items(&mut browser, path, "dsn").await;
    assert_eq!(ascending, items(&mut browser, "/api/devices/report?orderBy=customer&order=asc", "dsn").await);
    let descending = "/api/devices/report?groupBy=customer&orderBy=customer&order=desc";
    assert_eq!(items(&mut browser, descending, "dsn").await, ascending.iter().rev().cloned().collect::<Vec<_>>());

    let (_, page) = file(&browser, &format!("{path}&type=printable"), None).await;
    let headings: Vec<&str> = page.lines().filter(|line| line.starts_with("<tr class=\"group\">")).collect();
    let heading = |customer| format!("<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"9\">{customer}</th></tr>");
    assert_eq!(headings, [heading("No customer"), heading("Hotel Aurora")]);
    assert_eq!(page.matches("<tr><td>").count(), ascending.len());
    let (_, page) = file(&browser, "/api/devices/report?type=printable", None).await;
    assert!(!page.contains("<tr class=\"group\">"), "{page}");

    for query in ["groupBy=city", "groupBy=customer&groupBy=customer"] {
        let answer = browser.get(&format!("/api/devices/report?{query}")).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["groupBy"]), "{query}");
    }
}

#[tokio::test]
async fn report_format_is_chosen_by_type_or_accept() {
    let world = World::start().await;
    let browser = world.signed_in(ADMIN).await;
    let json = ("application/json", None);
    let csv = ("text/csv; charset=utf-8; header=present", Some("attachment; filename=\"report.csv\""));
    let workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let xlsx = (workbook, Some("attachment; filename=\"report.xlsx\""));
    let page = ("text/html; charset=utf-8", Some("attachment; filename=\"report.html\""));
    for path in REPORTS {
        for (query, accept, (content_type, disposition)) in [
            ("", None, json),
            ("?type=json", Some("text/csv"), json),
            ("?type=csv", None, csv),
            ("", Some("text/csv"), csv),
            ("?type=xlsx", None, xlsx),
            ("", Some(workbook), xlsx),
            ("?type=printable", None, page),
            ("", Some("text/html,application/xhtml+xml,*/*;q=0.8"), page),
        ] {
            let (headers, bytes) = bytes_of(&browser, &format!("{path}{query}"), accept).await;
            assert_eq!(headers[CONTENT_TYPE], content_type, "{path}{query}");
            assert_eq!(headers.get(CONTENT_DISPOSITION).map(|value| value.to_str().unwrap()), disposition);
            assert_eq!(
                (&headers["vary"].to_str().unwrap().contains("accept"), &headers["cache-control"]),
                (&true, &"no-store".parse().unwrap())
            );
            assert_eq!(bytes.starts_with(b"<!doctype html>"), content_type.starts_with("text/html"));
            assert_eq!(bytes.starts_with(b"PK"), content_type == workbook);
        }
        for query in ["type=html", "type=csv&type=csv", "order=up", "orderBy=password", "type=pdf&order=up"] {
            let answer = world.signed_in(ADMIN).await.get(&format!("{path}?{query}")).await;
            let fields: Vec<&str> = query.split('&').map(|pair| pair.split('=').next().unwrap()).collect();
            assert!(
                answer.status == 422 && fields.iter().all(|field| answer.fields().contains(field)),
                "{path}?{query}"
            );
        }
    }
}

#[tokio::test]
async fn report_requires_the_right_to_view_the_list() {
    let world = World::start().await;
    let rows: [(&str, [u16; 3]); 7] = [
        (NORTH_ADMIN, [200, 200, 403]),
        (NORTH_OBSERVER, [200, 200, 403]),
        (NORTH_TECH, [200, 403, 403]),
        (NO_ROLE, [403, 403, 403]),
        (END_USER, [403, 403, 403]),
        (ADMIN, [200, 200, 200]),
        (OBSERVER, [200, 200, 200]),
    ];
    for (email, expected) in rows {
        let mut browser = world.signed_in(email).await;
        for (path, status) in REPORTS.iter().zip(expected) {
            for query in ["", "?type=csv", "?type=xlsx", "?type=printable"] {
                assert_eq!(browser.get(&format!("{path}{query}")).await.status, status, "{email} {path}{query}");
            }
        }
    }
    for path in REPORTS {
        assert_eq!(world.browser().get(path).await.status, 401);
    }
}

#[tokio::test]
async fn hostile_names_are_escaped_in_reports() {
    let world = World::start().await;
    let mut browser = world.signed_in(ADMIN).await;
    let names =
        ["=cmd|' /C calc'!A0", "@SUM(1)", "x;=cmd|' /C calc'!A0;y", "<script>alert(1)</script>", "\"quoted\", comma"];
    for name in names {
        let answer = browser.post("/api/csps", &json!({ "name": name })).await;
        assert_eq!(answer.status, 201, "{name}");
    }
    let (_, csv) = file(&browser, "/api/csps/report?type=csv", None).await;
    for cell in [
        "'=cmd|' /C calc'!A0",
        "'@SUM(1)",
        "x;'=cmd|' /C calc'!A0;y",
        "<script>alert(1)</script>",
        "\"\"quoted\"\", comma",
    ] {
        assert!(csv.lines().any(|line| line == format!("\"{cell}\",\"0\",\"0\"")), "{cell}: {csv}");
    }
    let (_, page) = file(&browser, "/api/csps/report?type=printable&name=script", None).await;
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
    let report = browser.get("/api/csps/report?name=SUM").await.body;
    assert_eq!(report["items"][0]["name"], "@SUM(1)", "JSON is no spreadsheet");
}

/// Adds more rows than the server and the network buffer, so that part of the report is read from the database later.
const MORE_ROWS_THAN_BUFFERED: &str = "\
    insert into csps (id, name, name_folded, name_cased, name_look, adopted, created_at) \
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 50000) \
    select printf('%032d', n), printf('%0255d', n), printf('%0255d', n), printf('%0255d', n), printf('%0255d', n), true, 0 from numbers";

async fn csv_has_the_signs_that_its_reader_chose(database: TestDb) {
    let world = fleet::world_with_days(&database).await;
    let mut browser = world.signed_in(ADMIN).await;
    browser.post("/api/csps", &json!({ "name": "x,=1;y" })).await;
    let last_day = async |email: &str| {
        let (_, csv) = file(&world.signed_in(email).await, "/api/fleet/report?days=7&csp=North&type=csv", None).await;
        csv.lines().find(|line| line.contains("All devices") && line.contains("30")).unwrap().to_owned()
    };
    let rows = [
        (json!({}), "\"All devices\",\"\",\"3\"", "\"30.0\"", "\"x,=1;y\",\"0\""),
        (json!({ "csvSeparator": "semicolon" }), "\"All devices\";\"\";\"3\"", "\"30.0\"", "\"x,'=1;y\";\"0\""),
        (json!({ "csvDecimalSign": "comma" }), "\"All devices\";\"\";\"3\"", "\"30,0\"", "\"x,'=1;y\";\"0\""),
        (json!({ "csvSeparator": "tab" }), "\"All devices\"\t\"\"\t\"3\"", "\"30,0\"", "\"x,'=1;y\"\t\"0\""),
    ];
    for (chosen, cells, number, csp) in rows {
        assert_eq!(browser.put("/api/account/list-preferences", &chosen).await.status, 200, "{chosen}");
        let day = last_day(ADMIN).await;
        assert!(day.contains(cells) && day.contains(number), "{chosen}: {day}");
        let (_, csps) = file(&browser, "/api/csps/report?type=csv", None).await;
        assert!(csps.contains(csp), "{chosen}: {csps}");
    }
    assert!(last_day(OBSERVER).await.contains("\"3\",\"0\""), "the signs of somebody else");
}

on_both_databases!(csv_has_the_signs_that_its_reader_chose);

#[tokio::test]
async fn report_ends_with_its_session() {
    let world = World::start().await;
    let db = Db::connect(&world.database).await.unwrap();
    db.execute(MORE_ROWS_THAN_BUFFERED, params![]).await.unwrap();
    let mut browser = world.signed_in(ADMIN).await;
    let mut report =
        browser.request(Method::GET, "/api/csps/report").header(ACCEPT_ENCODING, "identity").send().await.unwrap();
    assert!(report.chunk().await.unwrap().is_some());
    assert_eq!(browser.delete("/api/session").await.status, 204);
    let end = loop {
        match report.chunk().await {
            Ok(Some(_)) => {}
            end => break end,
        }
    };
    assert!(end.is_err(), "a truncated report must end with an error");
}

/// A partial report would look complete.
#[tokio::test]
async fn report_is_refused_while_the_list_is_being_filled() {
    let world = World::start().await;
    let mut browsers = Vec::new();
    for email in FIVE_ROLES {
        browsers.push(world.signed_in(email).await);
    }
    let db = Db::connect(&world.database).await.unwrap();
    db.execute("update idx_sync set users_as_of = null", params![]).await.unwrap();
    let people = browsers[0].get("/api/users/report").await;
    assert_eq!((people.status, people.code()), (503, "not_ready"));
    reindex(&world.database).await.unwrap();
    for browser in &mut browsers {
        let devices = browser.get("/api/devices/report?type=csv").await;
        assert_eq!((devices.status, devices.code()), (503, "not_ready"));
    }
    let csps = browsers[0].get("/api/csps/report").await.body;
    assert_eq!(csps["items"][0]["deviceCount"], Value::Null, "names are the console's own, counts are not");
}

//! Renders a self-contained page for printing: no scripts, no external resources, and all cell contents escaped.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use minijinja::{Environment, Value, context};

use super::table::Position;
use super::{BarChart, Column, Report, instant};
use crate::texts::folding::fold_case;

const PRODUCT_NAME: &str = "Sillage";
const EMPTY_CELL: &str = "–";
const TEMPLATE_ERROR: &str = "the templates are embedded, and tests render each of them";

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    for (name, source) in [("head.html", include_str!("head.html")), ("rows.html", include_str!("rows.html"))] {
        environment.add_template(name, source).expect(TEMPLATE_ERROR);
    }
    environment
});

/// The page up to the first row. `total` is the number of matching rows.
pub(super) fn begin<Item>(report: &Report<Item>, zone: &TimeZone, total: u64, now: Timestamp) -> Vec<u8> {
    let filters: Value = report
        .filters
        .iter()
        .map(|filter| context! { label => filter.label, value => filter.display.as_str() })
        .collect();
    let columns = cells(&report.columns, |column| column.head(zone));
    let style = Value::from_safe_string(include_str!("style.css").to_owned());
    let (title, date, time) = (report.title.as_ref(), now.strftime("%Y-%m-%d"), instant(now));
    let values: Vec<&str> = report.filters.iter().map(|filter| filter.display.as_str()).collect();
    let scope = if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) };
    let document = format!("{PRODUCT_NAME} - {title}{scope}, {date}");
    let footer = format!("{PRODUCT_NAME} - {title}, {date}");
    fill(
        "head.html",
        context! {
            product => PRODUCT_NAME, title, document, footer, style, time, total, filters, columns,
            notice => report.notice.as_deref(), chart => report.chart.as_ref().map(BarChart::drawing),
        },
    )
}

/// Renders the next rows. `group` is the group of the previous row and is updated to that of the last one.
pub(super) fn rows<Item>(
    report: &Report<Item>,
    zone: &TimeZone,
    items: &[Item],
    group: &mut Option<String>,
) -> Vec<u8> {
    let key = |item: &Item| report.grouping.as_ref().map(|grouping| fold_case(&(grouping.value)(item)));
    let sections: Value = items
        .chunk_by(|one, next| key(one) == key(next))
        .map(|items| {
            let key = key(&items[0]);
            let heading = if *group == key { None } else { heading(report, &items[0]) };
            *group = key;
            let rows: Value =
                items.iter().map(|item| cells(&report.columns, |column| column.text(item, zone))).collect();
            context! { heading, rows }
        })
        .collect();
    let width = report.columns.iter().filter(|column| column.position == Position::OwnCell).count();
    fill("rows.html", context! { sections, width })
}

fn heading<Item>(report: &Report<Item>, item: &Item) -> Option<String> {
    report.grouping.as_ref().map(|grouping| match (grouping.value)(item) {
        value if value.is_empty() => grouping.none.to_owned(),
        value => value,
    })
}

/// The lines of each printed cell. An empty first line becomes a dash; other empty lines are left out.
fn cells<Item>(columns: &[Column<Item>], text: impl Fn(&Column<Item>) -> String) -> Value {
    let mut cells: Vec<Vec<String>> = Vec::new();
    for column in columns {
        let text = text(column);
        match (column.position, cells.last_mut()) {
            (Position::Below, Some(lines)) => lines.push(text),
            (Position::Beside(separator), Some(lines)) => join(lines, separator, text),
            _ => cells.push(vec![text]),
        }
    }
    for lines in &mut cells {
        let first = Some(lines.remove(0)).filter(|first| !first.is_empty());
        lines.retain(|line| !line.is_empty());
        lines.insert(0, first.unwrap_or_else(|| EMPTY_CELL.to_owned()));
    }
    cells.into_iter().map(Value::from).collect()
}

/// Appends a text to the last line.
fn join(lines: &mut [String], separator: &str, text: String) {
    match lines.last_mut() {
        Some(line) if line.is_empty() => *line = text,
        Some(line) if !text.is_empty() => line.extend([separator, &text]),
        _ => {}
    }
}

pub(super) const END: &[u8] = b"</tbody>\n</table>\n</body>\n</html>\n";

fn fill(name: &str, content: Value) -> Vec<u8> {
    TEMPLATES.get_template(name).and_then(|page| page.render(content)).expect(TEMPLATE_ERROR).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Operation;
    use crate::reports::{FilterUsed, Grouping};

    type Row = (&'static str, &'static str, &'static str);

    #[test]
    fn notice_and_chart_stand_above_the_table() {
        let chart = BarChart {
            caption: "Use <a day>".to_owned(),
            bars: vec![("Mon".to_owned(), Some(5.0)), ("Tue".to_owned(), None), ("Wed".to_owned(), Some(20.0))],
            text: |used| format!("{used:.1} mL"),
        };
        let notice = Some("Incomplete: 1 & 2.".to_owned());
        let page = page(&Report { notice, chart: Some(chart), ..report(Vec::new(), None) }, &[]);
        let places = [
            "<p class=\"notice\">Incomplete: 1 &amp; 2.</p>",
            "<figcaption>Use &lt;a day&gt;</figcaption>",
            "<svg viewBox=\"0 0 60 100\"",
            "<rect x=\"0\" y=\"75.00\" width=\"16\" height=\"25.00\"><title>Mon: 5.0 mL</title></rect>",
            "<rect x=\"40\" y=\"0.00\" width=\"16\" height=\"100.00\"><title>Wed: 20.0 mL</title></rect>",
            "<span>Mon</span><span>highest: 20.0 mL</span><span>Wed</span>",
            "<table>",
        ]
        .map(|part| page.find(part).unwrap_or_else(|| panic!("{part}: {page}")));
        assert!(places.is_sorted(), "{page}");
        assert!(!page.contains("Tue"), "an unknown value is no bar: {page}");
    }

    fn report(filters: Vec<FilterUsed>, grouping: Option<Grouping<Row>>) -> Report<Row> {
        let columns = vec![
            Column::new("<Name>", |row: &Row| row.0),
            Column::below("City", |row: &Row| row.1),
            Column::beside(", ", "Country", |row: &Row| row.2),
        ];
        Report {
            operation: Operation::ReportDevices,
            title: "Devices".into(),
            notice: None,
            chart: None,
            filters,
            columns,
            grouping,
        }
    }

    /// Renders a report whose rows come in these pages.
    fn page(report: &Report<Row>, pages: &[&[Row]]) -> String {
        let (total, mut group) = (pages.concat().len() as u64, None);
        let mut page = begin(report, &TimeZone::UTC, total, "2026-11-20T12:00:00Z".parse().unwrap());
        for items in pages {
            page.extend(rows(report, &TimeZone::UTC, items, &mut group));
        }
        page.extend(END);
        String::from_utf8(page).unwrap()
    }

    fn csp(display: &str) -> FilterUsed {
        FilterUsed { name: "csp", value: "N".to_owned(), label: "CSP", display: display.to_owned() }
    }

    #[test]
    fn page_title_has_filter_count_and_date() {
        let page = page(&report(vec![csp("North & Sons")], None), &[&[("Aurora", "", ""), ("Borealis", "", "")]]);
        for part in [
            "<title>Sillage - Devices (North &amp; Sons), 2026-11-20</title>",
            "<h1>Devices</h1>",
            "<dt>CSP</dt><dd>North &amp; Sons</dd>",
            "<dt>Rows</dt><dd>2</dd>",
            "<dt>Created</dt><dd>2026-11-20 12:00:00 UTC</dd>",
            "<td><div>Aurora</div></td>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    }

    #[test]
    fn printed_pages_have_numbers_and_repeat_the_header() {
        let page = page(&report(Vec::new(), None), &[]);
        for part in [
            "\"Page \" counter(page) \" of \" counter(pages)",
            "@bottom-left { content: \"Sillage - Devices, 2026-11-20\"; }",
            "thead { display: table-header-group; }",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn related_columns_share_a_printed_cell() {
        let page = page(
            &report(Vec::new(), None),
            &[&[("Aurora", "Oslo", "Norway"), ("", "", "Chile"), ("Borealis", "Oslo", ""), ("", "", "")]],
        );
        for part in [
            "<th scope=\"col\"><div>&lt;Name&gt;</div><div>City, Country</div></th>",
            "<tr><td><div>Aurora</div><div>Oslo, Norway</div></td></tr>",
            "<tr><td><div>–</div><div>Chile</div></td></tr>",
            "<tr><td><div>Borealis</div><div>Oslo</div></td></tr>",
            "<tr><td><div>–</div></td></tr>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn group_has_one_heading_in_any_case_and_across_pages() {
        let grouping = Grouping { value: |row: &Row| row.0.to_owned(), none: "No customer" };
        let page = page(
            &report(Vec::new(), Some(grouping)),
            &[
                &[("", "1", ""), ("Aurora", "2", "")],
                &[("AURORA", "3", ""), ("Borealis", "4", "")],
                &[("Borealis", "5", "")],
            ],
        );
        let headings: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"1\">"))
            .collect();
        assert_eq!(headings, ["No customer</th></tr>", "Aurora</th></tr>", "Borealis</th></tr>"], "{page}");
        assert_eq!(page.matches("<td>").count(), 5);
        assert_eq!(page.matches("<tbody>").count(), page.matches("</tbody>").count());
    }

    #[test]
    fn cell_text_is_escaped() {
        let evil = "</td><script>alert('1')</script><img src=x onerror=\"alert(1)\"> {{ 7 * 7 }}";
        let grouping = Grouping { value: |row: &Row| row.0.to_owned(), none: "" };
        let page = page(&report(vec![csp(evil)], Some(grouping)), &[&[(evil, evil, evil)]]);
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<Name>"), "{page}");
        assert_eq!(page.matches("{{ 7 * 7 }}").count(), 6, "{page}");
        assert!(!page.contains("http:") && !page.contains("https:"), "nothing is loaded");
    }

    #[test]
    fn empty_report_contains_a_notice() {
        let page = page(&report(Vec::new(), None), &[]);
        assert!(
            page.contains("<dt>Filters</dt><dd>None</dd>")
                && page.contains("<dt>Rows</dt><dd>0</dd>")
                && !page.contains("<td>"),
            "{page}"
        );
    }
}

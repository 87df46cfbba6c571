//! A page to print that stands for itself: no script, nothing loaded, and whatever a cell says is text.

use std::sync::LazyLock;

use jiff::Timestamp;
use minijinja::{Environment, Value, context};

use super::{Column, Report, instant};

const PRODUCT_NAME: &str = "Sillage";
const OURS: &str = "the templates are part of the program, and the tests fill each of them";

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    for (name, source) in [("head.html", include_str!("head.html")), ("rows.html", include_str!("rows.html"))] {
        environment.add_template(name, source).expect(OURS);
    }
    environment
});

pub(super) fn begin<Item>(report: &Report<Item>, now: Timestamp) -> Vec<u8> {
    let filters: Value = report
        .filters
        .iter()
        .map(|filter| context! { label => filter.label, words => filter.words.as_str() })
        .collect();
    let columns: Value = report.columns.iter().map(|column| column.head).collect();
    let style = Value::from_safe_string(include_str!("style.css").to_owned());
    let time = instant(now);
    fill("head.html", context! { product => PRODUCT_NAME, title => report.title, style, time, filters, columns })
}

pub(super) fn rows<Item>(columns: &[Column<Item>], items: &[Item]) -> Vec<u8> {
    let cells = |item| columns.iter().map(|column| (column.text)(item)).collect::<Value>();
    fill("rows.html", context! { rows => items.iter().map(cells).collect::<Value>() })
}

pub(super) const END: &[u8] = b"</tbody>\n</table>\n</body>\n</html>\n";

fn fill(name: &str, content: Value) -> Vec<u8> {
    TEMPLATES.get_template(name).and_then(|page| page.render(content)).expect(OURS).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::FilterUsed;

    fn page(filters: Vec<FilterUsed>, items: &[&str]) -> String {
        let columns: Vec<Column<&str>> = vec![
            Column { head: "Name", text: |name| (*name).to_owned() },
            Column { head: "<Head>", text: |_| String::new() },
        ];
        let report = Report { title: "Devices", filters, columns };
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        let parts = [begin(&report, now), rows(&report.columns, items), END.to_vec()];
        String::from_utf8(parts.concat()).unwrap()
    }

    #[test]
    fn a_page_says_what_it_is_and_when_it_was_made() {
        let filter = FilterUsed { name: "csp", value: "N".to_owned(), label: "CSP", words: "North & Sons".to_owned() };
        let page = page(vec![filter], &["Aurora"]);
        for part in [
            "<title>Sillage - Devices</title>",
            "2026-11-20 12:00:00 UTC",
            "<dt>CSP</dt>",
            "North &amp; Sons",
            "<td>Aurora</td>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    }

    #[test]
    fn whatever_a_cell_says_is_text() {
        let evil = "</td><script>alert('1')</script><img src=x onerror=\"alert(1)\"> {{ 7 * 7 }}";
        let filter = FilterUsed { name: "csp", value: String::new(), label: "CSP", words: evil.to_owned() };
        let page = page(vec![filter], &[evil]);
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<Head>"), "{page}");
        assert_eq!(page.matches("{{ 7 * 7 }}").count(), 2, "{page}");
        assert!(!page.contains("http:") && !page.contains("https:"), "nothing is loaded");
    }

    #[test]
    fn a_report_of_nothing_says_so() {
        let page = page(Vec::new(), &[]);
        assert!(page.contains("No filters") && !page.contains("<td>"), "{page}");
    }
}

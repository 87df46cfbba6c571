//! The warning that stands above every page while the operator has one to give (A-79).

/// As the web's page has it.
const HIDDEN: &str = " hidden>__MAINTENANCE__<";

/// Longer texts would push the page away on a phone.
const LONGEST_CHARS: usize = 300;

/// What `MAINTENANCE_MESSAGE` says; empty by default, which leaves the banner hidden.
#[derive(Clone, Debug, Default)]
pub(crate) struct MaintenanceBanner {
    /// What replaces [`HIDDEN`].
    markup: String,
}

impl MaintenanceBanner {
    /// `None` when the message is too long.
    pub(crate) fn new(message: &str) -> Option<Self> {
        let message = message.trim();
        let markup = match message.chars().count() {
            0 => " hidden><".to_owned(),
            1..=LONGEST_CHARS => format!(">{}<", escaped(message)),
            _ => return None,
        };
        Some(Self { markup })
    }

    /// The page with its banner.
    pub(crate) fn write_into(&self, page: &str) -> String {
        page.replacen(HIDDEN, &self.markup, 1)
    }
}

/// As text between two tags, where nothing else means anything.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<aside id="maintenance" hidden>__MAINTENANCE__</aside>"#;

    #[test]
    fn the_banner_is_hidden_until_there_is_a_message() {
        let rows = [
            ("", r#"<aside id="maintenance" hidden></aside>"#),
            (" \n", r#"<aside id="maintenance" hidden></aside>"#),
            ("Back at 10:00", r#"<aside id="maintenance">Back at 10:00</aside>"#),
            ("A & B </aside><b>", r#"<aside id="maintenance">A &amp; B &lt;/aside&gt;&lt;b&gt;</aside>"#),
        ];
        for (message, expected) in rows {
            assert_eq!(MaintenanceBanner::new(message).unwrap().write_into(PAGE), expected, "{message:?}");
        }
    }

    #[test]
    fn a_message_that_is_too_long_is_refused() {
        assert!(MaintenanceBanner::new(&"ü".repeat(300)).is_some());
        assert!(MaintenanceBanner::new(&"ü".repeat(301)).is_none());
    }
}

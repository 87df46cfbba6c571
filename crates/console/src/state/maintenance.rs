//! The operator's maintenance banner on every page (A-79).

/// The hidden banner in the web's page.
const HIDDEN: &str = " hidden>__MAINTENANCE__<";

/// Longer texts would fill the screen of a phone.
const MAX_CHARS: usize = 300;

/// The text of `MAINTENANCE_MESSAGE`; empty by default, which hides the banner.
#[derive(Clone, Debug, Default)]
pub(crate) struct MaintenanceBanner {
    /// Replaces [`HIDDEN`].
    markup: String,
}

impl MaintenanceBanner {
    /// `None` when the message is too long.
    pub(crate) fn new(message: &str) -> Option<Self> {
        let message = message.trim();
        let markup = match message.chars().count() {
            0 => " hidden><".to_owned(),
            1..=MAX_CHARS => format!(">{}<", escaped(message)),
            _ => return None,
        };
        Some(Self { markup })
    }

    /// Inserts the banner into the page.
    pub(crate) fn write_into(&self, page: &str) -> String {
        page.replacen(HIDDEN, &self.markup, 1)
    }
}

/// Escapes text between two tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<aside id="maintenance" hidden>__MAINTENANCE__</aside>"#;

    #[test]
    fn banner_is_hidden_without_a_message() {
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
    fn overlong_message_is_refused() {
        assert!(MaintenanceBanner::new(&"ü".repeat(300)).is_some());
        assert!(MaintenanceBanner::new(&"ü".repeat(301)).is_none());
    }
}

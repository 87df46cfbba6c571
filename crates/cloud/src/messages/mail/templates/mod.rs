//! The texts of the messages. Each kind has one text file, from which its HTML is generated, so that both have the same
//! content.

use minijinja::{Environment, Error, UndefinedBehavior, Value, context};

use super::{AccountMail, Branding, token_page};
use crate::records::message::{MessageKind, MessageText};

const LAYOUT: &str = "layout.html";
const OURS: &str = "the templates are part of the program, and its tests write each of them";

/// The templates, parsed once.
#[derive(Debug)]
pub(super) struct Templates(Environment<'static>);

impl Templates {
    pub(super) fn new() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        for (name, source) in TEMPLATES {
            environment.add_template(name, source).expect(OURS);
        }
        Self(environment)
    }

    /// Renders a mail with or without a link.
    pub(super) fn write(&self, mail: &AccountMail<'_>, branding: &Branding, link: Option<&str>) -> MessageText {
        let Branding { product, console_url } = branding;
        let time = mail.time.map(|time| time.strftime("%-d %B %Y at %H:%M UTC").to_string());
        let known = context! { product, console => console_url, link, time, inviter => mail.inviter };
        let [subject, action, body] = self.parts(mail.kind, &known).expect(OURS);
        self.lay_out(product, subject, body, link.zip(Some(&*action)))
    }

    /// Renders the HTML of a message. `link` is the paragraph that becomes a button, and the label of the button.
    pub(super) fn lay_out(
        &self,
        product: &str,
        subject: String,
        body: String,
        link: Option<(&str, &str)>,
    ) -> MessageText {
        let (link, action) = link.unzip();
        let paragraphs: Value = body.split("\n\n").collect();
        let content = context! { product, link, action, subject => &subject, paragraphs };
        let html = self.0.get_template(LAYOUT).and_then(|layout| layout.render(content)).expect(OURS);
        MessageText { subject, body, html }
    }

    fn parts(&self, kind: MessageKind, known: &Value) -> Result<[String; 3], Error> {
        let mut rendered = self.0.get_template(kind.as_str())?.render_captured(known)?;
        let mut part =
            |name| rendered.with_state_mut(|state| state.render_block(name)).map(|text| text.trim().to_owned());
        let action = if token_page(kind).is_some() { part("action")? } else { String::new() };
        Ok([part("subject")?, action, part("body")?])
    }
}

/// By message kind, plus the layout.
const TEMPLATES: [(&str, &str); 10] = [
    ("confirmation", include_str!("confirmation.txt")),
    ("invitation", include_str!("invitation.txt")),
    ("password_reset", include_str!("password_reset.txt")),
    ("email_change_requested", include_str!("email_change_requested.txt")),
    ("email_confirmation", include_str!("email_confirmation.txt")),
    ("email_changed", include_str!("email_changed.txt")),
    ("password_changed", include_str!("password_changed.txt")),
    ("sign_in_locked", include_str!("sign_in_locked.txt")),
    ("test", include_str!("test.txt")),
    (LAYOUT, include_str!("layout.html")),
];

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [MessageKind; 9] = [
        MessageKind::Confirmation,
        MessageKind::Invitation,
        MessageKind::PasswordReset,
        MessageKind::EmailChangeRequested,
        MessageKind::EmailConfirmation,
        MessageKind::EmailChanged,
        MessageKind::PasswordChanged,
        MessageKind::SignInLocked,
        MessageKind::Test,
    ];
    const LINK: &str = "https://console.example.com/password/set?token=0a1b";

    fn write(kind: MessageKind, product: &str) -> MessageText {
        let console_url = "https://console.example.com".to_owned();
        let branding = Branding { product: product.to_owned(), console_url };
        let mail = AccountMail {
            kind,
            oem_id: 1,
            user_id: None,
            recipient: "jo@example.com",
            token: None,
            time: "2026-11-20T09:05:00Z".parse().ok(),
            inviter: Some("Ada Admin (North)"),
            email_template_id: None,
        };
        let words = Templates::new().write(&mail, &branding, Some(LINK));
        // As a browser displays it.
        MessageText { html: words.html.replace("&#x2f;", "/"), ..words }
    }

    #[test]
    fn every_message_kind_names_the_product_and_has_equal_text_and_html() {
        for kind in KINDS {
            let words = write(kind, "Sillage");
            assert!(!words.subject.is_empty() && !words.subject.contains('\n'), "{words:?}");
            assert!(words.body.contains("Sillage") && !words.body.contains("{"), "{words:?}");
            for paragraph in words.body.split("\n\n").filter(|paragraph| *paragraph != LINK) {
                assert!(words.html.contains(&format!("<p>{paragraph}</p>")), "{paragraph}\n{}", words.html);
            }
            assert!(words.html.contains(&words.subject) && words.html.starts_with("<!doctype html>"));
        }
    }

    #[test]
    fn only_messages_with_a_token_have_a_link_and_a_labelled_button() {
        for kind in KINDS {
            let words = write(kind, "Sillage");
            let button = words.html.lines().find(|line| line.contains("<a href"));
            assert_eq!(words.body.split("\n\n").any(|paragraph| paragraph == LINK), token_page(kind).is_some());
            assert_eq!(button.is_some(), token_page(kind).is_some());
            if let Some(button) = button {
                assert!(button.contains(&format!(r#"href="{LINK}""#)) && !button.contains(">https:"), "{button}");
                assert!(!button.contains("></a>"), "{button}");
            }
        }
    }

    #[test]
    fn mail_about_a_lock_says_when_for_how_long_and_what_to_do() {
        let words = write(MessageKind::SignInLocked, "Sillage");
        for part in ["since 20 November 2026 at 09:05 UTC", "rests for 30 minutes", "/password/reset", "nothing to do"]
        {
            assert!(words.body.contains(part), "{part}\n{}", words.body);
        }
    }

    #[test]
    fn html_escapes_markup_in_values() {
        let words = write(MessageKind::Invitation, "A <b>&");
        assert!(words.body.contains("A <b>&") && words.subject.contains("A <b>&"));
        assert!(words.html.contains("A &lt;b&gt;&amp;") && !words.html.contains("<b>"), "{}", words.html);
        assert!(words.body.contains("Ada Admin (North) has created"), "{}", words.body);
    }
}

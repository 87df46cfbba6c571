//! Messages to recipients that a user entered, who need no account: about devices, from rules, or to test delivery.

use jiff::Timestamp;
use platform::db::{Result, Tx};

use super::Mail;
use crate::messages::sms::{self, PhoneNumber};
use crate::records::message::{Channel, MessageKind, MessageText};
use crate::store::outbox::{self, NewMessage};

/// Maximum number of texts in memory at the same time.
const BATCH: usize = 128;

/// The recipient of a message.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Address {
    Email(String),
    Phone(PhoneNumber),
}

/// A message to a recipient that a user entered.
#[derive(Clone)]
pub(crate) struct Notice {
    pub(crate) kind: MessageKind,
    pub(crate) oem_id: i64,
    /// The user who wrote the text, if a user did.
    pub(crate) user_id: Option<i64>,
    pub(crate) to: Address,
    /// Subject of an e-mail. Control characters are replaced with blanks.
    pub(crate) subject: String,
    /// An introduction that the user configured.
    pub(crate) opening: Option<String>,
    /// The event, or the whole text.
    pub(crate) sentence: String,
    /// How often the event happened, if more than once.
    pub(crate) remark: Option<String>,
    /// The template that the user named. It is stored with the message, but our own template is used.
    pub(crate) email_template_id: Option<String>,
}

impl Mail {
    /// Writes the messages to the outbox within the caller's transaction.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn enqueue_notices(&self, tx: &mut Tx, notices: &[Notice], now: Timestamp) -> Result<()> {
        for batch in notices.chunks(BATCH) {
            let texts: Vec<MessageText> = batch.iter().map(|notice| self.text(notice)).collect();
            let messages = batch.iter().zip(&texts).map(|(notice, text)| NewMessage {
                id: self.0.random.uuid_at(now),
                oem_id: notice.oem_id,
                user_id: notice.user_id,
                kind: notice.kind,
                channel: notice.to.channel(),
                recipient: notice.to.as_str(),
                text,
                link: None,
                email_template_id: notice.email_template_id.as_deref(),
                state: self.initial_state(notice.to.channel()),
                now,
            });
            outbox::insert(tx, &messages.collect::<Vec<_>>()).await?;
        }
        Ok(())
    }

    fn text(&self, notice: &Notice) -> MessageText {
        let Notice { subject, opening, sentence, remark, .. } = notice;
        let parts = opening.as_deref().into_iter().chain([sentence.as_str()]).chain(remark.as_deref());
        match notice.to {
            Address::Email(_) => {
                let product = self.product();
                let closing = match notice.kind {
                    MessageKind::Rule => {
                        format!("A rule at {product} wrote this message for somebody who gave it your address.")
                    }
                    _ => format!("This address receives notifications of {product}."),
                };
                let body = parts.chain([&*closing]).collect::<Vec<_>>().join("\n\n");
                let subject = subject.replace(char::is_control, " ");
                self.0.templates.lay_out(&product, subject, body, None)
            }
            Address::Phone(_) => {
                let body = sms::truncated(&parts.collect::<Vec<_>>().join(" "));
                MessageText { subject: String::new(), body, html: String::new() }
            }
        }
    }
}

impl Address {
    pub(crate) fn channel(&self) -> Channel {
        match self {
            Self::Email(_) => Channel::Email,
            Self::Phone(_) => Channel::Sms,
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Email(address) => address,
            Self::Phone(number) => number.as_str(),
        }
    }
}

#[cfg(test)]
mod tests {
    use platform::run::random::Random;

    use super::*;
    use crate::messages::mail::Branding;

    fn written(notice: &Notice) -> MessageText {
        let branding = Branding { product: "Sillage".to_owned(), ..Branding::default() };
        Mail::new(branding, Channel::ALL, Random::seeded(1)).text(notice)
    }

    fn words(to: Address, opening: Option<&str>) -> MessageText {
        written(&Notice {
            kind: MessageKind::Value,
            oem_id: 1,
            user_id: None,
            to,
            subject: "Lobby\r\nBcc: all@example.com".to_owned(),
            opening: opening.map(str::to_owned),
            sentence: "It is <b>19</b>.".to_owned(),
            remark: None,
            email_template_id: None,
        })
    }

    fn jo() -> Address {
        Address::Email("jo@example.com".to_owned())
    }

    #[test]
    fn email_names_the_product_and_escapes_headers_and_markup() {
        let words = words(jo(), Some("Call Lee."));
        assert_eq!(words.subject, "Lobby  Bcc: all@example.com");
        assert_eq!(words.body, "Call Lee.\n\nIt is <b>19</b>.\n\nThis address receives notifications of Sillage.");
        assert!(words.html.contains("<p>Call Lee.</p>") && words.html.contains("It is &lt;b&gt;19"), "{}", words.html);
        assert!(!words.html.contains("<a href"), "{}", words.html);
    }

    #[test]
    fn user_text_is_not_interpreted_as_header_template_or_markup() {
        let body = "<b>{{ console }}</b>\n\n{% include 'test' %}";
        let words = written(&Notice {
            kind: MessageKind::Rule,
            oem_id: 1,
            user_id: Some(1),
            to: jo(),
            subject: "{{ product }}\r\nBcc: all@example.com".to_owned(),
            opening: None,
            sentence: body.to_owned(),
            remark: None,
            email_template_id: None,
        });
        assert_eq!(words.subject, "{{ product }}  Bcc: all@example.com");
        let closing = "A rule at Sillage wrote this message for somebody who gave it your address.";
        assert_eq!(words.body, format!("{body}\n\n{closing}"));
        assert!(words.html.contains("<p>&lt;b&gt;{{ console }}") && !words.html.contains("<b>"), "{}", words.html);
    }

    #[test]
    fn sms_is_one_line_within_the_length_limit() {
        let phone = || Address::Phone(PhoneNumber::new("1", "4145550100").unwrap());
        assert_eq!(words(phone(), None).body, "It is <b>19</b>.");
        assert_eq!(words(phone(), Some("Call Lee.")).body, "Call Lee. It is <b>19</b>.");
        assert!(words(phone(), Some(&"x".repeat(5_000))).body.chars().count() <= 1_600);
    }
}

//! The HTML of the mailbox.

use minijinja::{Environment, Value, context};
use platform::run::clock::from_micros;

use crate::records::message::Channel;
use crate::store::outbox::MessageRow;

const OURS: &str = "the templates are part of the program, and the tests fill each of them";

/// The templates, parsed once.
pub(super) struct Pages(Environment<'static>);

impl Pages {
    pub(super) fn new() -> Self {
        let mut environment = Environment::new();
        for (name, source) in [
            ("frame.html", include_str!("frame.html")),
            ("list.html", include_str!("list.html")),
            ("message.html", include_str!("message.html")),
        ] {
            environment.add_template(name, source).expect(OURS);
        }
        Self(environment)
    }

    pub(super) fn list(&self, path: &str, rows: &[MessageRow]) -> String {
        let messages: Value = rows.iter().map(message).collect();
        self.fill("list.html", context! { path, messages })
    }

    pub(super) fn message(&self, path: &str, row: &MessageRow) -> String {
        let paragraphs: Value = row.body.split("\n\n").collect();
        self.fill("message.html", context! { path, message => message(row), paragraphs })
    }

    fn fill(&self, name: &str, content: Value) -> String {
        self.0.get_template(name).and_then(|page| page.render(content)).expect(OURS)
    }
}

fn message(row: &MessageRow) -> Value {
    let MessageRow { id, recipient, link, last_error, .. } = row;
    let is_text = row.channel == Channel::Sms.as_str();
    let subject = if is_text { "Text message" } else { &row.subject };
    let written = from_micros(row.created_at);
    let state = match &*row.state {
        "kept" if is_text => "Not sent: no text gateway",
        "kept" => "Not sent: no mail server",
        "waiting" => "Waiting to be sent",
        "sent" => "Sent",
        _ => "Given up",
    };
    context! {
        id, recipient, subject, link, last_error, state,
        written => written.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        written_for_people => written.strftime("%-d %b %Y, %H:%M UTC").to_string(),
    }
}

//! Messages in somebody's own words, to whomever they name: the recipients need no account.

use jiff::Timestamp;
use platform::db::{Result, Tx};

use super::{Channel, Kind, Mail, Words};
use crate::store::outbox::{self, NewMessage};

/// A message in a user's own words.
#[derive(Clone, Copy)]
pub(crate) struct OwnLetter<'a> {
    pub(crate) kind: Kind,
    pub(crate) oem_id: i64,
    /// Whose words they are.
    pub(crate) user_id: i64,
    /// The address that it goes to.
    pub(crate) recipient: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) body: &'a str,
}

impl Mail {
    /// Puts the message into the outbox: there exactly when the caller's transaction is committed.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn enqueue_own(&self, tx: &mut Tx, letter: OwnLetter<'_>, now: Timestamp) -> Result<()> {
        let message = NewMessage {
            id: self.0.random.uuid_at(now),
            oem_id: letter.oem_id,
            user_id: Some(letter.user_id),
            kind: letter.kind,
            channel: Channel::Email,
            recipient: letter.recipient,
            words: &self.own_words(letter),
            link: None,
            email_template_id: None,
            state: self.begins_as(Channel::Email),
            now,
        };
        outbox::insert(tx, &[message]).await
    }

    fn own_words(&self, OwnLetter { subject, body, .. }: OwnLetter<'_>) -> Words {
        let product = self.product();
        let body = format!("{body}\n\nA rule at {product} wrote this message for somebody who gave it your address.");
        self.0.templates.lay_out(&product, subject.to_owned(), body, None)
    }
}

#[cfg(test)]
mod tests {
    use platform::random::Random;

    use super::*;
    use crate::mail::Letterhead;

    #[test]
    fn what_somebody_says_is_neither_template_nor_markup() {
        let mail = Mail::new(Letterhead::default(), Channel::ALL, Random::seeded(1));
        let (subject, body) = ("{{ product }}", "<b>{{ console }}</b>\n\n{% include 'test' %}");
        let letter = OwnLetter { kind: Kind::Rule, oem_id: 1, user_id: 1, recipient: "jo@example.com", subject, body };
        let words = mail.own_words(letter);
        assert_eq!(words.subject, subject);
        assert!(words.body.starts_with(body), "{}", words.body);
        assert!(words.html.contains("<p>&lt;b&gt;{{ console }}") && !words.html.contains("<b>"), "{}", words.html);
    }
}

//! Messages of the outbox, as tests read them.

use platform::db::{Db, params};

/// A message of the outbox.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub struct TestMessage {
    /// `confirmation`, `invitation`, `password_reset`, `email_change_requested`, `email_confirmation`, `email_changed`,
    /// `password_changed`, `sign_in_locked`, `connection`, `value`, `rule` or `budget`.
    pub kind: String,
    /// `email` or `sms`.
    pub channel: String,
    /// The e-mail address or phone number of the recipient.
    pub recipient: String,
    /// Its subject.
    pub subject: String,
    /// Its plain text.
    pub body: String,
    /// The console page that accepts its token.
    pub link: Option<String>,
    /// The template that the caller named.
    pub email_template_id: Option<String>,
    /// `kept`, `waiting`, `sent` or `failed`.
    pub state: String,
    /// The number of delivery attempts.
    pub attempts: i64,
    /// The last delivery error.
    pub last_error: Option<String>,
}

impl TestMessage {
    pub(super) async fn all(db: &Db) -> Vec<Self> {
        let sql = "select kind, channel, recipient, subject, body, link, email_template_id, state, attempts, last_error
                   from outbox order by id";
        db.fetch_all(sql, params![]).await.expect("a database")
    }

    /// The token in its link.
    ///
    /// # Panics
    /// If it has none.
    #[must_use]
    pub fn token(&self) -> &str {
        let link = self.link.as_deref().expect("a link");
        link.split_once("?token=").expect("a token").1
    }
}

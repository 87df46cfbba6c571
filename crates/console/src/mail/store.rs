//! The table `mails`: those that the mail server has not accepted yet.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};
use platform::mail::OutgoingMail;
use platform::run::clock::from_micros;
use sqlx_macros::FromRow;

use super::Mail;

/// A mail whose next attempt is due.
#[derive(Clone, Debug, FromRow)]
pub(super) struct DueMail {
    pub(super) id: String,
    pub(super) recipient: String,
    pub(super) subject: String,
    pub(super) body: String,
    pub(super) created_at: i64,
    pub(super) attempts: i64,
    pub(super) due_at: i64,
}

impl DueMail {
    /// As the mail server gets it.
    pub(super) fn outgoing(&self) -> OutgoingMail<'_> {
        OutgoingMail {
            id: &self.id,
            recipient: &self.recipient,
            subject: &self.subject,
            body: &self.body,
            html: None,
            written_at: from_micros(self.created_at),
        }
    }
}

pub(super) async fn insert(tx: &mut Tx, mail: &Mail) -> Result<()> {
    let sql = "insert into mails (id, recipient, subject, body, created_at, due_at) values ($1, $2, $3, $4, $5, $5)";
    tx.execute(sql, params![&mail.id, &mail.recipient, &mail.subject, &mail.body, mail.written_at]).await?;
    Ok(())
}

/// The mails that are due, the oldest first.
pub(super) async fn due(db: &Db, now: Timestamp, limit: i64) -> Result<Vec<DueMail>> {
    let sql = "select id, recipient, subject, body, created_at, attempts, due_at from mails \
               where due_at <= $1 order by due_at, id limit $2";
    db.fetch_all(sql, params![now, limit]).await
}

/// Claims an attempt, which another node may repeat after `until` if this one does not end it. False if another node has claimed it.
pub(super) async fn claim(db: &Db, mail: &DueMail, until: Timestamp) -> Result<bool> {
    let sql = "update mails set attempts = attempts + 1, due_at = $3 where id = $1 and due_at = $2";
    Ok(db.execute(sql, params![&mail.id, mail.due_at, until]).await? > 0)
}

/// Ends an attempt that failed: the next one is due then.
pub(super) async fn postpone(db: &Db, mail: &DueMail, next: Timestamp) -> Result<()> {
    db.execute("update mails set due_at = $2 where id = $1", params![&mail.id, next]).await?;
    Ok(())
}

/// Deletes a mail that is delivered or given up.
pub(super) async fn delete(db: &Db, mail: &DueMail) -> Result<()> {
    db.execute("delete from mails where id = $1", params![&mail.id]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Timestamp {
        format!("2026-11-20T{time}Z").parse().unwrap()
    }

    async fn mail_is_due_once_for_each_attempt(db: Db) {
        let mail = Mail {
            id: "m".to_owned(),
            recipient: "tess@example.com".to_owned(),
            subject: "Subject".to_owned(),
            body: "Body".to_owned(),
            written_at: at("12:00:00"),
        };
        db.write(|mut tx| {
            let mail = mail.clone();
            async move {
                insert(&mut tx, &mail).await?;
                tx.commit().await
            }
        })
        .await
        .unwrap();
        assert!(due(&db, at("11:59:59"), 10).await.unwrap().is_empty());
        let [found] = due(&db, at("12:00:00"), 10).await.unwrap().try_into().unwrap();
        assert_eq!((found.recipient.as_str(), found.attempts), ("tess@example.com", 0));
        assert!(claim(&db, &found, at("12:01:00")).await.unwrap());
        assert!(!claim(&db, &found, at("12:01:00")).await.unwrap(), "by another node");
        assert!(due(&db, at("12:00:59"), 10).await.unwrap().is_empty());
        let [again] = due(&db, at("12:01:00"), 10).await.unwrap().try_into().unwrap();
        assert_eq!(again.attempts, 1);
        postpone(&db, &again, at("12:00:30")).await.unwrap();
        assert_eq!(due(&db, at("12:00:30"), 10).await.unwrap().len(), 1);
        delete(&db, &again).await.unwrap();
        assert!(due(&db, at("13:00:00"), 10).await.unwrap().is_empty());
    }

    platform::store_suite!(migrate = crate::migrations::migrate, tests = [mail_is_due_once_for_each_attempt]);
}

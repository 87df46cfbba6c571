//! Tells people of items that somebody else has assigned to them.

use std::fmt::Write;

use diffuser::Role;
use jiff::{SignedDuration, Timestamp};
use platform::db::{Db, Result, Tx, params};
use platform::run::clock::from_micros;
use sqlx_macros::FromRow;
use uuid::Uuid;

use super::digest_store;
use super::digests::{Digests, MAX_ITEMS};
use super::item_list;
use crate::index;
use crate::mail::{self, Mail};
use crate::policy::{Actor, Scope};
use crate::preferences;
use crate::state::CoreState;

/// The time from an assignment to its mail. What is assigned meanwhile is in the same mail, so nobody gets more than six in an hour.
const WAIT: SignedDuration = SignedDuration::from_mins(10);
/// Maximum number of people who are told between two looks at the clock.
const BATCH: i64 = 20;

/// When a person to whom the actor assigns items is told. `None` if the person wants no mails, or is the actor.
///
/// # Errors
/// Database errors.
pub(super) async fn tell_at(state: &CoreState, actor: &Actor, person: Uuid) -> Result<Option<Timestamp>> {
    let is_told = person != actor.user && preferences::wants_assignment_mails(&state.base.db, person).await?;
    Ok(is_told.then(|| state.base.clock.now() + WAIT))
}

/// A person to notify, as the index knows them; without a role if disabled.
#[derive(FromRow)]
struct Person {
    user_id: String,
    email: Option<String>,
    role: Option<String>,
    csp: Option<String>,
}

/// The open items of which a person was not told.
struct Untold {
    /// The latest that were assigned, as many as a mail has.
    ids: Vec<Uuid>,
    count: u64,
    /// When the last of them was to be told.
    until: Timestamp,
}

impl Digests {
    /// Tells a batch of people of their new items. Returns how many mails this node has stored.
    pub(crate) async fn send_assigned(&self) -> Result<u32> {
        let (db, now) = (&self.core.base.db, self.core.base.clock.now());
        // An index that is being filled lacks addresses.
        if index::people_as_of(db).await?.is_none() {
            return Ok(0);
        }
        let sql = "select i.assignee as user_id, u.email, case when a.disabled_at is null then u.role end as role, u.csp from \
                   (select distinct assignee from attention_items where tell_at <= $1) i \
                   left join idx_users u on u.id = i.assignee \
                   left join account_states a on a.user_id = i.assignee order by i.assignee limit $2";
        let people: Vec<Person> = db.fetch_all(sql, params![now, BATCH]).await?;
        let mut sent = 0;
        for person in &people {
            let untold = untold(db, &person.user_id).await?;
            let mail = match &untold {
                Some(untold) => self.assigned_mail(person, untold).await?,
                None => None,
            };
            let until = untold.map_or(now, |untold| untold.until);
            sent += u32::from(finish(db, &person.user_id, until, mail.as_ref()).await?);
        }
        self.core.mailer.wake_delivery();
        Ok(sent)
    }

    /// `None` if the person may see none of the items, or was removed.
    async fn assigned_mail(&self, person: &Person, untold: &Untold) -> Result<Option<Mail>> {
        let Person { user_id, email, role, csp } = person;
        let db = &self.core.base.db;
        let Some(email) = email else { return Ok(None) };
        let scope = Scope::of(role.as_deref().and_then(Role::from_name), csp.as_deref());
        let mut items = item_list::find(db, scope, &untold.ids).await?;
        if items.is_empty() {
            return Ok(None);
        }
        items.sort_by_key(|item| (std::cmp::Reverse(item.severity), std::cmp::Reverse(item.id)));
        let digest = match user_id.parse() {
            Ok(user) => digest_store::find(db, user).await?,
            Err(_) => None,
        };
        let zone = digest.map_or_else(|| "UTC".to_owned(), |time| time.time_zone);
        let mut body: String = items.iter().map(|item| self.entry(item, &zone)).collect();
        if untold.count > untold.ids.len() as u64 {
            let _ = writeln!(body, "There are further items: {}\n", self.page("attention?assignee=me"));
        }
        let _ = writeln!(
            body,
            "You get this mail because somebody has assigned these items to you. Change or end it: {}",
            self.page("account?tab=digest")
        );
        let subject = match untold.count {
            1 => "Assigned to you: 1 item".to_owned(),
            count => format!("Assigned to you: {count} items"),
        };
        Ok(self.core.mailer.write(email, &subject, body))
    }
}

async fn untold(db: &Db, person: &str) -> Result<Option<Untold>> {
    let sql = "select id, tell_at from attention_items where assignee = $1 and tell_at is not null and closed_at is null \
               order by tell_at desc, severity desc, id desc limit $2";
    let rows: Vec<(String, i64)> = db.fetch_all(sql, params![person, MAX_ITEMS]).await?;
    let Some((_, until)) = rows.first() else { return Ok(None) };
    let sql = "select count(*) from attention_items where assignee = $1 and tell_at <= $2 and closed_at is null";
    let (count,): (i64,) = db.fetch_one(sql, params![person, *until]).await?;
    let until = from_micros(*until);
    let ids = rows.into_iter().filter_map(|(id, _)| id.parse().ok()).collect();
    Ok(Some(Untold { ids, count: count.unsigned_abs(), until }))
}

/// Stores that the person was told of the items until then, and the mail if this node is the first. Returns whether it stored one.
async fn finish(db: &Db, person: &str, until: Timestamp, mail: Option<&Mail>) -> Result<bool> {
    db.write(|mut tx: Tx| async move {
        let sql = "update attention_items set tell_at = null where assignee = $1 and tell_at <= $2";
        let is_first = tx.execute(sql, params![person, until]).await? > 0;
        if is_first {
            mail::store(&mut tx, mail).await?;
        }
        tx.commit().await?;
        Ok(is_first && mail.is_some())
    })
    .await
}

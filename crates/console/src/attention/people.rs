//! The people to whom items are and can be assigned.

use platform::db::{Db, Result, Tx, params};
use uuid::Uuid;

use crate::base::Base;
use crate::events::notices;
use crate::index;

use super::dto::AttentionAssignee;

/// The people of a CSP by name who are not disabled; an empty text stands for those of the manufacturer. Does not check permissions;
/// the caller must.
pub(super) async fn of_csp(db: &Db, csp: &str) -> Result<Vec<AttentionAssignee>> {
    let sql = "select id, firstname, lastname, email from idx_users where csp = $1 and role <> '' \
               and id not in (select user_id from account_states where disabled_at is not null) \
               order by firstname_folded, lastname_folded, id";
    Ok(assignees(db.fetch_all(sql, params![csp]).await?))
}

/// The people by name who have open items, of one CSP or of all. Does not check permissions; the caller must.
pub(super) async fn with_items(db: &Db, csp: Option<&str>) -> Result<Vec<AttentionAssignee>> {
    let sql = "select id, firstname, lastname, email from idx_users where ($1 is null or csp = $1) and id in \
               (select assignee from attention_items where assignee is not null and closed_at is null) \
               order by firstname_folded, lastname_folded, id";
    Ok(assignees(db.fetch_all(sql, params![csp.map(str::to_owned)]).await?))
}

fn assignees(rows: Vec<(String, String, String, String)>) -> Vec<AttentionAssignee> {
    let people = rows.into_iter().filter_map(|(id, firstname, lastname, email)| {
        let name = format!("{firstname} {lastname}").trim().to_owned();
        Some(AttentionAssignee { id: id.parse().ok()?, name: if name.is_empty() { email } else { name } })
    });
    people.collect()
}

/// The name of a person of this CSP.
pub(super) async fn find(db: &Db, csp: &str, id: Uuid) -> Result<Option<String>> {
    Ok(of_csp(db, csp).await?.into_iter().find(|person| person.id == id).map(|person| person.name))
}

/// Items whose assignee was removed, or does not belong to the CSP of the item any more, become nobody's. Nothing happens while the
/// index of people is incomplete.
///
/// # Errors
/// Database errors.
pub(crate) async fn release_items(base: &Base) -> Result<()> {
    if index::people_as_of(&base.db).await?.is_none() {
        return Ok(());
    }
    let released = async |mut tx: Tx| {
        let sql = "update attention_items set assignee = null, tell_at = null where assignee is not null and not exists \
                   (select 1 from idx_users u where u.id = attention_items.assignee and u.csp = attention_items.csp \
                    and u.role <> '') returning csp";
        let csps: Vec<(String,)> = tx.fetch_all(sql, params![]).await?;
        tx.commit().await.map(|()| csps)
    };
    let mut csps: Vec<String> = base.db.write(released).await?.into_iter().map(|(csp,)| csp).collect();
    csps.sort_unstable();
    csps.dedup();
    notices::attention(&base.bus, &csps);
    Ok(())
}

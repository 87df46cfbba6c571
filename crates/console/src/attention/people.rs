//! The people to whom items are and can be assigned.

use platform::db::{Db, Result, Tx, params};
use uuid::Uuid;

use crate::base::Base;
use crate::index;
use crate::notice;

use super::dto::AttentionAssignee;

/// The people of a CSP by name who are not disabled; an empty text stands for those of the manufacturer. Does not check permissions;
/// the caller must.
pub(super) async fn of_csp(db: &Db, csp: &str) -> Result<Vec<AttentionAssignee>> {
    let sql = "SELECT id, firstname, lastname, email FROM idx_users WHERE csp = $1 AND role <> '' \
               AND id NOT IN (SELECT user_id FROM account_states WHERE disabled_at IS NOT NULL) \
               ORDER BY firstname_folded, lastname_folded, id";
    Ok(assignees(db.fetch_all(sql, params![csp]).await?))
}

/// The people by name who have open items, of one CSP or of all. Does not check permissions; the caller must.
pub(super) async fn with_items(db: &Db, csp: Option<&str>) -> Result<Vec<AttentionAssignee>> {
    let sql = "SELECT id, firstname, lastname, email FROM idx_users WHERE ($1 IS NULL OR csp = $1) AND id IN \
               (SELECT assignee FROM attention_items WHERE assignee IS NOT NULL AND closed_at IS NULL) \
               ORDER BY firstname_folded, lastname_folded, id";
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
        let sql = "UPDATE attention_items SET assignee = NULL, tell_at = NULL WHERE assignee IS NOT NULL AND NOT EXISTS \
                   (SELECT 1 FROM idx_users u WHERE u.id = attention_items.assignee AND u.csp = attention_items.csp \
                    AND u.role <> '') RETURNING csp";
        let csps: Vec<(String,)> = tx.fetch_all(sql, params![]).await?;
        tx.commit().await.map(|()| csps)
    };
    let mut csps: Vec<String> = base.db.write(released).await?.into_iter().map(|(csp,)| csp).collect();
    csps.sort_unstable();
    csps.dedup();
    notice::attention(&base.bus, &csps);
    Ok(())
}

//! The people to whom items can be assigned.

use platform::db::{Db, Result, params};
use uuid::Uuid;

use super::dto::AttentionAssignee;

/// The people of a CSP by name; an empty text stands for those of the manufacturer. Does not check permissions; the caller must.
pub(super) async fn of_csp(db: &Db, csp: &str) -> Result<Vec<AttentionAssignee>> {
    let sql = "SELECT id, firstname, lastname, email FROM idx_users WHERE csp = $1 AND role <> '' \
               ORDER BY firstname_folded, lastname_folded, id";
    let rows: Vec<(String, String, String, String)> = db.fetch_all(sql, params![csp]).await?;
    let people = rows.into_iter().filter_map(|(id, firstname, lastname, email)| {
        let name = format!("{firstname} {lastname}").trim().to_owned();
        Some(AttentionAssignee { id: id.parse().ok()?, name: if name.is_empty() { email } else { name } })
    });
    Ok(people.collect())
}

/// The name of a person of this CSP.
pub(super) async fn find(db: &Db, csp: &str, id: Uuid) -> Result<Option<String>> {
    Ok(of_csp(db, csp).await?.into_iter().find(|person| person.id == id).map(|person| person.name))
}

//! What becomes of the items of a person who is removed.

use platform::db::{Db, Result, params};
use sqlx_macros::FromRow;
use uuid::Uuid;

use super::{assigned, people};
use crate::audit::{self, AuditTarget, Change, FieldChange, Operation};
use crate::events::notices;
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// Items per statement.
const BATCH: i64 = 500;

/// A person who is to be removed, and who gets the open items.
pub(crate) struct Succession {
    person: Uuid,
    name: String,
    csp: String,
    successor: Option<(Uuid, String)>,
    /// The number of open items.
    count: i64,
}

/// An open item of the person.
#[derive(FromRow)]
struct AssignedItem {
    id: String,
    kind: String,
    dsn: String,
    csp: String,
}

impl Succession {
    /// `name` is that of the person. Without a successor the items become nobody's.
    ///
    /// # Errors
    /// 403 if the actor may not assign items of this CSP; 422 if the successor is nobody to whom they can be assigned.
    pub(crate) async fn plan(
        state: &CoreState,
        actor: &Actor,
        person: Uuid,
        name: &str,
        csp: Option<&str>,
        successor: Option<Uuid>,
    ) -> ApiResult<Self> {
        let db = &state.base.db;
        let of_csp = csp.unwrap_or_default();
        let successor = match successor {
            None => None,
            Some(id) => {
                policy::can(actor, Action::Edit, Target::AttentionItem { csp }).require()?;
                let found = people::find(db, of_csp, id).await?.filter(|_| id != person);
                let name = found.ok_or_else(|| ApiError::invalid("successor", "Is not one of the choices"))?;
                Some((id, name))
            }
        };
        let sql = "select count(*) from attention_items where assignee = $1 and closed_at is null";
        let (count,): (i64,) = db.fetch_one(sql, params![person]).await?;
        Ok(Self { person, name: name.to_owned(), csp: of_csp.to_owned(), successor, count })
    }

    /// For the audit of the removal.
    pub(crate) fn changes(&self) -> Vec<FieldChange> {
        if self.count == 0 {
            return Vec::new();
        }
        let successor = self.successor.as_ref().map(|(_, name)| name.clone());
        vec![
            FieldChange::new("openItems", None::<String>, self.count),
            FieldChange::new("successor", None::<String>, successor),
        ]
    }

    /// Records in the audit whose each open item becomes, as consequences of the removal.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn record(&self, db: &Db, removal: &mut audit::Entry) -> ApiResult<()> {
        let mut after = String::new();
        loop {
            let items = self.items_after(db, &after).await?;
            let Some(last) = items.last() else { return Ok(()) };
            after.clone_from(&last.id);
            removal.record_consequences(items.iter().map(|item| self.change(item)).collect()).await?;
        }
    }

    async fn items_after(&self, db: &Db, id: &str) -> Result<Vec<AssignedItem>> {
        let sql = "select id, kind, dsn, csp from attention_items \
                   where assignee = $1 and closed_at is null and id > $2 order by id limit $3";
        db.fetch_all(sql, params![self.person, id, BATCH]).await
    }

    fn change(&self, item: &AssignedItem) -> Change {
        let AssignedItem { kind, dsn, csp, .. } = item;
        let csp = Some(csp.as_str()).filter(|csp| !csp.is_empty());
        let target = if dsn.is_empty() { AuditTarget::attention_settings(csp) } else { AuditTarget::device(dsn, csp) };
        let successor = self.successor.as_ref().map(|(_, name)| name.clone());
        let fields = vec![FieldChange::new(format!("{kind}.assignee"), self.name.as_str(), successor)];
        Change { operation: Operation::UpdateAttention, target, fields }
    }

    /// Gives the open items to the successor; those without one become nobody's. Call it after the removal.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn hand_over(&self, state: &CoreState, actor: &Actor) -> ApiResult<()> {
        let base = &state.base;
        if let Some((successor, _)) = &self.successor {
            let tell_at = assigned::tell_at(state, actor, *successor).await?;
            let sql = "update attention_items set assignee = $2, tell_at = $4 \
                       where assignee = $1 and csp = $3 and closed_at is null";
            base.db.execute(sql, params![self.person, *successor, &self.csp, tell_at]).await?;
        }
        people::release_items(base).await?;
        state.hub.note_attention();
        notices::attention(&base.bus, std::slice::from_ref(&self.csp));
        Ok(())
    }
}

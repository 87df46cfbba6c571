//! What people do with items.

use std::collections::{BTreeSet, HashMap};

use jiff::{SignedDuration, Timestamp};
use platform::db::{Tx, params};
use uuid::Uuid;

use super::dto::{AttentionItem, AttentionUpdate};
use super::item_list::{self, ListedItem};
use super::{assigned, comments, people};
use crate::audit::{self, AuditTarget, Change, FieldChange, Operation};
use crate::events::notices;
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

const MAX_IDS: usize = 100;
const MAX_COMMENT: usize = 1000;
/// The comments of an item are listed in one answer.
const MAX_COMMENTS: i64 = 100;
const LONGEST_SNOOZE: SignedDuration = SignedDuration::from_hours(366 * 24);

/// A validated update.
struct ItemUpdate {
    acknowledged: Option<bool>,
    /// The id, and the name for the audit.
    assignee: Option<Option<(Uuid, String)>>,
    snoozed_until: Option<Option<Timestamp>>,
    comment: Option<String>,
}

/// Updates all of the items or none.
///
/// # Errors
/// 404 if the actor may not see one of them, 403, or 422, in this order.
pub(super) async fn update(state: &CoreState, actor: &Actor, form: &AttentionUpdate) -> ApiResult<Vec<AttentionItem>> {
    let db = &state.base.db;
    let ids: BTreeSet<Uuid> = form.ids.iter().flatten().copied().collect();
    if ids.is_empty() || ids.len() > MAX_IDS {
        return Err(ApiError::invalid("ids", "must name 1 to 100 items"));
    }
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let items = item_list::find(db, actor.scope(), &ids).await?;
    if items.len() != ids.len() {
        return Err(ApiError::NotFound);
    }
    for item in &items {
        policy::can(actor, Action::Edit, Target::AttentionItem { csp: item.csp.as_deref() }).require()?;
    }
    let update = validate(state, form, &items).await?;
    let mut changed: HashMap<Uuid, audit::Entry> = HashMap::new();
    for item in &items {
        let fields = update.changes(item);
        if !fields.is_empty() {
            let change = Change { operation: Operation::UpdateAttention, target: audit_target(item), fields };
            changed.insert(item.id, audit::begin(state, actor, &change).await?);
        }
    }
    let affected: Vec<&ListedItem> = items.iter().filter(|item| changed.contains_key(&item.id)).collect();
    let outcome = write(state, actor, &update, &affected).await;
    for entry in changed.into_values() {
        entry.end(&outcome).await;
    }
    outcome?;
    state.hub.note_attention();
    let csps: BTreeSet<String> = affected.iter().map(|item| item.csp.clone().unwrap_or_default()).collect();
    if !csps.is_empty() {
        notices::attention(&state.base.bus, &csps.into_iter().collect::<Vec<_>>());
    }
    let items = item_list::find(db, actor.scope(), &ids).await?;
    Ok(items.into_iter().map(|item| AttentionItem::of(item, actor)).collect())
}

fn audit_target(item: &ListedItem) -> AuditTarget {
    match &item.dsn {
        Some(dsn) => AuditTarget::device(dsn, item.csp.as_deref()),
        None => AuditTarget::attention_settings(item.csp.as_deref()),
    }
}

async fn validate(state: &CoreState, form: &AttentionUpdate, items: &[ListedItem]) -> ApiResult<ItemUpdate> {
    let mut rules = Rules::default();
    let now = state.base.clock.now();
    if form.snoozed_until.flatten().is_some_and(|until| until <= now || until > now + LONGEST_SNOOZE) {
        rules.refuse("snoozedUntil", "Must be within a year from now");
    }
    let comment = form.comment.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if let Some(text) = comment {
        if text.chars().count() > MAX_COMMENT {
            rules.refuse("comment", format!("Must be at most {MAX_COMMENT} characters"));
        } else if text.chars().any(|char| char.is_control() && char != '\n') {
            rules.refuse("comment", "Must not contain control characters");
        } else if items.iter().any(|item| item.comments >= MAX_COMMENTS) {
            rules.refuse("comment", format!("An item has at most {MAX_COMMENTS} comments"));
        }
    }
    let assignee = match form.assignee {
        Some(Some(id)) => {
            let csps: BTreeSet<&str> = items.iter().map(|item| item.csp.as_deref().unwrap_or_default()).collect();
            let mut csps = csps.into_iter();
            let csp = csps.next().unwrap_or_default();
            let name = people::find(&state.base.db, csp, id).await?;
            if csps.next().is_some() {
                rules.refuse("assignee", "Must belong to the CSP of all items");
            } else if name.is_none() {
                rules.refuse("assignee", "Is not one of the choices");
            }
            Some(name.map(|name| (id, name)))
        }
        Some(None) => Some(None),
        None => None,
    };
    let comment = comment.map(str::to_owned);
    rules.finish(ItemUpdate { acknowledged: form.acknowledged, assignee, snoozed_until: form.snoozed_until, comment })
}

impl ItemUpdate {
    /// What it changes about an item, for the audit.
    fn changes(&self, item: &ListedItem) -> Vec<FieldChange> {
        let mut changes = Vec::new();
        let field = |name: &str| format!("{}.{name}", item.kind.name());
        let text = |at: Option<Timestamp>| at.map(|at| at.to_string());
        if let Some(acknowledged) = self.acknowledged.filter(|it| *it != item.acknowledged_at.is_some()) {
            changes.push(FieldChange::new(field("acknowledged"), !acknowledged, acknowledged));
        }
        if let Some(assignee) = &self.assignee
            && assignee.as_ref().map(|(id, _)| *id) != item.assignee.as_ref().map(|person| person.id)
        {
            let before = item.assignee.as_ref().and_then(|person| person.name.clone());
            changes.push(FieldChange::new(field("assignee"), before, assignee.as_ref().map(|(_, name)| name.clone())));
        }
        if let Some(until) = self.snoozed_until.filter(|until| *until != item.snoozed_until) {
            changes.push(FieldChange::new(field("snoozedUntil"), text(item.snoozed_until), text(until)));
        }
        if let Some(comment) = &self.comment {
            changes.push(FieldChange::new(field("comment"), None::<String>, comment.as_str()));
        }
        changes
    }
}

async fn write(state: &CoreState, actor: &Actor, update: &ItemUpdate, items: &[&ListedItem]) -> ApiResult<()> {
    let now = state.base.clock.now();
    let comments: Vec<Uuid> = items.iter().map(|_| state.base.random.uuid_at(now)).collect();
    let comments = comments.as_slice();
    let tell_at = match &update.assignee {
        Some(Some((person, _))) => assigned::tell_at(state, actor, *person).await?,
        _ => None,
    };
    let work = |mut tx: Tx| async move {
        for (item, comment) in items.iter().zip(comments) {
            if let Some(acknowledged) = update.acknowledged {
                // The first to acknowledge it stays.
                let sql = "update attention_items set acknowledged_at = $2, acknowledged_by = $3 \
                           where id = $1 and (acknowledged_at is null or $2 is null)";
                let by = acknowledged.then_some(actor.user);
                tx.execute(sql, params![item.id, acknowledged.then_some(now), by]).await?;
            }
            if let Some(assignee) = &update.assignee {
                // Who has it already was told.
                let sql = "update attention_items set assignee = $2, tell_at = $3 \
                           where id = $1 and (assignee is null or $2 is null or assignee <> $2)";
                tx.execute(sql, params![item.id, assignee.as_ref().map(|(id, _)| *id), tell_at]).await?;
            }
            if let Some(until) = update.snoozed_until {
                let sql = "update attention_items set snoozed_until = $2 where id = $1";
                tx.execute(sql, params![item.id, until]).await?;
            }
            if let Some(text) = &update.comment {
                comments::add(&mut tx, *comment, item.id, actor.user, text).await?;
            }
        }
        tx.commit().await
    };
    Ok(state.base.db.write(work).await?)
}

//! The thresholds of CSPs, as people read and change them.

use platform::db::Tx;
use serde_json::Value;

use super::dto::{AttentionCan, AttentionSettingsForm, AttentionSettingsView};
use super::{device_rows, settings_store};
use crate::attention_rules::AttentionSettings;
use crate::audit::concurrent_changes::refuse_unseen;
use crate::audit::{self, AuditTarget, Change, FieldChange, Operation};
use crate::csps;
use crate::http::error::{ApiError, ApiResult};
use crate::limits::write_lock::{LockedRecord, locked};
use crate::policy::{Actor, Scope};
use crate::state::CoreState;

/// The CSP whose settings the actor reads or changes: their own, or the named one; an empty text stands for no CSP.
///
/// # Errors
/// 404 for an actor without a scope; 422 for a CSP that does not exist.
pub(super) async fn csp(state: &CoreState, actor: &Actor, named: Option<String>) -> ApiResult<String> {
    match (actor.scope(), named) {
        (Scope::Csp(own), _) => Ok(own.to_owned()),
        (Scope::Everything, None) => Ok(String::new()),
        (Scope::Everything, Some(csp)) if csps::exists(&state.base.db, &csp).await? => Ok(csp),
        (Scope::Everything, Some(_)) => Err(ApiError::invalid("csp", "is no CSP")),
        (Scope::Nothing, _) => Err(ApiError::NotFound),
    }
}

pub(super) async fn read(state: &CoreState, actor: &Actor, csp: String) -> ApiResult<AttentionSettingsView> {
    let settings = settings_store::of_csp(&state.base.db, &csp).await?;
    Ok(AttentionSettingsView {
        csp: Some(csp).filter(|csp| !csp.is_empty()),
        settings,
        defaults: AttentionSettings::default(),
        can: AttentionCan::edit_settings(actor),
    })
}

/// Stores the sent settings, and lets all devices of the CSP be examined again.
///
/// # Errors
/// 422 with a text for each value out of its range; 409 for a value that somebody else has changed since the person saw it.
pub(super) async fn update(state: &CoreState, actor: &Actor, csp: &str, form: &AttentionSettingsForm) -> ApiResult<()> {
    locked(&state.base, LockedRecord::AttentionSettings(csp), update_locked(state, actor, csp, form)).await
}

async fn update_locked(state: &CoreState, actor: &Actor, csp: &str, form: &AttentionSettingsForm) -> ApiResult<()> {
    let before = settings_store::of_csp(&state.base.db, csp).await?;
    let mut settings = form.applied_to(&before);
    settings.validate().map_err(ApiError::Invalid)?;
    settings.disabled.sort_unstable();
    settings.disabled.dedup();
    let fields = changes(&before, &settings);
    if fields.is_empty() {
        return Ok(());
    }
    let target = AuditTarget::attention_settings(Some(csp).filter(|csp| !csp.is_empty()));
    refuse_unseen(&state.base.db, actor, &target, &form.seen, &fields, FieldChange::field).await?;
    let change = Change { operation: Operation::UpdateAttentionSettings, target, fields };
    let entry = audit::begin(state, actor, &change).await?;
    let (settings, now) = (&settings, state.base.clock.now());
    let work = |mut tx: Tx| async move {
        settings_store::put(&mut tx, csp, settings).await?;
        device_rows::set_due(&mut tx, csp, now).await?;
        tx.commit().await
    };
    let outcome = state.base.db.write(work).await.map_err(ApiError::from);
    entry.end(&outcome).await;
    outcome
}

/// The fields that differ, by their names in the request.
fn changes(before: &AttentionSettings, after: &AttentionSettings) -> Vec<FieldChange> {
    let fields = |settings: &AttentionSettings| match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let before = fields(before);
    let changed = fields(after).into_iter().filter(|(name, value)| before.get(name) != Some(value));
    changed
        .map(|(name, value)| {
            let former = before.get(&name).cloned().unwrap_or_default();
            FieldChange::new(name, former, value)
        })
        .collect()
}

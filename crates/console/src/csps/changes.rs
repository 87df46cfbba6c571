//! Adds, renames and removes CSPs. Their names are stored in the console; devices and people refer to them by labels in the
//! cloud.

use platform::db::Error;
use uuid::Uuid;

use super::dto::{CspForm, CspName, CspView};
use super::store;
use super::usage::{self, Usage};
use crate::audit::concurrent_changes::refuse_unseen;
use crate::audit::{self, AuditTarget, Change, FieldChange, Operation};
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;
use crate::texts::folding::fold_case;

const TAKEN: &str = "There is a CSP of this name";

/// # Errors
/// 403, 422, 409 for a name that is taken, in this order.
pub(super) async fn create(state: &CoreState, actor: &Actor, form: &CspForm) -> ApiResult<CspView> {
    policy::can(actor, Action::Edit, Target::Csps).require()?;
    let name = name(&form.name.clone().flatten())?;
    let base = &state.base;
    let id = base.random.uuid();
    require_unique_name(state, &name, id).await?;

    let fields = vec![FieldChange::new("name", None::<String>, name.as_str())];
    let change = Change { operation: Operation::CreateCsp, target: AuditTarget::csp(id), fields };
    let entry = audit::begin(state, actor, &change).await?;
    let created = store::insert(&base.db, id, &name, base.clock.now()).await.map_err(or_taken);
    entry.end(&created).await;
    created?;
    Ok(CspView::new(CspName { id: id.to_string(), name }, Some(Usage::default()), actor))
}

/// Renames an unused CSP, so that no label in the cloud has to change.
///
/// # Errors
/// 403, 404, 422, 409 for a name that is taken, for a CSP that somebody else renamed meanwhile and for a CSP in use, in
/// this order; errors of the cloud.
pub(super) async fn update(state: &CoreState, actor: &Actor, id: Uuid, form: &CspForm) -> ApiResult<CspView> {
    policy::can(actor, Action::Edit, Target::Csps).require()?;
    let db = &state.base.db;
    let before = store::find(db, id).await?.ok_or(ApiError::NotFound)?;
    let name = match &form.name {
        Some(sent) => name(sent)?,
        None => before.name.clone(),
    };
    require_unique_name(state, &name, id).await?;
    let (target, fields) = (AuditTarget::csp(id), vec![FieldChange::new("name", before.name.as_str(), name.as_str())]);
    refuse_unseen(db, actor, &target, &form.seen, &fields, FieldChange::field).await?;
    usage::require_free(state, actor, &before.name).await?;

    if before.name != name {
        let change = Change { operation: Operation::UpdateCsp, target, fields };
        let entry = audit::begin(state, actor, &change).await?;
        let renamed = store::rename(db, id, &name).await.map_err(or_taken).and_then(or_not_found);
        entry.end(&renamed).await;
        renamed?;
    }
    Ok(CspView::new(CspName { id: id.to_string(), name }, Some(Usage::default()), actor))
}

/// Removes an unused CSP.
///
/// # Errors
/// 403, 404, 409 for a CSP in use, in this order; errors of the cloud.
pub(super) async fn remove(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<()> {
    policy::can(actor, Action::Edit, Target::Csps).require()?;
    let db = &state.base.db;
    let before = store::find(db, id).await?.ok_or(ApiError::NotFound)?;
    usage::require_free(state, actor, &before.name).await?;

    let fields = vec![FieldChange::new("name", before.name, None::<String>)];
    let change = Change { operation: Operation::DeleteCsp, target: AuditTarget::csp(id), fields };
    let entry = audit::begin(state, actor, &change).await?;
    let removed = store::remove(db, id).await.map_err(ApiError::from).and_then(or_not_found);
    entry.end(&removed).await;
    removed
}

/// Checks and trims the name.
///
/// # Errors
/// 422 for an invalid name.
fn name(text: &Option<String>) -> ApiResult<String> {
    let mut rules = Rules::default();
    let name = rules.required("name", text);
    rules.finish(name)
}

/// # Errors
/// 409 when another CSP has the name in any case, or one that looks like it.
async fn require_unique_name(state: &CoreState, name: &str, id: Uuid) -> ApiResult<()> {
    match store::alike(&state.base.db, name, id).await? {
        None => Ok(()),
        Some(other) if fold_case(&other) == fold_case(name) => Err(taken()),
        Some(other) => Err(ApiError::taken("name", format!("Looks like the CSP {other}"))),
    }
}

/// A concurrent request may take the name after [`require_unique_name`].
fn or_taken(error: Error) -> ApiError {
    if error.is_unique_violation() { taken() } else { error.into() }
}

fn taken() -> ApiError {
    ApiError::taken("name", TAKEN)
}

/// A concurrent request may remove the CSP first.
fn or_not_found(was_there: bool) -> ApiResult<()> {
    if was_there { Ok(()) } else { Err(ApiError::NotFound) }
}

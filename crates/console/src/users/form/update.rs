//! Saves the form of a person: the profile, then the role, each only if changed.

use devicecloud::Client;
use diffuser::Role;
use uuid::Uuid;

use super::fields::{Access, FormContext, UserForm};
use super::profile::Profile;
use super::role_change::{HeldRoles, Step, steps};
use crate::attention;
use crate::audit::concurrent_changes::refuse_unseen;
use crate::audit::{self, Change, FieldChange, Operation};
use crate::csps;
use crate::forms::partial_writes::{Part, stopped};
use crate::http::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;
use crate::users::record::UserRecord;
use crate::users::service;

const PROFILE: &str = "Personal information";
const ROLE: Part = Part { field: "role", label: "Role" };
const CSP: Part = Part { field: "csp", label: "CSP" };
const OTHER_ROLES: Part = Part { field: "otherRoles", label: "Other roles" };

/// Writes the changed fields of the form with the actor's own token, and returns the person as read back from the cloud.
///
/// # Errors
/// 404, 403, 422, 409 in this order. Stops at the first change that the cloud refuses, and names the saved parts. Saving again
/// continues from there.
pub(in crate::users) async fn update(
    state: &CoreState,
    actor: &Actor,
    id: Uuid,
    form: &UserForm,
) -> ApiResult<SavedUser> {
    let record = service::read(state, actor, id).await?;
    policy::can(actor, Action::Edit, Target::Person { id, csp: record.csp.as_deref() }).require()?;
    let has_csp = csps::exists(&state.base.db, form.csp()).await?;
    let wanted = form.check(&FormContext { actor, before: Some(&record), has_csp })?;

    let cloud = state.sessions.cloud(&actor.session);
    let held = HeldRoles::of(record.role, &cloud.roles().role_users(&record.email).await?);
    let access = wanted.access.or_else(|| held.access());
    let plan = Plan::new(&record, &held, &wanted.profile, access.as_ref());
    refuse_unseen(
        &state.base.db,
        actor,
        &audit::AuditTarget::user(id, None),
        &form.seen,
        &plan.changes,
        FieldChange::field,
    )
    .await?;
    if plan.changes.is_empty() {
        return Ok(SavedUser { record: service::refresh(state, actor, id).await?, is_stale: false });
    }
    // A change from one CSP to another names both, so neither CSP may see it.
    let csp = record.csp.as_deref().filter(|csp| access.as_ref().is_none_or(|it| it.csp.as_deref() == Some(*csp)));
    let target = audit::AuditTarget::user(id, csp);
    let change = Change { operation: Operation::UpdateUser, target, fields: plan.changes.clone() };
    let entry = audit::begin(state, actor, &change).await?;
    let written = plan.apply(&cloud, &record).await;
    entry.end(&written).await;
    if !plan.steps.is_empty() {
        // Also after a failure, because steps before it may have revoked access.
        state.sessions.invalidate_user_access(id).await?;
    }
    let read = service::refresh(state, actor, id).await;
    if !plan.steps.is_empty() {
        attention::release_items(&state.base).await?;
    }
    written?;
    Ok(match read {
        Ok(record) => SavedUser { record, is_stale: false },
        Err(error) => {
            tracing::warn!(%error, user.id = %id, "a person could not be read after a saved write");
            SavedUser { record, is_stale: true }
        }
    })
}

/// A person after a saved write.
pub(in crate::users) struct SavedUser {
    pub(in crate::users) record: UserRecord,
    /// Whether the record is from before the write, because the read after it failed.
    pub(in crate::users) is_stale: bool,
}

/// The changes to write.
struct Plan {
    /// For the audit, in the order of the writes.
    changes: Vec<FieldChange>,
    /// The profile and its first changed field, if any.
    profile: Option<(Profile, Part)>,
    steps: Vec<Step>,
    /// Whether the role stays and only its CSP changes.
    keeps_role: bool,
}

impl Plan {
    /// Without `access`, a person without a role stays without one.
    fn new(record: &UserRecord, held: &HeldRoles, profile: &Profile, access: Option<&Access>) -> Self {
        let before = Profile::of(record);
        let mut changes = profile.changes_from(&before);
        changes.extend(access.into_iter().flat_map(|access| access_changes(held, access)));
        Self {
            changes,
            profile: profile.first_change_from(&before).map(|field| (profile.clone(), Part { field, label: PROFILE })),
            steps: access.map(|access| steps(held, access)).unwrap_or_default(),
            keeps_role: access.is_some_and(|access| held.role == Some(access.role)),
        }
    }

    async fn apply(&self, cloud: &Client, record: &UserRecord) -> ApiResult<()> {
        let mut saved = Vec::new();
        if let Some((profile, part)) = &self.profile {
            cloud.admin().update_user(record.id.to_string(), &profile.changes()).await.map_err(ApiError::of_form)?;
            saved.push(*part);
        }
        for step in &self.steps {
            step.call(cloud, &record.email).await.map_err(|error| stopped(self.part(step), &saved, error.into()))?;
        }
        Ok(())
    }

    fn part(&self, step: &Step) -> Part {
        match step {
            Step::RevokeOther(_) => OTHER_ROLES,
            _ if self.keeps_role => CSP,
            _ => ROLE,
        }
    }
}

fn access_changes(held: &HeldRoles, Access { role, csp }: &Access) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    if held.role != Some(*role) {
        changes.push(FieldChange::new(ROLE.field, held.role.map(Role::name), role.name()));
    }
    if held.csp != *csp {
        changes.push(FieldChange::new(CSP.field, held.csp.clone(), csp.clone()));
    }
    let others: Vec<&str> = held.others.iter().filter(|other| *other != role).map(|other| other.name()).collect();
    if !others.is_empty() {
        changes.push(FieldChange::new(OTHER_ROLES.field, others.join(", "), None::<&str>));
    }
    changes
}

//! `/api/sign-in-rules`.

use axum::Json;
use axum::extract::State;
use diffuser::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::store;
use crate::audit::{self, Change, FieldChange, Operation};
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::JsonBody;
use crate::policy::{self, Action, Actor, Target};
use crate::state::CoreState;

/// The rules of sign-ins.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignInRules {
    /// Every role, highest precedence first.
    roles: Vec<RoleRule>,
}

/// The rule for the people of a role.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoleRule {
    /// The role's name in the cloud.
    role: &'static str,
    /// Display name of the role.
    role_name: &'static str,
    /// Whether people with this role need a second factor.
    needs_second_factor: bool,
}

/// A change of the rule for the people of a role.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoleRuleForm {
    /// The role's name in the cloud.
    role: String,
    /// Whether people with this role need a second factor.
    needs_second_factor: bool,
}

impl SignInRules {
    fn of(needing: &[Role]) -> Self {
        let rule = |role: Role| RoleRule {
            role: role.name(),
            role_name: role.display_name(),
            needs_second_factor: needing.contains(&role),
        };
        Self { roles: Role::ALL.into_iter().map(rule).collect() }
    }
}

/// Returns the rules of sign-ins.
#[utoipa::path(
    get, path = "/api/sign-in-rules", tag = "sign-in rules",
    responses((status = 200, description = "The rules", body = SignInRules), ApiError)
)]
pub(super) async fn get_sign_in_rules(State(state): State<CoreState>, actor: Actor) -> ApiResult<Json<SignInRules>> {
    policy::can(&actor, Action::View, Target::SignInRules).require()?;
    Ok(Json(SignInRules::of(&store::second_factor_roles(&state.base.db).await?)))
}

/// Changes the rule for the people of one role. People of a role that needs a second factor reach nothing until they have set one
/// up, also in sessions that are open.
#[utoipa::path(
    put, path = "/api/sign-in-rules", tag = "sign-in rules", request_body = RoleRuleForm,
    responses((status = 200, description = "The current rules", body = SignInRules), ApiError)
)]
pub(super) async fn update_sign_in_rules(
    State(state): State<CoreState>,
    actor: Actor,
    JsonBody(form): JsonBody<RoleRuleForm>,
) -> ApiResult<Json<SignInRules>> {
    policy::can(&actor, Action::Edit, Target::SignInRules).require()?;
    let role = Role::ALL.into_iter().find(|role| role.name() == form.role);
    let role = role.ok_or_else(|| ApiError::invalid("role", "must be the name of a role"))?;
    let db = &state.base.db;
    let before = store::second_factor_roles(db).await?;
    if before.contains(&role) == form.needs_second_factor {
        return Ok(Json(SignInRules::of(&before)));
    }
    let after: Vec<Role> = Role::ALL
        .into_iter()
        .filter(|other| if *other == role { form.needs_second_factor } else { before.contains(other) })
        .collect();
    let field = FieldChange::new("secondFactorRoles", names(&before), names(&after));
    let target = audit::AuditTarget::sign_in_rules();
    let change = Change { operation: Operation::UpdateSignInRules, target, fields: vec![field] };
    let entry = audit::begin(&state, &actor, &change).await?;
    let saved = store::set_second_factor_role(db, role, form.needs_second_factor).await.map_err(ApiError::from);
    entry.end(&saved).await;
    saved?;
    Ok(Json(SignInRules::of(&store::second_factor_roles(db).await?)))
}

fn names(roles: &[Role]) -> Option<String> {
    let names: Vec<&str> = roles.iter().map(|role| role.display_name()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

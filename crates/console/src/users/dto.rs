//! Responses of the operations on people. Names and shapes follow api/openapi.json.

use diffuser::Role;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::record::Person;
use crate::policy::{self, Action, Actor, Decision, Scope, Target};

/// A person. Missing texts are empty.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = User)]
pub(crate) struct UserView {
    id: Uuid,
    pub(super) email: String,
    pub(super) firstname: String,
    pub(super) lastname: String,
    pub(super) company: String,
    pub(super) business_role: String,
    pub(super) phone: String,
    city: String,
    state: String,
    country: String,
    /// Whether the e-mail address was confirmed.
    pub(super) confirmed: bool,
    /// The role's name in the cloud; null without one of the five.
    #[schema(required)]
    role: Option<&'static str>,
    /// Display name of the role.
    #[schema(required)]
    pub(super) role_name: Option<&'static str>,
    /// The CSP that the role is bound to.
    #[schema(required)]
    pub(super) csp: Option<String>,
    /// When the person last signed in to this console with a browser; null if never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(super) last_sign_in_at: Option<Timestamp>,
    /// Whether two-step sign-in is set up.
    pub(super) two_step: bool,
    /// Whether the person was disabled, and cannot sign in.
    pub(super) disabled: bool,
    can: UserCan,
}

/// One page of the list.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserList {
    pub(super) users: Vec<UserView>,
    /// Number of matching people on all pages.
    pub(super) total: u64,
    /// The number of this page: the last page if a later one was requested.
    pub(super) current_page_number: u64,
    /// The list contains all people added before this time. Null until the index has been filled; until then, people may be
    /// missing.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(super) as_of: Option<Timestamp>,
    /// The roles that people in the caller's lists can have, highest precedence first.
    pub(super) roles: Vec<RoleName>,
}

/// A role that lists can be filtered by.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoleName {
    /// The role's name in the cloud.
    role: &'static str,
    /// Display name.
    role_name: &'static str,
}

impl RoleName {
    /// The roles that people in the scope of `actor` can have.
    pub(super) fn all_for(actor: &Actor) -> Vec<Self> {
        let roles = Role::ALL.into_iter().filter(|role| role.is_csp_scoped() || actor.scope() == Scope::Everything);
        roles.map(|role| Self { role: role.name(), role_name: role.display_name() }).collect()
    }
}

/// The caller's permissions for a person.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserCan {
    /// May edit and remove the person, and disable or enable the account.
    edit: bool,
    /// May send the confirmation mail again; false for a confirmed person.
    resend: bool,
    /// May send a password reset mail.
    reset_password: bool,
    /// May reset two-step sign-in; false for a person without it.
    reset_second_factor: bool,
}

/// An invited person.
#[derive(Serialize, ToSchema)]
pub(crate) struct InvitedUser {
    pub(super) id: Uuid,
}

/// A person after a write.
#[derive(Serialize, ToSchema)]
#[schema(as = SavedUser)]
pub(super) struct SavedUserView {
    #[serde(flatten)]
    pub(super) user: UserView,
    /// Whether the write was saved, but the person could not be read afterwards: the values are those from before the write.
    pub(super) stale: bool,
}

impl UserView {
    /// The person as `actor` sees them.
    pub(crate) fn new(Person { record, account }: Person, actor: &Actor) -> Self {
        let target = Target::Person { id: record.id, csp: record.csp.as_deref() };
        let may = |action| policy::can(actor, action, target) == Decision::Allowed;
        let edit = may(Action::Edit);
        Self {
            can: UserCan {
                edit,
                resend: edit && !record.confirmed,
                reset_password: may(Action::ResetPassword),
                reset_second_factor: edit && account.has_second_factor,
            },
            id: record.id,
            email: record.email,
            firstname: record.firstname,
            lastname: record.lastname,
            company: record.company,
            business_role: record.business_role,
            phone: record.phone,
            city: record.city,
            state: record.state,
            country: record.country,
            confirmed: record.confirmed,
            role: record.role.map(Role::name),
            role_name: record.role.map(Role::display_name),
            csp: record.csp,
            last_sign_in_at: account.last_sign_in_at,
            two_step: account.has_second_factor,
            disabled: account.is_disabled,
        }
    }
}

//! The forms of people and their validation.

use devicecloud::SecretText;
use diffuser::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use super::profile::Profile;
use crate::audit::concurrent_changes::SeenValues;
use crate::forms::password_rule;
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::sent;
use crate::policy::{self, Actor, Scope};
use crate::users::record::UserRecord;

/// The fields of a person. When an existing person is edited, omitted fields keep their values; null or an empty text clears a
/// field. Texts are trimmed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct UserForm {
    /// The role's name in the cloud, one of the caller's choices.
    #[serde(deserialize_with = "sent")]
    role: Option<Option<String>>,
    /// The name of the CSP, for a role that is bound to one; ignored for callers with a CSP role, who use their own CSP.
    #[serde(deserialize_with = "sent")]
    csp: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    firstname: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    lastname: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    company: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    business_role: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    phone: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    city: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    state: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    country: Option<Option<String>>,
    /// When an existing person is edited: by field, the values that the person saw. If a field to change has another value by
    /// now, nothing is saved and the response is 409.
    pub(super) seen: SeenValues,
}

/// An invitation.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invitation {
    email: Option<String>,
    /// The initial password, which the invited person can change. Not trimmed.
    #[schema(value_type = Option<String>)]
    password: Option<SecretText>,
    /// Whether the invited person chooses the first password with the link of the mail. Then `password` is ignored.
    #[serde(default)]
    own_password: bool,
    #[serde(flatten)]
    form: UserForm,
}

/// A validated form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserFields {
    pub(super) profile: Profile,
    /// `None` keeps role and CSP.
    pub(super) access: Option<Access>,
}

/// The role to assign, with its CSP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) role: Role,
    /// The CSP that the role is bound to.
    pub(super) csp: Option<String>,
}

/// A validated invitation.
pub(super) struct CheckedInvitation {
    pub(super) email: String,
    /// `None` if the invited person chooses it.
    pub(super) password: Option<SecretText>,
    pub(super) profile: Profile,
    pub(super) access: Access,
}

/// Reads the text of a field.
type ReadText = fn(&mut Rules, &str, &Option<String>) -> String;

/// The inputs of the validation besides the form.
#[derive(Clone, Copy)]
pub(super) struct FormContext<'a> {
    pub(super) actor: &'a Actor,
    /// The person before the change. `None` for an invitation, which must be complete. Current values stay valid, even if
    /// their CSP no longer exists.
    pub(super) before: Option<&'a UserRecord>,
    /// Whether the CSP named in the form exists.
    pub(super) has_csp: bool,
}

impl UserForm {
    /// The name of the chosen CSP, or nothing.
    pub(super) fn csp(&self) -> &str {
        self.csp.as_ref().and_then(Option::as_deref).map(str::trim).unwrap_or_default()
    }

    /// # Errors
    /// 403 for a role that the actor may not assign, then 422 with every invalid field.
    pub(super) fn check(&self, facts: &FormContext<'_>) -> ApiResult<UserFields> {
        let mut rules = Rules::default();
        let fields = self.read(facts, &mut rules)?;
        rules.finish(fields)
    }

    fn read(&self, facts: &FormContext<'_>, rules: &mut Rules) -> ApiResult<UserFields> {
        let access = self.access(facts, rules)?;
        let before = facts.before.map(Profile::of);
        let is_new = before.is_none();
        let before = before.unwrap_or_default();
        let mut text = |field, sent: &Option<Option<String>>, before: String, read: ReadText| match sent {
            None if !is_new => before,
            sent => read(rules, field, &sent.clone().flatten()),
        };
        let optional: ReadText = |rules, field, value| rules.optional(field, value).unwrap_or_default();
        let profile = Profile {
            firstname: text("firstname", &self.firstname, before.firstname, Rules::required),
            lastname: text("lastname", &self.lastname, before.lastname, Rules::required),
            company: text("company", &self.company, before.company, optional),
            business_role: text("businessRole", &self.business_role, before.business_role, optional),
            phone: text("phone", &self.phone, before.phone, optional),
            city: text("city", &self.city, before.city, Rules::required),
            state: text("state", &self.state, before.state, optional),
            country: text("country", &self.country, before.country, Rules::required),
        };
        Ok(UserFields { profile, access })
    }

    /// The role and its CSP: the actor's own for a CSP-scoped actor, none for an OEM role. `None` if the form of an
    /// existing person omits both, and for a refused role.
    fn access(&self, facts: &FormContext<'_>, rules: &mut Rules) -> ApiResult<Option<Access>> {
        if facts.before.is_some() && self.role.is_none() && self.csp.is_none() {
            return Ok(None);
        }
        let role_before = facts.before.and_then(|before| before.role);
        let role = self.role.clone().unwrap_or_else(|| role_before.map(|role| role.name().to_owned()));
        let name = rules.one_of("role", &role, None, |name| Role::from_name(name).is_some());
        let Some(role) = Role::from_name(&name) else { return Ok(None) };
        if !policy::role_choices(facts.actor).contains(&role) {
            return Err(ApiError::Forbidden);
        }
        let csp = match facts.actor.scope() {
            _ if !role.is_csp_scoped() => {
                // The role was changed concurrently, after the actor chose the CSP.
                if self.role.is_none() && !self.csp().is_empty() {
                    rules.refuse("csp", "This role has no CSP");
                }
                None
            }
            Scope::Csp(own) => Some(own.to_owned()),
            Scope::Everything | Scope::Nothing => {
                let before = facts.before.and_then(|before| before.csp.as_deref());
                let csp = self.csp.clone().unwrap_or_else(|| before.map(str::to_owned));
                Some(rules.one_of("csp", &csp, before, |_| facts.has_csp))
            }
        };
        Ok(Some(Access { role, csp }))
    }
}

impl Invitation {
    /// The name of the chosen CSP, or nothing.
    pub(super) fn csp(&self) -> &str {
        self.form.csp()
    }

    /// # Errors
    /// As [`UserForm::check`].
    pub(super) fn check(&self, facts: &FormContext<'_>) -> ApiResult<CheckedInvitation> {
        let mut rules = Rules::default();
        let email = rules.email("email", &self.email);
        let password = (!self.own_password).then(|| self.password.clone().unwrap_or_default());
        match password.as_ref().map(|password| (password.expose(), password_rule::complaints(password.expose()))) {
            Some(("", _)) => rules.refuse("password", "Required"),
            Some((_, complaints)) if !complaints.is_empty() => rules.refuse_for("password", complaints),
            _ => {}
        }
        let UserFields { profile, access } = self.form.read(facts, &mut rules)?;
        let invited = access.map(|access| CheckedInvitation { email, password, profile, access });
        // Without access there is an error on the role.
        rules.finish(invited)?.ok_or_else(|| ApiError::invalid("role", "Required"))
    }
}

#[cfg(test)]
mod tests;

//! What the forms of people send, and the rules for it (spec 000 section 5, A-73, A-126).

use devicecloud::SecretText;
use diffuser::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use super::profile::Profile;
use crate::error::{ApiError, ApiResult};
use crate::password_rule;
use crate::policy::{self, Actor, Scope};
use crate::rules::Rules;

/// What the form of a person sends. Texts are trimmed; an empty one is as good as none.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserForm {
    /// The role's name in the cloud, one of the caller's choices.
    role: Option<String>,
    /// The name of the CSP, for a role that is bound to one; ignored from a CSP role, whose own it is.
    csp: Option<String>,
    firstname: Option<String>,
    lastname: Option<String>,
    company: Option<String>,
    business_role: Option<String>,
    phone: Option<String>,
    city: Option<String>,
    state: Option<String>,
    country: Option<String>,
}

/// Somebody to invite.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Invitation {
    email: Option<String>,
    /// The first one, which the invited person changes at will. Not trimmed.
    #[schema(value_type = Option<String>)]
    password: Option<SecretText>,
    #[serde(flatten)]
    form: UserForm,
}

/// A form that keeps the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserFields {
    pub(super) profile: Profile,
    pub(super) access: Access,
}

/// The role that somebody shall have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) role: Role,
    /// The one that the role is bound to.
    pub(super) csp: Option<String>,
}

/// An invitation that keeps the rules.
pub(super) struct Invited {
    pub(super) email: String,
    pub(super) password: SecretText,
    pub(super) fields: UserFields,
}

/// What the rules need to know that does not stand in the form.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) actor: &'a Actor,
    /// What the person has may stay, even if there is no such CSP any more.
    pub(super) csp_before: Option<&'a str>,
    /// Whether there is a CSP of the form's name.
    pub(super) has_csp: bool,
}

impl UserForm {
    /// The name of the chosen CSP, or nothing.
    pub(super) fn csp(&self) -> &str {
        self.csp.as_deref().map(str::trim).unwrap_or_default()
    }

    /// # Errors
    /// 403 for a role that the actor may not give, then 422 with every field that breaks a rule.
    pub(super) fn check(&self, facts: &Facts<'_>) -> ApiResult<UserFields> {
        let mut rules = Rules::default();
        let fields = self.read(facts, &mut rules)?;
        rules.kept(fields)
    }

    fn read(&self, facts: &Facts<'_>, rules: &mut Rules) -> ApiResult<UserFields> {
        let access = self.access(facts, rules)?;
        let mut optional = |field, value| rules.optional(field, value).unwrap_or_default();
        let company = optional("company", &self.company);
        let business_role = optional("businessRole", &self.business_role);
        let phone = optional("phone", &self.phone);
        let state = optional("state", &self.state);
        let profile = Profile {
            firstname: rules.required("firstname", &self.firstname),
            lastname: rules.required("lastname", &self.lastname),
            company,
            business_role,
            phone,
            city: rules.required("city", &self.city),
            state,
            country: rules.required("country", &self.country),
        };
        Ok(UserFields { profile, access })
    }

    /// The role, and the CSP that goes with it: the own one from a CSP role, none with a role of the manufacturer's.
    fn access(&self, facts: &Facts<'_>, rules: &mut Rules) -> ApiResult<Access> {
        let name = rules.one_of("role", &self.role, None, |name| Role::from_name(name).is_some());
        // What is used in the place of a role that is none only makes the other fields be read.
        let Some(role) = Role::from_name(&name) else { return Ok(Access { role: Role::CspTech, csp: None }) };
        if !policy::role_choices(facts.actor).contains(&role) {
            return Err(ApiError::Forbidden);
        }
        let csp = match facts.actor.scope() {
            _ if !role.is_csp_scoped() => None,
            Scope::Csp(own) => Some(own.to_owned()),
            Scope::Everything | Scope::Nothing => {
                Some(rules.one_of("csp", &self.csp, facts.csp_before, |_| facts.has_csp))
            }
        };
        Ok(Access { role, csp })
    }
}

impl Invitation {
    /// The name of the chosen CSP, or nothing.
    pub(super) fn csp(&self) -> &str {
        self.form.csp()
    }

    /// # Errors
    /// As [`UserForm::check`].
    pub(super) fn check(&self, facts: &Facts<'_>) -> ApiResult<Invited> {
        let mut rules = Rules::default();
        let email = rules.email("email", &self.email);
        let password = self.password.clone().unwrap_or_default();
        match password_rule::complaints(password.expose()) {
            _ if password.expose().is_empty() => rules.refuse("password", "Required"),
            complaints if !complaints.is_empty() => rules.refuse_for("password", complaints),
            _ => {}
        }
        let fields = self.form.read(facts, &mut rules)?;
        rules.kept(Invited { email, password, fields })
    }
}

#[cfg(test)]
mod tests;

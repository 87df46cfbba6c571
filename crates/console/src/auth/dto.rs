//! Requests and responses of the session operations.

use devicecloud::SecretText;
use diffuser::Role;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::forms::validation::MAX_EMAIL;
use crate::http::error::{ApiError, ApiResult, FieldErrors};
use crate::policy::{self, Permission};
use crate::preferences::{self, ListPreferences, StoredPreferences, TimeFormat};
use crate::sessions::session::Session;
use crate::state::CoreState;

/// E-mail and password.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SignIn {
    /// The account's e-mail address.
    pub(crate) email: String,
    /// The account's password.
    pub(crate) password: String,
}

/// The signed-in user, with permissions that do not concern a single record.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub(crate) struct SessionView {
    user: SessionUser,
    /// The role's name in the cloud; null without one of the five.
    #[schema(required)]
    role: Option<String>,
    /// Display name of the role.
    #[schema(required)]
    role_name: Option<String>,
    /// The CSP that a CSP role is bound to.
    #[schema(required)]
    csp: Option<String>,
    /// When the session ends if it is not used again.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// How times are shown to this user; null until the user chooses: as the browser's language has it.
    #[schema(required)]
    time_format: Option<TimeFormat>,
    list_preferences: ListPreferences,
    /// Whether the user must set up a second factor, because the role needs one. All other operations are refused until then.
    needs_second_factor: bool,
    can: Vec<Permission>,
    /// The roles that the user may assign, least privileged last.
    role_choices: Vec<RoleChoice>,
}

/// A role that can be assigned.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoleChoice {
    /// The role's name in the cloud.
    role: &'static str,
    /// Display name of the role.
    role_name: &'static str,
    /// Whether the role is bound to a CSP.
    needs_csp: bool,
}

/// The signed-in user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionUser {
    id: Uuid,
    email: String,
    firstname: String,
    lastname: String,
}

/// The remaining lifetime of the session.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ping {
    /// Seconds until the session ends if it is not used again.
    pub(crate) expires_in: i64,
}

/// Well above the 128 characters of the password rule.
const MAX_PASSWORD: usize = 1024;

impl SignIn {
    /// Returns the trimmed e-mail address and the password.
    ///
    /// # Errors
    /// 422 for a field that is empty or too long.
    pub(super) fn checked(self) -> ApiResult<(String, SecretText)> {
        let email = self.email.trim();
        let checks = [("email", email, MAX_EMAIL), ("password", self.password.as_str(), MAX_PASSWORD)];
        let mut errors = FieldErrors::new();
        for (field, value, max) in checks {
            if value.is_empty() {
                errors.insert(field.to_owned(), vec!["is required".to_owned()]);
            } else if value.len() > max {
                errors.insert(field.to_owned(), vec!["is too long".to_owned()]);
            }
        }
        if !errors.is_empty() {
            return Err(ApiError::Invalid(errors));
        }
        Ok((email.to_owned(), SecretText::from(self.password)))
    }
}

impl RoleChoice {
    fn of(role: Role) -> Self {
        Self { role: role.name(), role_name: role.display_name(), needs_csp: role.is_csp_scoped() }
    }
}

impl SessionView {
    /// # Errors
    /// Database errors.
    pub(crate) async fn of(state: &CoreState, row: &Session) -> ApiResult<Self> {
        let StoredPreferences { time_format, lists } = preferences::preferences(&state.base.db, row.user.id).await?;
        Ok(Self {
            user: SessionUser {
                id: row.user.id,
                email: row.user.email.clone(),
                firstname: row.user.firstname.clone(),
                lastname: row.user.lastname.clone(),
            },
            role: row.role.map(|role| role.name().to_owned()),
            role_name: row.role.map(|role| role.display_name().to_owned()),
            csp: row.csp.clone(),
            expires_at: state.sessions.expires_at(row),
            time_format,
            list_preferences: lists,
            needs_second_factor: row.lacks_factor,
            can: policy::permissions(&row.actor()),
            role_choices: policy::role_choices(&row.actor()).iter().copied().map(RoleChoice::of).collect(),
        })
    }
}

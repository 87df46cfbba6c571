//! The actor's own profile, of which five fields can be changed.

use devicecloud::{User, UserChanges};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::sessions;
use crate::audit::concurrent_changes::{SeenValues, refuse_unseen};
use crate::audit::{self, AuditTarget, Change, FieldChange, Operation};
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::sent;
use crate::policy::Actor;
use crate::state::CoreState;
use crate::users;

/// The caller's profile.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Profile {
    /// Cannot be changed here.
    email: String,
    #[serde(flatten)]
    fields: ProfileFields,
}

/// The fields of a profile that the user can change.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ProfileFields {
    firstname: Option<String>,
    lastname: Option<String>,
    city: Option<String>,
    /// A state or region.
    state: Option<String>,
    country: Option<String>,
}

/// A change of the caller's profile. Omitted fields keep their values; null or an empty text clears a field. Texts are
/// trimmed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct ProfileForm {
    #[serde(deserialize_with = "sent")]
    firstname: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    lastname: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    city: Option<Option<String>>,
    /// A state or region.
    #[serde(deserialize_with = "sent")]
    state: Option<Option<String>>,
    #[serde(deserialize_with = "sent")]
    country: Option<Option<String>>,
    /// By field, the values that the person saw. If a field to change has another value by now, nothing is saved and the
    /// response is 409.
    seen: SeenValues,
}

impl Profile {
    fn of(user: User) -> Self {
        let User { email, firstname, lastname, city, state, country, .. } = user;
        Self { email, fields: ProfileFields { firstname, lastname, city, state, country } }
    }
}

impl ProfileForm {
    /// Validates the new profile by the rules of the people form.
    fn checked(&self, before: &ProfileFields) -> ApiResult<ProfileFields> {
        let mut rules = Rules::default();
        let mut required = |field, sent: &Option<Option<String>>, before: &Option<String>| match sent {
            Some(value) => Some(rules.required(field, value)),
            None => before.clone(),
        };
        let firstname = required("firstname", &self.firstname, &before.firstname);
        let lastname = required("lastname", &self.lastname, &before.lastname);
        let city = required("city", &self.city, &before.city);
        let country = required("country", &self.country, &before.country);
        let state = match &self.state {
            Some(value) => rules.optional("state", value),
            None => before.state.clone(),
        };
        rules.finish(ProfileFields { firstname, lastname, city, state, country })
    }
}

impl ProfileFields {
    fn named(&self) -> [(&'static str, &Option<String>); 5] {
        [
            ("firstname", &self.firstname),
            ("lastname", &self.lastname),
            ("city", &self.city),
            ("state", &self.state),
            ("country", &self.country),
        ]
    }

    /// The fields that differ from `before`.
    fn changes(&self, before: &Self) -> Vec<FieldChange> {
        let pairs = before.named().into_iter().zip(self.named());
        let differing = pairs.filter(|((_, before), (_, after))| before != after);
        differing.map(|((name, before), (_, after))| FieldChange::new(name, before.clone(), after.clone())).collect()
    }

    fn to_cloud(&self) -> UserChanges {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        UserChanges::new()
            .firstname(text(&self.firstname))
            .lastname(text(&self.lastname))
            .city(text(&self.city))
            .state(text(&self.state))
            .country(text(&self.country))
    }
}

pub(super) async fn read(state: &CoreState, actor: &Actor) -> ApiResult<Profile> {
    Ok(Profile::of(state.sessions.cloud(&actor.session).users().profile().await?))
}

/// Writes the profile with the actor's own token if a field of the form has changed.
///
/// # Errors
/// 422 with every invalid field, by the console's or the cloud's rules; 409 for a field that somebody else changed meanwhile.
pub(super) async fn update(state: &CoreState, actor: &Actor, form: &ProfileForm) -> ApiResult<Profile> {
    let Profile { email, fields: before } = read(state, actor).await?;
    let fields = form.checked(&before)?;
    let changes = fields.changes(&before);
    if !changes.is_empty() {
        let target = AuditTarget::user(actor.user, actor.csp.as_deref());
        refuse_unseen(&state.base.db, actor, &target, &form.seen, &changes, FieldChange::field).await?;
        let change = Change { operation: Operation::UpdateAccount, target, fields: changes };
        let entry = audit::begin(state, actor, &change).await?;
        let written = state.sessions.cloud(&actor.session).users().update_profile(fields.to_cloud()).await;
        let written = written.map_err(ApiError::of_form);
        entry.end(&written).await;
        written?;
        // The session contains the name, too, and would otherwise be outdated for up to a minute.
        if let Err(error) = state.sessions.refresh_access(sessions::current(state, actor).await?).await {
            tracing::warn!(%error, "the name in a session is outdated for up to a minute");
        }
        // The index contains the name, too; the next pass would update it otherwise.
        if let Err(error) = users::refresh_own_record(state, actor).await {
            tracing::warn!(%error, "the name in the list of people is outdated until the next pass");
        }
    }
    Ok(Profile { email, fields })
}

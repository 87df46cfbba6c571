//! The actor's own access tokens.

use std::collections::BTreeSet;
use std::net::IpAddr;

use devicecloud::SecretText;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::sessions;
use crate::audit::{self, AuditTarget, Change, FieldChange, Operation};
use crate::forms::password_rule::MAX_LENGTH;
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult};
use crate::limits::write_lock::{LockedRecord, locked};
use crate::policy::{Actor, TokenRight};
use crate::sessions::session::{MAX_DAYS, Session, SessionId};
use crate::state::CoreState;

/// Maximum number of tokens of a user.
const MAX_TOKENS: usize = 20;
/// Maximum length of a name in characters.
const MAX_NAME: usize = 60;

/// One of the caller's access tokens.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountToken {
    /// Identifies the token in this API; it does not reveal the token.
    id: String,
    /// The user's name for the token.
    name: String,
    /// The operations that the token may call, if the user may.
    rights: BTreeSet<TokenRight>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When the token ends, even if it is in use.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// Time of the last use, to the minute; null if never used.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
    /// IP address of the last use; null if never used.
    #[schema(required)]
    address: Option<String>,
}

/// A new access token. This response is the only one with the token itself.
#[derive(Serialize, ToSchema)]
pub(crate) struct NewAccountToken {
    /// The token, for the header `Authorization: Bearer`.
    token: String,
    #[serde(flatten)]
    account_token: AccountToken,
}

/// The access token to create.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountTokenForm {
    /// A name for the list of tokens and the audit; at most 60 characters.
    #[schema(required, value_type = String)]
    name: Option<String>,
    /// At least one.
    rights: BTreeSet<TokenRight>,
    /// Number of days until the token ends, at most 365.
    expires_in_days: u16,
    /// The current password.
    #[schema(value_type = String)]
    password: SecretText,
}

impl AccountToken {
    /// `None` for the session of a browser.
    pub(super) fn of(session: Session) -> Option<Self> {
        let token = session.token?;
        Some(Self {
            id: session.hash.public_id(),
            name: token.name,
            rights: token.rights,
            created_at: session.created_at,
            expires_at: token.expires_at,
            last_used_at: session.origin.address.as_ref().map(|_| session.seen_at),
            address: session.origin.address,
        })
    }
}

impl NewAccountToken {
    pub(super) fn new(id: &SessionId, session: Session) -> Option<Self> {
        Some(Self { token: id.to_token(), account_token: AccountToken::of(session)? })
    }
}

impl AccountTokenForm {
    /// Returns the trimmed name.
    fn checked(&self) -> ApiResult<String> {
        let mut rules = Rules::default();
        let name = rules.required("name", &self.name);
        if !rules.refuses("name") && name.chars().count() > MAX_NAME {
            rules.refuse("name", format!("Must be at most {MAX_NAME} characters"));
        }
        if self.rights.is_empty() {
            rules.refuse("rights", "Required");
        }
        if !(1..=MAX_DAYS).contains(&self.expires_in_days) {
            rules.refuse("expiresInDays", format!("Must be 1 to {MAX_DAYS} days"));
        }
        if self.password.expose().is_empty() {
            rules.refuse("password", "Required");
        } else if self.password.expose().chars().count() > MAX_LENGTH {
            rules.refuse("password", format!("Must not have more than {MAX_LENGTH} characters"));
        }
        rules.finish(name)
    }

    /// The rights as one text, for the audit.
    fn rights(&self) -> String {
        self.rights.iter().map(|right| right.name()).collect::<Vec<_>>().join(", ")
    }
}

/// The sessions of the user's access tokens, most recently used first.
pub(super) async fn all(state: &CoreState, actor: &Actor) -> ApiResult<Vec<Session>> {
    let mut sessions = state.sessions.of_user(actor.user).await?;
    sessions.retain(|session| session.token.is_some());
    Ok(sessions)
}

/// Creates an access token with a session of its own at the cloud, which requires the password.
///
/// # Errors
/// 422 for invalid values and a wrong password; 409 if the user has as many tokens as possible.
pub(super) async fn create(
    state: &CoreState,
    actor: &Actor,
    address: IpAddr,
    form: &AccountTokenForm,
) -> ApiResult<(SessionId, Session)> {
    let name = form.checked()?;
    let owner = sessions::current(state, actor).await?;
    // A stolen session must not allow more password guesses than the sign-in page.
    state.limiters.sign_in.check(address, &owner.user.email)?;
    let create = async {
        if all(state, actor).await?.len() >= MAX_TOKENS {
            return Err(ApiError::Conflict(format!("You already have {MAX_TOKENS} access tokens. Revoke one first.")));
        }
        let none = None::<String>;
        let fields = vec![
            FieldChange::new("token", none.clone(), name.as_str()),
            FieldChange::new("rights", none, form.rights()),
            FieldChange::new("expiresInDays", None::<u16>, form.expires_in_days),
        ];
        let target = AuditTarget::user(owner.user.id, owner.csp.as_deref());
        let change = Change { operation: Operation::CreateAccountToken, target, fields };
        let entry = audit::begin_for_session(&state.base, &owner, &change).await?;
        let (email, rights, days) = (&owner.user.email, form.rights.clone(), form.expires_in_days);
        let created = state.sessions.create_access_token(email, &form.password, name, rights, days).await;
        let created = created.map_err(|error| match error {
            ApiError::SignInFailed | ApiError::AccountLocked => ApiError::invalid("password", "is invalid"),
            other => other,
        });
        entry.end(&created).await;
        created
    };
    locked(&state.base, LockedRecord::User(actor.user), create).await
}

/// Ends the access token with this id, in the console and in the cloud.
///
/// # Errors
/// 404 if the user has no such token.
pub(super) async fn revoke(state: &CoreState, actor: &Actor, id: &str) -> ApiResult<()> {
    let tokens = all(state, actor).await?;
    let session = tokens.into_iter().find(|session| session.hash.public_id() == id).ok_or(ApiError::NotFound)?;
    let name = session.token.as_ref().map(|token| token.name.clone());
    let change = Change {
        operation: Operation::DeleteAccountToken,
        target: AuditTarget::user(actor.user, actor.csp.as_deref()),
        fields: vec![FieldChange::new("token", name, None::<String>)],
    };
    let entry = audit::begin(state, actor, &change).await?;
    let ended = state.sessions.sign_out(&session.hash).await;
    entry.end(&ended).await;
    ended
}

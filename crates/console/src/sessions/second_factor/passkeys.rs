//! Registers, checks, renames and removes passkeys. Callers check passwords.

use jiff::SignedDuration;
use serde_json::Value;
use uuid::Uuid;

use super::ceremony::{self, Ceremony, Credential};
use super::change::FactorChange;
use super::passkey_store::{self, Addition, MAX_PASSKEYS};
use super::relying_party::RelyingParty;
use super::service::{FactorKind, SecondFactors};
use crate::http::error::{ApiError, ApiResult};

/// How long a browser has to answer.
const CEREMONY_LIFETIME: SignedDuration = SignedDuration::from_mins(5);
/// The field of an answer that is not accepted.
const FIELD: &str = "passkey";

/// A registered passkey that is not stored yet.
pub(crate) struct CheckedPasskey(Credential);

impl SecondFactors {
    /// Begins to register a passkey. Returns the options for the browser. `email` is shown by the authenticator.
    ///
    /// # Errors
    /// 409 if the console's address permits no passkeys, or the person has as many as possible.
    pub(crate) async fn begin_passkey(&self, user: Uuid, email: &str) -> ApiResult<Value> {
        let existing = self.credentials(user).await?;
        if i64::try_from(existing.len()).is_ok_and(|count| count >= MAX_PASSKEYS) {
            return Err(too_many());
        }
        let begun = ceremony::begin_registration(self.party()?, user, email, &existing);
        self.store_ceremony(user, &registration(user), begun.map_err(ApiError::internal)?).await
    }

    /// Checks the browser's answer to [`begin_passkey`](Self::begin_passkey).
    ///
    /// # Errors
    /// 409 if no passkey is being registered; 422 for another answer.
    pub(crate) async fn check_registration(&self, user: Uuid, answer: &Value) -> ApiResult<CheckedPasskey> {
        let state = self.take_ceremony(user, &registration(user)).await?;
        ceremony::finish_registration(self.party()?, &state, answer).map(CheckedPasskey).map_err(|reason| {
            tracing::info!(%reason, "the registration of a passkey was refused");
            refused()
        })
    }

    /// Adds a passkey after its check, and notifies its owner by mail. Returns new recovery codes if the person had none.
    ///
    /// # Errors
    /// 409 if it is known already, or the person has as many as possible.
    pub(crate) async fn add_passkey(
        &self,
        user: Uuid,
        email: &str,
        name: String,
        CheckedPasskey(credential): CheckedPasskey,
    ) -> ApiResult<Vec<String>> {
        let (codes, hashes) = self.new_codes();
        let now = self.base.clock.now();
        let passkey = passkey_store::Passkey {
            id: self.base.random.uuid_at(now),
            name,
            added_at: now,
            last_used_at: None,
            credential,
        };
        let mail = self.mail(email, FactorChange::PasskeyAdded);
        let added = passkey_store::add(&self.base.db, user, &passkey, &hashes, mail.as_ref()).await?;
        self.mailer.wake_delivery();
        match added {
            Addition::Added { has_new_codes: true } => Ok(codes),
            Addition::Added { has_new_codes: false } => Ok(Vec::new()),
            Addition::TooMany => Err(too_many()),
            Addition::Known => Err(ApiError::Conflict("This passkey is registered already.".to_owned())),
        }
    }

    /// Begins to ask for a passkey. `purpose` identifies the pending sign-in, or the change that needs a proof. Returns the options for the browser.
    ///
    /// # Errors
    /// 409 if the console's address permits no passkeys, or the person has none.
    pub(crate) async fn begin_passkey_check(&self, user: Uuid, purpose: &str) -> ApiResult<Value> {
        let passkeys = self.credentials(user).await?;
        if passkeys.is_empty() {
            return Err(ApiError::Conflict("You have no passkey.".to_owned()));
        }
        let begun = ceremony::begin_assertion(self.party()?, &passkeys);
        self.store_ceremony(user, purpose, begun.map_err(ApiError::internal)?).await
    }

    /// Checks the browser's answer to [`begin_passkey_check`](Self::begin_passkey_check), which is used up.
    ///
    /// # Errors
    /// 409 if no passkey is asked for; 422 for another answer; 429 after too many attempts.
    pub(crate) async fn check_passkey(&self, user: Uuid, purpose: &str, answer: &Value) -> ApiResult<FactorKind> {
        self.count_attempt(user).await?;
        let state = self.take_ceremony(user, purpose).await?;
        let passkeys = self.credentials(user).await?;
        let (index, used) =
            ceremony::finish_assertion(self.party()?, &state, answer, user, &passkeys).map_err(|reason| {
                tracing::info!(%reason, "a passkey was refused");
                refused()
            })?;
        let (db, now) = (&self.base.db, self.base.clock.now());
        if passkey_store::use_passkey(db, user, &passkeys[index], &used, now).await? {
            Ok(FactorKind::Passkey)
        } else {
            Err(refused())
        }
    }

    /// Gives a passkey another name.
    ///
    /// # Errors
    /// 404 if the person has no passkey with this id.
    pub(crate) async fn rename_passkey(&self, user: Uuid, id: Uuid, name: &str) -> ApiResult<()> {
        let is_renamed = passkey_store::rename(&self.base.db, user, id, name).await?;
        if is_renamed { Ok(()) } else { Err(ApiError::NotFound) }
    }

    /// Removes a passkey, with the recovery codes if it is the last second factor, and notifies its owner by mail.
    ///
    /// # Errors
    /// 404 if the person has no passkey with this id.
    pub(crate) async fn remove_passkey(&self, user: Uuid, id: Uuid, email: &str) -> ApiResult<()> {
        let mail = |was_last| self.mail(email, FactorChange::PasskeyRemoved { was_last });
        let is_removed = passkey_store::remove(&self.base.db, user, id, mail).await?;
        self.mailer.wake_delivery();
        if is_removed { Ok(()) } else { Err(ApiError::NotFound) }
    }

    async fn credentials(&self, user: Uuid) -> ApiResult<Vec<Credential>> {
        let passkeys = passkey_store::all(&self.base.db, user).await?;
        Ok(passkeys.into_iter().map(|passkey| passkey.credential).collect())
    }

    /// # Errors
    /// 409 if the console's address permits no passkeys.
    fn party(&self) -> ApiResult<&RelyingParty> {
        self.party.as_ref().ok_or_else(|| {
            ApiError::Conflict("Passkeys need an address of the console with a domain and https.".to_owned())
        })
    }

    async fn store_ceremony(&self, user: Uuid, id: &str, ceremony: Ceremony) -> ApiResult<Value> {
        let now = self.base.clock.now();
        passkey_store::begin(&self.base.db, user, id, ceremony.state, now, now + CEREMONY_LIFETIME).await?;
        Ok(ceremony.options)
    }

    /// # Errors
    /// 409 if it has ended.
    async fn take_ceremony(&self, user: Uuid, id: &str) -> ApiResult<Vec<u8>> {
        let state = passkey_store::take(&self.base.db, user, id, self.base.clock.now()).await?;
        state.ok_or_else(|| ApiError::Conflict("This took too long. Please use the passkey again.".to_owned()))
    }
}

/// The id of the ceremony that registers a passkey of this person.
fn registration(user: Uuid) -> String {
    format!("registration:{user}")
}

fn refused() -> ApiError {
    ApiError::invalid(FIELD, "was not accepted")
}

fn too_many() -> ApiError {
    ApiError::Conflict(format!("You have {MAX_PASSKEYS} passkeys already. Remove one first."))
}

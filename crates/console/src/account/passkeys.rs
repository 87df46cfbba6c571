//! `/api/account/second-factor/passkeys`: the caller's passkeys.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::second_factor::{FactorProof, RecoveryCodes, begin_entry, check_addition, check_proof, proof_purpose};
use super::sessions;
use crate::audit::{FieldChange, Operation};
use crate::auth::PasskeyRequest;
use crate::forms::validation::Rules;
use crate::http::error::{ApiError, ApiResult};
use crate::http::request::{JsonBody, UuidPath};
use crate::idempotency::Unrepeatable;
use crate::policy::Actor;
use crate::sessions::second_factor::Passkey;
use crate::state::{CoreState, EnrollingActor};

/// Maximum length of a name in characters.
const MAX_NAME: usize = 40;

/// The options for `navigator.credentials.create`.
#[derive(Serialize, ToSchema)]
pub(crate) struct PasskeyCreation {
    /// In the form that `PublicKeyCredential.parseCreationOptionsFromJSON` reads.
    #[schema(value_type = Object)]
    options: Value,
}

/// A passkey that the browser has created.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewPasskey {
    /// A name for the list of passkeys and the audit; at most 40 characters.
    #[schema(required, value_type = String)]
    name: Option<String>,
    /// The result of `PublicKeyCredential.toJSON`.
    #[schema(value_type = Object)]
    credential: Value,
}

/// Another name of a passkey.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PasskeyName {
    /// At most 40 characters.
    #[schema(required, value_type = String)]
    name: Option<String>,
}

/// # Errors
/// 422 for an invalid name.
fn check_name(name: &Option<String>) -> ApiResult<String> {
    let mut rules = Rules::default();
    let name = rules.required("name", name);
    if !rules.refuses("name") && name.chars().count() > MAX_NAME {
        rules.refuse("name", format!("Must be at most {MAX_NAME} characters"));
    }
    rules.finish(name)
}

/// Begins to register a passkey. It counts once `PUT` has confirmed it within five minutes. The password is enough as long as no
/// second factor is set up.
#[utoipa::path(
    post, path = "/api/account/second-factor/passkeys", tag = "account", request_body = FactorProof,
    responses((status = 200, description = "The options for the browser", body = PasskeyCreation), ApiError)
)]
pub(super) async fn begin_passkey(
    State(state): State<CoreState>,
    EnrollingActor { actor, .. }: EnrollingActor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    JsonBody(proof): JsonBody<FactorProof>,
) -> ApiResult<Json<PasskeyCreation>> {
    let email = check_addition(&state, &actor, peer.ip(), &proof).await?;
    let options = state.second_factors.begin_passkey(actor.user, &email).await?;
    Ok(Json(PasskeyCreation { options }))
}

/// Adds the passkey that is being registered. Sign-ins ask for a second factor from now on. The response contains recovery codes
/// if the caller had none.
#[utoipa::path(
    put, path = "/api/account/second-factor/passkeys", tag = "account", request_body = NewPasskey,
    responses((status = 200, description = "The new recovery codes, if any", body = RecoveryCodes), ApiError)
)]
pub(super) async fn add_passkey(
    State(state): State<CoreState>,
    EnrollingActor { actor, .. }: EnrollingActor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    JsonBody(form): JsonBody<NewPasskey>,
) -> ApiResult<impl IntoResponse> {
    let name = check_name(&form.name)?;
    state.limiters.tokens.check(peer.ip(), &actor.user.to_string())?;
    let passkey = state.second_factors.check_registration(actor.user, &form.credential).await?;
    let email = sessions::current(&state, &actor).await?.user.email;
    let fields = vec![FieldChange::new("passkey", None::<String>, name.as_str())];
    let entry = begin_entry(&state, &actor, Operation::AddPasskey, fields).await?;
    let added = state.second_factors.add_passkey(actor.user, &email, name, passkey).await;
    entry.end(&added).await;
    Ok((Extension(Unrepeatable), Json(RecoveryCodes { codes: added? })))
}

/// Begins to ask for a passkey, for a change of the second factor that needs a proof.
#[utoipa::path(
    post, path = "/api/account/second-factor/passkeys/proof", tag = "account",
    responses((status = 200, description = "The options for the browser", body = PasskeyRequest), ApiError)
)]
pub(super) async fn begin_passkey_proof(
    State(state): State<CoreState>,
    actor: Actor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
) -> ApiResult<Json<PasskeyRequest>> {
    state.limiters.tokens.check(peer.ip(), &actor.user.to_string())?;
    let options = state.second_factors.begin_passkey_check(actor.user, &proof_purpose(&actor)).await?;
    Ok(Json(PasskeyRequest { options }))
}

/// Renames a passkey of the caller.
#[utoipa::path(
    put, path = "/api/account/second-factor/passkeys/{id}", tag = "account", request_body = PasskeyName,
    params(("id" = Uuid, Path, description = "The id in the list of passkeys")),
    responses((status = 204, description = "The passkey has this name"), ApiError)
)]
pub(super) async fn rename_passkey(
    State(state): State<CoreState>,
    actor: Actor,
    UuidPath(id): UuidPath,
    JsonBody(form): JsonBody<PasskeyName>,
) -> ApiResult<StatusCode> {
    let name = check_name(&form.name)?;
    let passkey = own_passkey(&state, &actor, id).await?;
    let fields = vec![FieldChange::new("passkey", passkey.name, name.as_str())];
    let entry = begin_entry(&state, &actor, Operation::RenamePasskey, fields).await?;
    let renamed = state.second_factors.rename_passkey(actor.user, id, &name).await;
    entry.end(&renamed).await;
    renamed?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a passkey of the caller, with the recovery codes if it is the last second factor.
#[utoipa::path(
    post, path = "/api/account/second-factor/passkeys/{id}/removal", tag = "account", request_body = FactorProof,
    params(("id" = Uuid, Path, description = "The id in the list of passkeys")),
    responses((status = 204, description = "The passkey is removed"), ApiError)
)]
pub(super) async fn remove_passkey(
    State(state): State<CoreState>,
    actor: Actor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    UuidPath(id): UuidPath,
    JsonBody(proof): JsonBody<FactorProof>,
) -> ApiResult<StatusCode> {
    let email = check_proof(&state, &actor, peer.ip(), &proof).await?;
    let passkey = own_passkey(&state, &actor, id).await?;
    let fields = vec![FieldChange::new("passkey", passkey.name, None::<String>)];
    let entry = begin_entry(&state, &actor, Operation::RemovePasskey, fields).await?;
    let removed = state.second_factors.remove_passkey(actor.user, id, &email).await;
    entry.end(&removed).await;
    removed?;
    Ok(StatusCode::NO_CONTENT)
}

/// # Errors
/// 404 if the caller has no passkey with this id.
async fn own_passkey(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<Passkey> {
    let passkeys = state.second_factors.status(actor.user).await?.passkeys;
    passkeys.into_iter().find(|passkey| passkey.id == id).ok_or(ApiError::NotFound)
}

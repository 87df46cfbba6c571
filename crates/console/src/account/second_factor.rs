//! `/api/account/second-factor`: the caller's second factor, authenticator app and recovery codes.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use devicecloud::SecretText;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::sessions;
use crate::audit::{self, AuditTarget, Change, Entry, FieldChange, Operation};
use crate::forms::password_rule::MAX_LENGTH;
use crate::http::error::{ApiError, ApiResult, FieldErrors};
use crate::http::request::JsonBody;
use crate::idempotency::Unrepeatable;
use crate::policy::Actor;
use crate::sessions::second_factor::{self, Code, INVALID_CODE, QrCode};
use crate::sessions::session::Session;
use crate::state::{CoreState, EnrollingActor};

/// The caller's second factor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SecondFactor {
    /// When the authenticator app was added; null without one.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    totp_added_at: Option<Timestamp>,
    passkeys: Vec<Passkey>,
    /// The domain that passkeys are bound to; null if the console's address permits no passkeys.
    #[schema(required)]
    passkey_domain: Option<String>,
    /// How many recovery codes are left.
    recovery_codes: i64,
}

/// One of the caller's passkeys.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Passkey {
    id: Uuid,
    /// The user's name for the passkey.
    name: String,
    #[schema(value_type = String, format = DateTime)]
    added_at: Timestamp,
    /// Null if it was never used at a sign-in.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
}

/// The caller's current password, and a code or a passkey.
#[derive(Deserialize, ToSchema)]
pub(crate) struct FactorProof {
    #[schema(value_type = String)]
    current: SecretText,
    /// The six digits of the authenticator app, or a recovery code. Spaces and hyphens are ignored. Required without a passkey, if a
    /// second factor is set up.
    code: Option<String>,
    /// The browser's answer to the last `POST /api/account/second-factor/passkeys/proof`, by `PublicKeyCredential.toJSON`. If
    /// there is one, the code is ignored.
    #[schema(value_type = Option<Object>)]
    passkey: Option<Value>,
}

/// A code of the authenticator app that is being set up.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TotpCode {
    /// The six digits of the app.
    code: String,
}

/// What an authenticator app needs. It is returned once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewTotp {
    /// The secret in base 32, to type into the app.
    secret: String,
    /// The address of the secret for apps on this device: `otpauth://…`.
    address: String,
    /// The address as a QR code.
    qr_code: QrCode,
}

/// Recovery codes. They are returned once.
#[derive(Serialize, ToSchema)]
pub(crate) struct RecoveryCodes {
    pub(super) codes: Vec<String>,
}

impl From<second_factor::Passkey> for Passkey {
    fn from(passkey: second_factor::Passkey) -> Self {
        let second_factor::Passkey { id, name, added_at, last_used_at, .. } = passkey;
        Self { id, name, added_at, last_used_at }
    }
}

/// Returns whether the caller has a second factor.
#[utoipa::path(
    get, path = "/api/account/second-factor", tag = "account",
    responses((status = 200, description = "The second factor", body = SecondFactor), ApiError)
)]
pub(super) async fn get_second_factor(
    State(state): State<CoreState>,
    EnrollingActor { actor, .. }: EnrollingActor,
) -> ApiResult<Json<SecondFactor>> {
    let status = state.second_factors.status(actor.user).await?;
    Ok(Json(SecondFactor {
        totp_added_at: status.totp_added_at,
        passkeys: status.passkeys.into_iter().map(Passkey::from).collect(),
        passkey_domain: state.second_factors.passkey_domain().map(str::to_owned),
        recovery_codes: status.recovery_codes,
    }))
}

/// Begins to set up an authenticator app. It counts once `PUT` has confirmed it with one of its codes. The password is enough as long
/// as no second factor is set up.
#[utoipa::path(
    post, path = "/api/account/second-factor/totp", tag = "account", request_body = FactorProof,
    responses((status = 200, description = "The secret for the app", body = NewTotp), ApiError)
)]
pub(super) async fn begin_totp(
    State(state): State<CoreState>,
    EnrollingActor { actor, .. }: EnrollingActor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    JsonBody(proof): JsonBody<FactorProof>,
) -> ApiResult<impl IntoResponse> {
    let email = check_addition(&state, &actor, peer.ip(), &proof).await?;
    let setup = state.second_factors.begin_totp(actor.user, &email).await?;
    let totp = NewTotp { secret: setup.secret, address: setup.address, qr_code: setup.qr_code };
    Ok((Extension(Unrepeatable), Json(totp)))
}

/// Adds the authenticator app that is being set up, with one of its codes. Sign-ins ask for a second factor from now on. The
/// response contains recovery codes if the caller had none.
#[utoipa::path(
    put, path = "/api/account/second-factor/totp", tag = "account", request_body = TotpCode,
    responses((status = 200, description = "The new recovery codes, if any", body = RecoveryCodes), ApiError)
)]
pub(super) async fn confirm_totp(
    State(state): State<CoreState>,
    EnrollingActor { actor, .. }: EnrollingActor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    JsonBody(TotpCode { code }): JsonBody<TotpCode>,
) -> ApiResult<impl IntoResponse> {
    check_format(None, Some(&code))?;
    state.limiters.tokens.check(peer.ip(), &actor.user.to_string())?;
    let code = Code::read(&code).ok_or_else(invalid_code)?;
    let setup = state.second_factors.check_setup(actor.user, &code).await?;
    let email = sessions::current(&state, &actor).await?.user.email;
    let entry = begin_entry(&state, &actor, Operation::ConfirmTotp, Vec::new()).await?;
    let added = state.second_factors.add_totp(actor.user, &email, &setup).await;
    entry.end(&added).await;
    Ok((Extension(Unrepeatable), Json(RecoveryCodes { codes: added? })))
}

/// Removes the caller's authenticator app. Without passkeys, the recovery codes end too, and sign-ins ask for the password only.
#[utoipa::path(
    post, path = "/api/account/second-factor/totp/removal", tag = "account", request_body = FactorProof,
    responses((status = 204, description = "The app is removed"), ApiError)
)]
pub(super) async fn remove_totp(
    State(state): State<CoreState>,
    actor: Actor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    JsonBody(proof): JsonBody<FactorProof>,
) -> ApiResult<StatusCode> {
    let email = check_proof(&state, &actor, peer.ip(), &proof).await?;
    let entry = begin_entry(&state, &actor, Operation::RemoveTotp, Vec::new()).await?;
    let removed = state.second_factors.remove_totp(actor.user, &email).await;
    entry.end(&removed).await;
    removed?;
    Ok(StatusCode::NO_CONTENT)
}

/// Replaces the caller's recovery codes. Earlier codes are not accepted any more.
#[utoipa::path(
    post, path = "/api/account/second-factor/recovery-codes", tag = "account", request_body = FactorProof,
    responses((status = 200, description = "The new recovery codes", body = RecoveryCodes), ApiError)
)]
pub(super) async fn create_recovery_codes(
    State(state): State<CoreState>,
    actor: Actor,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    JsonBody(proof): JsonBody<FactorProof>,
) -> ApiResult<impl IntoResponse> {
    let email = check_proof(&state, &actor, peer.ip(), &proof).await?;
    let entry = begin_entry(&state, &actor, Operation::CreateRecoveryCodes, Vec::new()).await?;
    let renewed = state.second_factors.renew_recovery_codes(actor.user, &email).await;
    entry.end(&renewed).await;
    Ok((Extension(Unrepeatable), Json(RecoveryCodes { codes: renewed? })))
}

/// Checks the password and then the code or the passkey's answer, which is used up. Returns the caller's address.
///
/// # Errors
/// 409 without a second factor; 422 with the wrong field; 429 after too many attempts.
pub(super) async fn check_proof(
    state: &CoreState,
    actor: &Actor,
    address: IpAddr,
    proof: &FactorProof,
) -> ApiResult<String> {
    let typed = proof.code.as_deref().unwrap_or_default();
    check_format(Some(&proof.current), proof.passkey.is_none().then_some(typed))?;
    if !state.second_factors.is_set_up(actor.user).await? {
        return Err(ApiError::Conflict("You have not set up a second factor.".to_owned()));
    }
    let session = sessions::current(state, actor).await?;
    check_password(state, &session, address, &proof.current).await?;
    let factors = &state.second_factors;
    match &proof.passkey {
        Some(answer) => factors.check_passkey(actor.user, &proof_purpose(actor), answer).await?,
        None => factors.check(actor.user, &Code::read(typed).ok_or_else(invalid_code)?).await?,
    };
    Ok(session.user.email)
}

/// Checks the proof for a further second factor, or the password alone for the first one. Returns the caller's address.
///
/// # Errors
/// As [`check_proof`], but not without a second factor.
pub(super) async fn check_addition(
    state: &CoreState,
    actor: &Actor,
    address: IpAddr,
    proof: &FactorProof,
) -> ApiResult<String> {
    if state.second_factors.is_set_up(actor.user).await? {
        return check_proof(state, actor, address, proof).await;
    }
    check_format(Some(&proof.current), proof.code.as_deref())?;
    let session = sessions::current(state, actor).await?;
    check_password(state, &session, address, &proof.current).await?;
    Ok(session.user.email)
}

/// What a passkey is asked for, besides sign-ins.
pub(super) fn proof_purpose(actor: &Actor) -> String {
    format!("proof:{}", actor.user)
}

/// # Errors
/// 422 with each field that cannot be right.
pub(super) fn check_format(password: Option<&SecretText>, code: Option<&str>) -> ApiResult<()> {
    let mut errors = FieldErrors::new();
    if let Some(password) = password.map(SecretText::expose) {
        if password.is_empty() {
            errors.insert("current".to_owned(), vec!["Required".to_owned()]);
        } else if password.chars().count() > MAX_LENGTH {
            errors.insert("current".to_owned(), vec![format!("Must not have more than {MAX_LENGTH} characters")]);
        }
    }
    match code {
        Some(code) if code.trim().is_empty() => {
            errors.insert("code".to_owned(), vec!["Required".to_owned()]);
        }
        Some(code) if Code::read(code).is_none() => {
            errors.insert("code".to_owned(), vec![INVALID_CODE.to_owned()]);
        }
        _ => {}
    }
    if errors.is_empty() { Ok(()) } else { Err(ApiError::Invalid(errors)) }
}

fn invalid_code() -> ApiError {
    ApiError::invalid("code", INVALID_CODE)
}

/// A stolen session must not allow more password guesses than the sign-in page.
pub(super) async fn check_password(
    state: &CoreState,
    session: &Session,
    address: IpAddr,
    password: &SecretText,
) -> ApiResult<()> {
    let email = &session.user.email;
    state.limiters.sign_in.check(address, email)?;
    match state.sessions.check_password(email, password).await {
        Err(ApiError::SignInFailed | ApiError::AccountLocked) => Err(ApiError::invalid("current", "is invalid")),
        checked => checked,
    }
}

/// Records that a change of the caller's second factor starts.
pub(super) async fn begin_entry(
    state: &CoreState,
    actor: &Actor,
    operation: Operation,
    fields: Vec<FieldChange>,
) -> ApiResult<Entry> {
    let target = AuditTarget::user(actor.user, actor.csp.as_deref());
    audit::begin(state, actor, &Change { operation, target, fields }).await
}

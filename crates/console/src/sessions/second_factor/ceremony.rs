//! The two ceremonies of passkeys (WebAuthn): registration and assertion. Both require that the authenticator verifies the person.
//!
//! The library draws the challenges, and limits a ceremony to five minutes of the system's clock.

use std::error::Error;

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;
use webauthn_rp::bin::{Decode, Encode};
use webauthn_rp::request::auth::{
    AllowedCredentials, AuthenticationVerificationOptions, NonDiscoverableAuthenticationServerState,
    NonDiscoverableCredentialRequestOptions,
};
use webauthn_rp::request::register::{
    PublicKeyCredentialCreationOptions, PublicKeyCredentialUserEntity, RegistrationServerState,
    RegistrationVerificationOptions, UserHandle16, Username,
};
use webauthn_rp::request::{
    AsciiDomain, Credentials, PublicKeyCredentialDescriptor, RpId, UserVerificationRequirement,
};
use webauthn_rp::response::register::{DynamicState, StaticState};
use webauthn_rp::response::{AuthTransports, CredentialId, Origin};
use webauthn_rp::{AuthenticatedCredential, NonDiscoverableAuthentication16, Registration};

use super::relying_party::{PageOrigin, RelyingParty};

/// A ceremony that awaits the answer of a browser.
pub(super) struct Ceremony {
    /// The options for the browser, as JSON.
    pub(super) options: Value,
    /// Data for the check of the answer.
    pub(super) state: Vec<u8>,
}

/// The stored parts of a passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Credential {
    pub(super) id: Vec<u8>,
    pub(super) transports: i64,
    /// The public key.
    pub(super) static_state: Vec<u8>,
    /// Changes with each use: the counter, and whether the passkey is backed up.
    pub(super) dynamic_state: Vec<u8>,
}

/// An answer that does not fit the ceremony. The reason is for the log.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Refused(Box<dyn Error + Send + Sync>);

impl Refused {
    fn because(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(reason.into())
    }
}

impl PartialEq<Origin<'_>> for PageOrigin {
    fn eq(&self, origin: &Origin<'_>) -> bool {
        self.is(&origin.0)
    }
}

/// Begins to register a passkey of a person, other than the existing ones.
pub(super) fn begin_registration(
    party: &RelyingParty,
    user: Uuid,
    email: &str,
    existing: &[Credential],
) -> Result<Ceremony, Refused> {
    let (rp_id, handle) = (rp_id(party)?, handle(user)?);
    let entity = PublicKeyCredentialUserEntity {
        name: Username::try_from(email).map_err(Refused::because)?,
        id: &handle,
        display_name: None,
    };
    let excluded = existing.iter().map(descriptor).collect::<Result<_, _>>()?;
    let mut options = PublicKeyCredentialCreationOptions::second_factor(&rp_id, entity, excluded);
    options.authenticator_selection.user_verification = UserVerificationRequirement::Required;
    let (server, client) = options.start_ceremony().map_err(Refused::because)?;
    Ok(Ceremony { options: json(&client)?, state: server.encode().map_err(Refused::because)? })
}

/// Checks the answer to [`begin_registration`].
pub(super) fn finish_registration(party: &RelyingParty, state: &[u8], answer: &Value) -> Result<Credential, Refused> {
    let state = RegistrationServerState::<16>::decode(state).map_err(Refused::because)?;
    let answer = answer.to_string();
    let registration = Registration::from_json_relaxed(answer.as_bytes()).map_err(Refused::because)?;
    let options = RegistrationVerificationOptions::<PageOrigin, PageOrigin> {
        allowed_origins: std::slice::from_ref(party.origin()),
        error_on_unsolicited_extensions: false,
        ..RegistrationVerificationOptions::default()
    };
    let registered = state.verify(&rp_id(party)?, &registration, &options).map_err(Refused::because)?;
    let Ok(transports) = registered.transports().encode();
    let Ok(static_state) = registered.static_state().encode();
    let Ok(dynamic_state) = registered.dynamic_state().encode();
    Ok(Credential {
        id: registered.id().as_ref().to_vec(),
        transports: transports.into(),
        static_state,
        dynamic_state: dynamic_state.to_vec(),
    })
}

/// Begins to ask for one of these passkeys.
pub(super) fn begin_assertion(party: &RelyingParty, passkeys: &[Credential]) -> Result<Ceremony, Refused> {
    let mut allowed = AllowedCredentials::with_capacity(passkeys.len());
    for passkey in passkeys {
        allowed.push(descriptor(passkey)?.into());
    }
    let rp_id = rp_id(party)?;
    let mut options =
        NonDiscoverableCredentialRequestOptions::second_factor(&rp_id, allowed).map_err(Refused::because)?;
    options.options().user_verification = UserVerificationRequirement::Required;
    let (server, client) = options.start_ceremony().map_err(Refused::because)?;
    Ok(Ceremony { options: json(&client)?, state: server.encode().map_err(Refused::because)? })
}

/// Checks the answer to [`begin_assertion`] for a person with these passkeys. Returns the index of the used one and its new
/// state.
pub(super) fn finish_assertion(
    party: &RelyingParty,
    state: &[u8],
    answer: &Value,
    user: Uuid,
    passkeys: &[Credential],
) -> Result<(usize, Credential), Refused> {
    let state = NonDiscoverableAuthenticationServerState::decode(state).map_err(Refused::because)?;
    let answer = answer.to_string();
    let assertion = NonDiscoverableAuthentication16::from_json_relaxed(answer.as_bytes()).map_err(Refused::because)?;
    let index = passkeys.iter().position(|passkey| passkey.id == assertion.raw_id().as_ref());
    let index = index.ok_or_else(|| Refused::because("it is no passkey of the person"))?;
    let used = &passkeys[index];
    let handle = handle(user)?;
    let dynamic_state = <[u8; 7]>::try_from(used.dynamic_state.as_slice()).map_err(Refused::because)?;
    let mut credential = AuthenticatedCredential::new(
        CredentialId::<&[u8]>::decode(used.id.as_slice()).map_err(Refused::because)?,
        &handle,
        StaticState::decode(used.static_state.as_slice()).map_err(Refused::because)?,
        DynamicState::decode(dynamic_state).map_err(Refused::because)?,
    )
    .map_err(Refused::because)?;
    let options = AuthenticationVerificationOptions::<PageOrigin, PageOrigin> {
        allowed_origins: std::slice::from_ref(party.origin()),
        error_on_unsolicited_extensions: false,
        ..AuthenticationVerificationOptions::default()
    };
    state.verify(&rp_id(party)?, &assertion, &mut credential, &options).map_err(Refused::because)?;
    let Ok(dynamic_state) = credential.dynamic_state().encode();
    Ok((index, Credential { dynamic_state: dynamic_state.to_vec(), ..used.clone() }))
}

fn rp_id(party: &RelyingParty) -> Result<RpId, Refused> {
    AsciiDomain::try_from(party.domain().to_owned()).map(RpId::Domain).map_err(Refused::because)
}

fn handle(user: Uuid) -> Result<UserHandle16, Refused> {
    UserHandle16::decode(user.into_bytes()).map_err(Refused::because)
}

fn descriptor(passkey: &Credential) -> Result<PublicKeyCredentialDescriptor<Vec<u8>>, Refused> {
    let transports = u8::try_from(passkey.transports).map_err(Refused::because)?;
    Ok(PublicKeyCredentialDescriptor {
        id: CredentialId::<Vec<u8>>::decode(passkey.id.clone()).map_err(Refused::because)?,
        transports: AuthTransports::decode(transports).map_err(Refused::because)?,
    })
}

fn json(client: &impl Serialize) -> Result<Value, Refused> {
    serde_json::to_value(client).map_err(Refused::because)
}

//! The second factor of people: codes of an authenticator app (TOTP), passkeys, and recovery codes in case those are lost.
//!
//! The cloud knows nothing of it. A sign-in whose password the cloud has accepted stays
//! [pending](crate::sessions::session::PendingSignIn) until a code or a passkey is checked here.

mod ceremony;
mod change;
mod code;
mod passkey_store;
mod passkeys;
mod qr;
mod recovery_codes;
mod relying_party;
mod service;
mod store;
mod totp;

pub(crate) use code::{Code, INVALID_CODE};
pub(crate) use passkey_store::Passkey;
pub(crate) use qr::QrCode;
pub(crate) use relying_party::RelyingParty;
pub(crate) use service::{FactorKind, SECRETS, SecondFactors};

//! The second factor of people: codes of an authenticator app (TOTP), and recovery codes in case it is lost.
//!
//! The cloud knows nothing of it. A sign-in whose password the cloud has accepted stays
//! [pending](crate::session::PendingSignIn) until a code is checked here.

mod change;
mod code;
mod qr;
mod recovery_codes;
mod service;
mod store;
mod totp;

pub(crate) use change::FactorChange;
pub(crate) use code::{Code, INVALID_CODE};
pub(crate) use qr::QrCode;
pub(crate) use service::{FactorKind, SecondFactors};

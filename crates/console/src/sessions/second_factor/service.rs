//! Sets up, checks and removes second factors. Callers check passwords.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::change::FactorChange;
use super::code::Code;
use super::passkey_store::{self, Passkey};
use super::qr::QrCode;
use super::relying_party::RelyingParty;
use super::store::StoredTotp;
use super::totp::{SECRET_BYTES, Totp};
use super::{recovery_codes, store, totp};
use crate::base::Base;
use crate::http::error::{ApiError, ApiResult};
use crate::mail::{Mail, Mailer};
use crate::secrets::cipher::Cipher;
use crate::secrets::sealed_column::{SealedColumn, sealed_column};

/// The secrets of authenticator apps. Without its secret an app would not be required any more, so they are never discarded.
pub(crate) const SECRETS: SealedColumn = sealed_column!(
    "authenticator apps", "second_factors", "user_id", "totp_secret", |user| format!("totp:{user}").into_bytes(),
    is_discardable: false
);
/// How many codes and passkeys a person may try within [`WINDOW`], accepted ones excluded.
const MAX_ATTEMPTS: i64 = 10;
const WINDOW: SignedDuration = SignedDuration::from_hours(1);
/// The name of an account only matters for its address.
const ACCOUNT: &str = "account";
/// The error of a code that is not accepted, or was used already.
const WRONG_CODE: &str = "is not the current code";

/// The second factors of all people. Cheap to clone.
#[derive(Clone)]
pub(crate) struct SecondFactors {
    pub(super) base: Base,
    cipher: Cipher,
    pub(super) mailer: Mailer,
    /// `None` if the console's address permits no passkeys.
    pub(super) party: Option<RelyingParty>,
}

/// A person's second factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    /// When the authenticator app was added, if there is one.
    pub(crate) totp_added_at: Option<Timestamp>,
    pub(crate) passkeys: Vec<Passkey>,
    /// How many recovery codes are left.
    pub(crate) recovery_codes: i64,
}

/// An authenticator app that is being set up.
pub(crate) struct TotpSetup {
    /// The secret in base 32, to type into the app.
    pub(crate) secret: String,
    /// The address for apps: `otpauth://…`.
    pub(crate) address: String,
    /// The address to scan.
    pub(crate) qr_code: QrCode,
}

/// A setup whose first code was right.
pub(crate) struct CheckedSetup {
    totp: StoredTotp,
    step: i64,
}

/// A way to prove the second step of a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FactorKind {
    /// A code of an authenticator app.
    Totp,
    Passkey,
    RecoveryCode,
}

impl SecondFactors {
    pub(crate) fn new(base: Base, cipher: Cipher, mailer: Mailer, party: Option<RelyingParty>) -> Self {
        Self { base, cipher, mailer, party }
    }

    /// Whether the person needs a second factor at sign-in.
    pub(crate) async fn is_set_up(&self, user: Uuid) -> ApiResult<bool> {
        Ok(store::is_set_up(&self.base.db, user).await?)
    }

    /// The domain that passkeys are bound to. `None` if the console's address permits no passkeys.
    pub(crate) fn passkey_domain(&self) -> Option<&str> {
        self.party.as_ref().map(RelyingParty::domain)
    }

    /// The ways in which the person can prove the second step of a sign-in.
    pub(crate) async fn kinds(&self, user: Uuid) -> ApiResult<Vec<FactorKind>> {
        let status = self.status(user).await?;
        let kinds = [
            (FactorKind::Passkey, self.party.is_some() && !status.passkeys.is_empty()),
            (FactorKind::Totp, status.totp_added_at.is_some()),
            (FactorKind::RecoveryCode, status.recovery_codes > 0),
        ];
        Ok(kinds.into_iter().filter(|(_, is_possible)| *is_possible).map(|(kind, _)| kind).collect())
    }

    pub(crate) async fn status(&self, user: Uuid) -> ApiResult<Status> {
        let totp = store::totp(&self.base.db, user).await?;
        Ok(Status {
            totp_added_at: totp.and_then(|totp| totp.added_at),
            passkeys: passkey_store::all(&self.base.db, user).await?,
            recovery_codes: store::count_codes(&self.base.db, user).await?,
        })
    }

    /// Begins to set up an authenticator app with a new secret, which is returned only here. `email` is shown in the app.
    ///
    /// # Errors
    /// 409 if there is one already.
    pub(crate) async fn begin_totp(&self, user: Uuid, email: &str) -> ApiResult<TotpSetup> {
        let secret: [u8; SECRET_BYTES] = self.base.random.bytes();
        let sealed = self.cipher.seal(&context(user), &secret);
        if !store::begin_totp(&self.base.db, user, sealed).await? {
            return Err(ApiError::Conflict("You have set up an authenticator app already.".to_owned()));
        }
        let totp = Totp::new(&secret, email).map_err(ApiError::internal)?;
        let address = totp.address().map_err(ApiError::internal)?;
        let qr_code =
            QrCode::of(&address).ok_or_else(|| ApiError::internal("the address is too long for a QR code"))?;
        Ok(TotpSetup { secret: totp::written(&secret), address, qr_code })
    }

    /// Checks that `code` is one of the app that is being set up.
    ///
    /// # Errors
    /// 409 if no app is being set up; 422 for a wrong code; 429 after too many of them.
    pub(crate) async fn check_setup(&self, user: Uuid, code: &Code) -> ApiResult<CheckedSetup> {
        let totp = store::totp(&self.base.db, user).await?.filter(|totp| totp.added_at.is_none());
        let totp = totp.ok_or_else(not_begun)?;
        self.count_attempt(user).await?;
        let step = self.step_of(user, &totp.sealed_secret, code)?.ok_or_else(wrong)?;
        Ok(CheckedSetup { totp, step })
    }

    /// Adds an app after its check, and notifies its owner by mail. Returns new recovery codes, only here, if the person had none.
    ///
    /// # Errors
    /// 409 if another setup was begun meanwhile.
    pub(crate) async fn add_totp(&self, user: Uuid, email: &str, setup: &CheckedSetup) -> ApiResult<Vec<String>> {
        let (codes, hashes) = self.new_codes();
        let (db, now) = (&self.base.db, self.base.clock.now());
        let mail = self.mail(email, FactorChange::TotpAdded);
        let added = store::confirm_totp(db, user, &setup.totp, setup.step, now, &hashes, mail.as_ref()).await?;
        self.mailer.wake_delivery();
        let has_new_codes = added.ok_or_else(not_begun)?;
        Ok(if has_new_codes { codes } else { Vec::new() })
    }

    /// Checks a code of the app, or a recovery code, and uses it up.
    ///
    /// # Errors
    /// 409 without a second factor; 422 for a wrong code; 429 after too many of them.
    pub(crate) async fn check(&self, user: Uuid, code: &Code) -> ApiResult<FactorKind> {
        if !self.is_set_up(user).await? {
            return Err(not_set_up());
        }
        self.count_attempt(user).await?;
        let (kind, is_accepted) = match code {
            Code::Totp(_) => (FactorKind::Totp, self.accept_totp(user, code).await?),
            Code::Recovery(hash) => (FactorKind::RecoveryCode, store::use_code(&self.base.db, user, hash).await?),
        };
        if is_accepted { Ok(kind) } else { Err(wrong()) }
    }

    /// Replaces the recovery codes. Returns the new ones, only here.
    ///
    /// # Errors
    /// 409 without a second factor.
    pub(crate) async fn renew_recovery_codes(&self, user: Uuid, email: &str) -> ApiResult<Vec<String>> {
        let (codes, hashes) = self.new_codes();
        let mail = self.mail(email, FactorChange::RecoveryCodesReplaced);
        let are_renewed = store::renew_codes(&self.base.db, user, &hashes, mail.as_ref()).await?;
        self.mailer.wake_delivery();
        if are_renewed { Ok(codes) } else { Err(not_set_up()) }
    }

    /// Removes the authenticator app, with the recovery codes if it is the last second factor, and notifies its owner by mail.
    ///
    /// # Errors
    /// 409 without an app.
    pub(crate) async fn remove_totp(&self, user: Uuid, email: &str) -> ApiResult<()> {
        let mail = |was_last| self.mail(email, FactorChange::TotpRemoved { was_last });
        let is_removed = store::remove_totp(&self.base.db, user, mail).await?;
        self.mailer.wake_delivery();
        if is_removed { Ok(()) } else { Err(not_set_up()) }
    }

    /// Removes all second factors with the recovery codes, and notifies their owner by mail.
    pub(crate) async fn reset(&self, user: Uuid, email: &str) -> ApiResult<()> {
        let mail = self.mail(email, FactorChange::Reset);
        store::remove_all(&self.base.db, user, mail.as_ref()).await?;
        self.mailer.wake_delivery();
        Ok(())
    }

    /// Removes all second factors of a person who has been removed.
    pub(crate) async fn forget(&self, user: Uuid) -> ApiResult<()> {
        Ok(store::remove_all(&self.base.db, user, None).await?)
    }

    pub(super) fn mail(&self, recipient: &str, change: FactorChange) -> Option<Mail> {
        self.mailer.write(recipient, change.subject(), change.body())
    }

    /// Checks a code of the app and uses it up. False without an app.
    async fn accept_totp(&self, user: Uuid, code: &Code) -> ApiResult<bool> {
        let totp = store::totp(&self.base.db, user).await?.filter(|totp| totp.added_at.is_some());
        let Some(totp) = totp else { return Ok(false) };
        match self.step_of(user, &totp.sealed_secret, code)? {
            Some(step) => Ok(store::accept_step(&self.base.db, user, step).await?),
            None => Ok(false),
        }
    }

    /// # Errors
    /// 429 after too many attempts.
    pub(super) async fn count_attempt(&self, user: Uuid) -> ApiResult<()> {
        let (db, now) = (&self.base.db, self.base.clock.now());
        if store::count_attempt(db, user, now, WINDOW, MAX_ATTEMPTS).await? {
            return Ok(());
        }
        let since = store::attempts_since(db, user).await?.unwrap_or(now);
        let wait = (since + WINDOW).duration_since(now).as_secs();
        Err(ApiError::TooManyRequests { retry_after_secs: u64::try_from(wait).unwrap_or_default() + 1 })
    }

    /// The time step of an app's code; `None` for another code.
    fn step_of(&self, user: Uuid, sealed_secret: &[u8], code: &Code) -> ApiResult<Option<i64>> {
        let Code::Totp(digits) = code else { return Ok(None) };
        // A secret of a key that is not configured any more cannot be checked: a recovery code is needed.
        let Ok(secret) = self.cipher.open(&context(user), sealed_secret) else {
            tracing::error!("the secret of an authenticator app cannot be decrypted: is its token key missing?");
            return Ok(None);
        };
        let totp = Totp::new(&secret, ACCOUNT).map_err(ApiError::internal)?;
        Ok(totp.step_of(digits, self.base.clock.now()))
    }

    /// New recovery codes and their hashes.
    pub(super) fn new_codes(&self) -> (Vec<String>, Vec<String>) {
        let codes = recovery_codes::generate(&self.base.random);
        let hashes = codes.iter().filter_map(|code| recovery_codes::hash(&code.replace('-', ""))).collect();
        (codes, hashes)
    }
}

impl FactorKind {
    /// The name in the audit.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Passkey => "passkey",
            Self::RecoveryCode => "recovery_code",
        }
    }
}

/// Binds an encrypted secret to its person.
fn context(user: Uuid) -> Vec<u8> {
    (SECRETS.context)(&user.to_string())
}

fn wrong() -> ApiError {
    ApiError::invalid("code", WRONG_CODE)
}

fn not_begun() -> ApiError {
    ApiError::Conflict("Please begin to set up the authenticator app again.".to_owned())
}

fn not_set_up() -> ApiError {
    ApiError::Conflict("You have not set up a second factor.".to_owned())
}

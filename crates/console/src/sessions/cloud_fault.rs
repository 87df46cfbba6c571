//! Reasons why the device cloud does not serve the console.

use devicecloud::{Error, ErrorKind};

/// What the cloud says of an account after too many wrong passwords (docs/wire.md#users).
pub(crate) const LOCKED: &str = "Your account is locked.";

/// Why the device cloud does not serve the console. The message names the option to check.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CloudFault {
    /// The server speaks TLS.
    #[error("the server at this address does not speak plain http (--cloud): does its address begin with https://?")]
    NotPlain,
    /// The certificate of the server was signed by an authority that this machine does not know.
    #[error(
        "this machine does not trust the issuer of the device cloud's certificate (--cloud): add a private authority to the system, or \
         name its file in the environment variable SSL_CERT_FILE"
    )]
    UnknownIssuer,
    /// There was no response, or a server error.
    #[error("the device cloud cannot be reached (--cloud): {0}")]
    Unreachable(Error),
    /// Another kind of server responds at this address.
    #[error("the server at this address is not a device cloud (--cloud)")]
    NotACloud,
    /// The cloud does not say whether the id or the secret is wrong.
    #[error(
        "the device cloud rejected the console's application (--app-secret-file; or --app-id, if there is no such one)"
    )]
    Application,
    /// The cloud does not say whether the address or the password is wrong.
    #[error(
        "the device cloud rejected the console's account (--service-password-file; or --service-email, if there is no such \
         one): {0}"
    )]
    Account(Error),
    /// After too many wrong passwords.
    #[error(
        "the console's account is locked at the device cloud, after wrong passwords (--service-password-file): correct the password and \
         wait half an hour, or run `sillage cloud user unlock` with the address of --service-email"
    )]
    Locked,
    /// The index would contain only a part of the fleet.
    #[error("the console's account is no administrator at the device cloud (--service-email)")]
    NotAdministrator,
}

impl CloudFault {
    /// Classifies the error of a sign-in, or of a call with its tokens.
    pub(crate) fn of(error: Error) -> Self {
        match (error.kind(), error.status()) {
            (ErrorKind::Json, _) | (_, Some(405)) => Self::NotACloud,
            // Another server knows no such address, and says nothing about an application.
            (ErrorKind::Auth, Some(404)) if error.message().contains("application") => Self::Application,
            (ErrorKind::Auth, Some(404)) => Self::NotACloud,
            (ErrorKind::Auth, _) if error.message() == LOCKED => Self::Locked,
            (_, Some(status @ 400..=499)) if !matches!(status, 408 | 429) => Self::Account(error),
            (_, None) if is_caused_by(&error, "invalid HTTP version") => Self::NotPlain,
            (_, None) if is_caused_by(&error, "UnknownIssuer") => Self::UnknownIssuer,
            _ => Self::Unreachable(error),
        }
    }

    /// Whether the console may start regardless, because the cloud may become reachable.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::NotPlain | Self::UnknownIssuer)
    }
}

/// Whether an error or one of its causes says so. The network layers have no types for these.
fn is_caused_by(error: &Error, text: &str) -> bool {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.into_iter().any(|cause| cause.to_string().contains(text))
}

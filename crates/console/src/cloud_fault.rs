//! Reasons why the device cloud does not serve the console.

use devicecloud::{Error, ErrorKind};

/// Why the device cloud does not serve the console. The message names the option to check.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CloudFault {
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
    /// The index would contain only a part of the fleet.
    #[error("the console's account is no administrator at the device cloud (--service-email)")]
    NotAdministrator,
}

impl CloudFault {
    /// Classifies the error of a sign-in, or of a call with its tokens.
    pub(crate) fn of(error: Error) -> Self {
        match (error.kind(), error.status()) {
            (ErrorKind::Json, _) | (_, Some(405)) => Self::NotACloud,
            // The cloud responds 404 in JSON, another web server in HTML.
            (ErrorKind::Auth, Some(404)) if error.message().starts_with('<') => Self::NotACloud,
            (ErrorKind::Auth, Some(404)) => Self::Application,
            (_, Some(status @ 400..=499)) if !matches!(status, 408 | 429) => Self::Account(error),
            _ => Self::Unreachable(error),
        }
    }

    /// Whether the console may start regardless, because the cloud may become reachable.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable(_))
    }
}

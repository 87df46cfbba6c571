//! The mail to the owner of a second factor about a change of it.

/// A change of a second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FactorChange {
    TotpAdded,
    TotpRemoved {
        was_last: bool,
    },
    PasskeyAdded,
    PasskeyRemoved {
        was_last: bool,
    },
    /// By an administrator.
    Reset,
    RecoveryCodesReplaced,
}

impl FactorChange {
    pub(super) fn subject(self) -> &'static str {
        match self {
            Self::TotpAdded => "Two-step sign-in was turned on",
            Self::PasskeyAdded => "A passkey was added to your account",
            Self::TotpRemoved { was_last: true } | Self::PasskeyRemoved { was_last: true } => {
                "Two-step sign-in was turned off"
            }
            Self::TotpRemoved { was_last: false } => "Your authenticator app was removed",
            Self::PasskeyRemoved { was_last: false } => "A passkey of your account was removed",
            Self::Reset => "An administrator has reset your two-step sign-in",
            Self::RecoveryCodesReplaced => "Your recovery codes were replaced",
        }
    }

    pub(super) fn body(self) -> String {
        let what = match self {
            Self::TotpAdded => {
                "An authenticator app was added to your account. From now on, a sign-in needs a code of the app, or another \
                 second step that you have set up."
            }
            Self::PasskeyAdded => {
                "A passkey was added to your account. From now on, a sign-in needs a passkey, or another second step that you \
                 have set up."
            }
            Self::TotpRemoved { was_last: true } => {
                "The authenticator app of your account was removed. A sign-in needs your password only."
            }
            Self::PasskeyRemoved { was_last: true } => {
                "The last passkey of your account was removed. A sign-in needs your password only."
            }
            Self::TotpRemoved { was_last: false } => {
                "The authenticator app of your account was removed. A sign-in needs one of your passkeys."
            }
            Self::PasskeyRemoved { was_last: false } => {
                "A passkey was removed from your account. A sign-in needs another second step that you have set up."
            }
            Self::Reset => {
                "An administrator has removed the second step of your sign-in. A sign-in needs your password only, until you \
                 set up an authenticator app or a passkey again."
            }
            Self::RecoveryCodesReplaced => {
                "New recovery codes were created for your account. The earlier ones are not accepted."
            }
        };
        format!(
            "{what}\n\nIf you did not do this or ask for it, set a new password now, end your other sessions, and tell your \
             administrator.\n\nSillage\n"
        )
    }
}

//! What the owner of a second factor is told about a change of it.

/// A change of a second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FactorChange {
    Added,
    Removed,
    /// By an administrator.
    Reset,
    RecoveryCodesReplaced,
}

impl FactorChange {
    pub(super) fn subject(self) -> &'static str {
        match self {
            Self::Added => "Two-step sign-in was turned on",
            Self::Removed => "Two-step sign-in was turned off",
            Self::Reset => "An administrator has reset your two-step sign-in",
            Self::RecoveryCodesReplaced => "Your recovery codes were replaced",
        }
    }

    pub(super) fn body(self) -> String {
        let what = match self {
            Self::Added => {
                "An authenticator app was added to your account. From now on, a sign-in needs a code of the app."
            }
            Self::Removed => "The authenticator app of your account was removed. A sign-in needs your password only.",
            Self::Reset => {
                "An administrator has removed the authenticator app of your account. A sign-in needs your password only, until \
                 you set up an app again."
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

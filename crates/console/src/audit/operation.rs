//! The changes that are written down.

use serde::Serialize;
use utoipa::ToSchema;

/// An operation that changes something, by its id in api/openapi.json.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AuditOperation)]
pub(crate) enum Operation {
    CreateDevice,
    UpdateDevice,
    UpdateDeviceSettings,
    UpdateDeviceSchedule,
    ResetFragranceLevel,
    UpdateAccount,
    UpdateAccountPassword,
    CreateCsp,
    UpdateCsp,
    DeleteCsp,
    InviteUser,
    UpdateUser,
    RemoveUser,
    SendPasswordReset,
    ResendConfirmation,
    CreateSession,
    DeleteSession,
    DeleteAccountSession,
    DeleteOtherAccountSessions,
}

impl Operation {
    const ALL: [Self; 19] = [
        Self::CreateDevice,
        Self::UpdateDevice,
        Self::UpdateDeviceSettings,
        Self::UpdateDeviceSchedule,
        Self::ResetFragranceLevel,
        Self::UpdateAccount,
        Self::UpdateAccountPassword,
        Self::CreateCsp,
        Self::UpdateCsp,
        Self::DeleteCsp,
        Self::InviteUser,
        Self::UpdateUser,
        Self::RemoveUser,
        Self::SendPasswordReset,
        Self::ResendConfirmation,
        Self::CreateSession,
        Self::DeleteSession,
        Self::DeleteAccountSession,
        Self::DeleteOtherAccountSessions,
    ];

    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::CreateDevice => "create_device",
            Self::UpdateDevice => "update_device",
            Self::UpdateDeviceSettings => "update_device_settings",
            Self::UpdateDeviceSchedule => "update_device_schedule",
            Self::ResetFragranceLevel => "reset_fragrance_level",
            Self::UpdateAccount => "update_account",
            Self::UpdateAccountPassword => "update_account_password",
            Self::CreateCsp => "create_csp",
            Self::UpdateCsp => "update_csp",
            Self::DeleteCsp => "delete_csp",
            Self::InviteUser => "invite_user",
            Self::UpdateUser => "update_user",
            Self::RemoveUser => "remove_user",
            Self::SendPasswordReset => "send_password_reset",
            Self::ResendConfirmation => "resend_confirmation",
            Self::CreateSession => "create_session",
            Self::DeleteSession => "delete_session",
            Self::DeleteAccountSession => "delete_account_session",
            Self::DeleteOtherAccountSessions => "delete_other_account_sessions",
        }
    }

    pub(super) fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.id() == id)
    }
}

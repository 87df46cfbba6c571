//! The audited operations.

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
    UndoFragranceLevelReset,
    CopyDevice,
    AssignCsp,
    CancelJob,
    RetryJob,
    CreateDeviceNotification,
    UpdateDeviceNotification,
    DeleteDeviceNotification,
    UpdateAccount,
    UpdateAccountPassword,
    CreateCsp,
    UpdateCsp,
    DeleteCsp,
    UpdateFragrances,
    InviteUser,
    UpdateUser,
    RemoveUser,
    SendPasswordReset,
    ResendConfirmation,
    CreateSession,
    DeleteSession,
    DeleteAccountSession,
    DeleteOtherAccountSessions,
    SetPassword,
    ConfirmAccount,
}

impl Operation {
    const ALL: [Self; 30] = [
        Self::CreateDevice,
        Self::UpdateDevice,
        Self::UpdateDeviceSettings,
        Self::UpdateDeviceSchedule,
        Self::ResetFragranceLevel,
        Self::UndoFragranceLevelReset,
        Self::CopyDevice,
        Self::AssignCsp,
        Self::CancelJob,
        Self::RetryJob,
        Self::CreateDeviceNotification,
        Self::UpdateDeviceNotification,
        Self::DeleteDeviceNotification,
        Self::UpdateAccount,
        Self::UpdateAccountPassword,
        Self::CreateCsp,
        Self::UpdateCsp,
        Self::DeleteCsp,
        Self::UpdateFragrances,
        Self::InviteUser,
        Self::UpdateUser,
        Self::RemoveUser,
        Self::SendPasswordReset,
        Self::ResendConfirmation,
        Self::CreateSession,
        Self::DeleteSession,
        Self::DeleteAccountSession,
        Self::DeleteOtherAccountSessions,
        Self::SetPassword,
        Self::ConfirmAccount,
    ];

    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::CreateDevice => "create_device",
            Self::UpdateDevice => "update_device",
            Self::UpdateDeviceSettings => "update_device_settings",
            Self::UpdateDeviceSchedule => "update_device_schedule",
            Self::ResetFragranceLevel => "reset_fragrance_level",
            Self::UndoFragranceLevelReset => "undo_fragrance_level_reset",
            Self::CopyDevice => "copy_device",
            Self::AssignCsp => "assign_csp",
            Self::CancelJob => "cancel_job",
            Self::RetryJob => "retry_job",
            Self::CreateDeviceNotification => "create_device_notification",
            Self::UpdateDeviceNotification => "update_device_notification",
            Self::DeleteDeviceNotification => "delete_device_notification",
            Self::UpdateAccount => "update_account",
            Self::UpdateAccountPassword => "update_account_password",
            Self::CreateCsp => "create_csp",
            Self::UpdateCsp => "update_csp",
            Self::DeleteCsp => "delete_csp",
            Self::UpdateFragrances => "update_fragrances",
            Self::InviteUser => "invite_user",
            Self::UpdateUser => "update_user",
            Self::RemoveUser => "remove_user",
            Self::SendPasswordReset => "send_password_reset",
            Self::ResendConfirmation => "resend_confirmation",
            Self::CreateSession => "create_session",
            Self::DeleteSession => "delete_session",
            Self::DeleteAccountSession => "delete_account_session",
            Self::DeleteOtherAccountSessions => "delete_other_account_sessions",
            Self::SetPassword => "set_password",
            Self::ConfirmAccount => "confirm_account",
        }
    }

    pub(super) fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.id() == id)
    }
}

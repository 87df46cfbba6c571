//! The audited operations.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};
use utoipa::ToSchema;

/// An operation that changes something or downloads a report, by its id in api/openapi.json.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, EnumString, IntoStaticStr, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
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
    UndoJob,
    CreateDeviceNotification,
    UpdateDeviceNotification,
    DeleteDeviceNotification,
    UndoDeviceNotificationRemoval,
    UpdateAccount,
    UpdateAccountPassword,
    ConfirmTotp,
    RemoveTotp,
    CreateRecoveryCodes,
    AddPasskey,
    RenamePasskey,
    RemovePasskey,
    CreateCsp,
    UpdateCsp,
    DeleteCsp,
    UpdateFragrances,
    UndoImport,
    InviteUser,
    UpdateUser,
    RemoveUser,
    DisableUser,
    EnableUser,
    ResetSecondFactor,
    SendPasswordReset,
    ResendConfirmation,
    CreateSession,
    DeleteSession,
    DeleteAccountSession,
    DeleteOtherAccountSessions,
    CreateAccountToken,
    DeleteAccountToken,
    SetPassword,
    ConfirmAccount,
    ConfirmEmailChange,
    CancelEmailChange,
    UpdateAttention,
    UpdateAttentionSettings,
    UpdateSignInRules,
    ReportDevices,
    ReportPurchasing,
    ReportFleet,
    ReportUsers,
    ReportCsps,
    ReportJob,
    ReportAudit,
}

impl Operation {
    pub(crate) fn id(self) -> &'static str {
        self.into()
    }

    /// Whether it changes nothing but a session. Its target is the user.
    pub(super) fn is_sign_in_or_out(self) -> bool {
        matches!(self, Self::CreateSession | Self::DeleteSession)
    }

    pub(crate) fn from_id(id: &str) -> Option<Self> {
        id.parse().ok()
    }
}

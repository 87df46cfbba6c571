use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};
use utoipa::ToSchema;

/// What a rule found about a device.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Finding {
    /// The device needs attention.
    Present { since: Timestamp, cause: LikelyCause, evidence: Evidence },
    /// It does not. `due` is when it will, if nothing but time changes.
    Absent { due: Option<Timestamp> },
    /// The facts do not suffice: an item neither opens nor closes.
    Unknown,
}

/// What most likely led to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, EnumString, IntoStaticStr, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = AttentionCause)]
pub(crate) enum LikelyCause {
    /// The present use leaves nothing by then.
    PresentUse,
    /// Nobody has replaced the cartridge.
    NotRefilled,
    /// Power or network is missing.
    PowerOrNetwork,
    /// Nobody has set the device up.
    NotSetUp,
    /// The nozzle is clogged.
    Clogged,
    /// The cartridge is empty by another measure.
    EmptyCartridge,
    /// The device does not follow its schedule.
    OtherSchedule,
    /// The device is offline.
    DeviceOffline,
    /// The device is connected and does not respond.
    NotResponding,
    /// Frames of the schedule cannot be read.
    BrokenSchedule,
    /// No frame of the schedule is active.
    NoActiveFrame,
    /// The level was not reset after a refill.
    ResetForgotten,
    /// The device sends other values than the cloud expects of its type.
    OtherFirmware,
    /// A second device has the serial number and the key of this one.
    CopiedKey,
    /// Nobody of the CSP has the role of a technician.
    NobodyInvited,
}

/// The values behind a finding. Only those that belong to its kind are present.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = AttentionEvidence)]
pub(crate) struct Evidence {
    /// Percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) level: Option<i64>,
    /// Percent, before the level jumped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) level_before: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>, format = DateTime)]
    pub(crate) runs_dry_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>, format = DateTime)]
    pub(crate) offline_since: Option<Timestamp>,
    /// When the device was installed or, if that is unknown, added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>, format = DateTime)]
    pub(crate) installed_at: Option<Timestamp>,
    /// Hours that mode and schedule give for a period.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) planned_hours: Option<f64>,
    /// Hours of the cartridge used in that period.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) used_hours: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>, format = DateTime)]
    pub(crate) command_since: Option<Timestamp>,
    /// The numbers of the frames that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) broken_frames: Vec<u8>,
    /// The number of values that were not stored on the day with the most, of today and yesterday.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) faults: Option<i64>,
}

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};
use utoipa::ToSchema;

/// Why a device or a CSP needs attention.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Deserialize,
    Serialize,
    EnumString,
    IntoStaticStr,
    ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum AttentionKind {
    /// The cartridge runs dry soon.
    RunsDry,
    /// The cartridge is empty.
    Empty,
    /// The device is offline while it should run.
    Offline,
    /// The device has never connected since it was installed.
    NeverConnected,
    /// The device runs but uses nothing.
    NoUse,
    /// The device uses more than its schedule explains.
    ExcessUse,
    /// The device does not answer a command.
    UnansweredCommand,
    /// The schedule is broken or never runs.
    NoRunningTime,
    /// The level jumped, but was not reset.
    LevelNotReset,
    /// The device sends values that the cloud does not store.
    UnreadableValues,
    /// Connections of the device replace each other.
    SharedIdentity,
    /// A CSP with devices has no technician.
    NoTechnician,
}

/// How urgent an item is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, EnumString, IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = AttentionSeverity)]
pub(crate) enum Severity {
    Low,
    Medium,
    High,
}

impl AttentionKind {
    pub(crate) const ALL: [Self; 12] = [
        Self::RunsDry,
        Self::Empty,
        Self::Offline,
        Self::NeverConnected,
        Self::NoUse,
        Self::ExcessUse,
        Self::UnansweredCommand,
        Self::NoRunningTime,
        Self::LevelNotReset,
        Self::UnreadableValues,
        Self::SharedIdentity,
        Self::NoTechnician,
    ];

    /// What mails call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::RunsDry => "Runs dry soon",
            Self::Empty => "Empty",
            Self::Offline => "Offline while it should run",
            Self::NeverConnected => "Never connected since installation",
            Self::NoUse => "Runs, but uses nothing",
            Self::ExcessUse => "Uses more than scheduled",
            Self::UnansweredCommand => "Command not answered",
            Self::NoRunningTime => "Schedule broken or never runs",
            Self::LevelNotReset => "Level not reset after a refill",
            Self::UnreadableValues => "Sends what we cannot read",
            Self::SharedIdentity => "Two devices with one identity",
            Self::NoTechnician => "CSP without a technician",
        }
    }

    /// Whether items of this kind are about a device, and not about a CSP.
    pub(crate) fn is_of_device(self) -> bool {
        self != Self::NoTechnician
    }

    pub(crate) fn severity(self) -> Severity {
        match self {
            Self::Empty | Self::Offline | Self::NoUse => Severity::High,
            Self::RunsDry
            | Self::NeverConnected
            | Self::UnansweredCommand
            | Self::NoRunningTime
            | Self::SharedIdentity => Severity::Medium,
            Self::ExcessUse | Self::LevelNotReset | Self::UnreadableValues | Self::NoTechnician => Severity::Low,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

impl Severity {
    pub(crate) const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// The stored form, in the order of urgency.
    pub(crate) fn rank(self) -> i64 {
        match self {
            Self::Low => 1,
            Self::Medium => 2,
            Self::High => 3,
        }
    }

    pub(crate) fn from_rank(rank: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.rank() == rank)
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

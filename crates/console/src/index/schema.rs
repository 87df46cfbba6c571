//! Tables and columns for built statements, except those of `idx_devices`.

use sea_query::Iden;

/// The values that change often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Iden)]
pub(super) enum IdxDeviceState {
    Table,
    Dsn,
    Csp,
    SystemConfiguration,
    ConnectionStatus,
    ConnectedAt,
    ConnectionChangedAt,
    Mode,
    Cycle,
    Intensity,
    Fan,
    FragranceRemaining,
    RemainingRising,
    RemainingFalling,
    EmptiedAt,
    RunsDryAt,
    ForecastObstacle,
    MlPerWeek,
    HasHistory,
    RunsDryRising,
    RunsDryFalling,
    Pending,
    SyncedAt,
}

/// Number of devices by scope, value and status.
#[derive(Clone, Copy, Iden)]
pub(super) enum IdxValueCounts {
    Table,
    Scope,
    /// A column of [`IdxDevices`](super::columns::IdxDevices).
    Name,
    Value,
    Online,
    Offline,
    NeverConnected,
}

/// SQLite's full-text index over the folded columns of [`IdxDevices`](super::columns::IdxDevices), with the same column names.
#[derive(Clone, Copy, Iden)]
pub(super) enum IdxDevicesText {
    Table,
    Rowid,
}

/// Aliases within a statement.
#[derive(Clone, Copy, Iden)]
pub(super) enum Alias {
    /// Scanned or collected rows: `dsn` and `sort_key`.
    Candidates,
    /// The dsns of one page.
    Page,
    SortKey,
    Dsn,
    Sku,
    /// A number read together with a device.
    Also,
}

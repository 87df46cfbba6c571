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
    EmptiedAt,
    RunsDryAt,
    ForecastObstacle,
    MlPerWeek,
    HasHistory,
    Pending,
    SyncedAt,
}

/// Aliases within a statement.
#[derive(Clone, Copy, Iden)]
pub(super) enum Alias {
    Sku,
    /// A number read together with a device.
    Also,
}

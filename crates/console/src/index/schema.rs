//! Tables and columns for built statements.

use sea_query::Iden;

/// All values of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Iden)]
pub(super) enum IdxDevices {
    Table,
    Id,
    Dsn,
    Csp,
    SerialNumber,
    Customer,
    CustomerId,
    StoreNumber,
    ServiceArea,
    SystemConfiguration,
    Fragrance,
    Network,
    City,
    StateProvince,
    Country,
    TimeZone,
    CreatedAt,
    DsnFolded,
    SerialNumberFolded,
    CustomerFolded,
    ServiceAreaFolded,
    SsidFolded,
    CityFolded,
    StateProvinceFolded,
    CountryFolded,
    SearchFolded,
    X,
    Y,
    Z,
}

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
    Pending,
    SyncedAt,
}

/// Number of devices by CSP, model and status.
#[derive(Clone, Copy, Iden)]
pub(super) enum IdxDeviceCounts {
    Table,
    Csp,
    SystemConfiguration,
    ConnectionStatus,
    N,
}

/// SQLite's full-text index over the folded columns of [`IdxDevices`], with the same column names.
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
}

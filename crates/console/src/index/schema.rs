//! The tables, for statements that are built.

use sea_query::Iden;

/// The wide table.
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

/// The narrow table.
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

/// How many devices there are of each kind.
#[derive(Clone, Copy, Iden)]
pub(super) enum IdxDeviceCounts {
    Table,
    Csp,
    SystemConfiguration,
    ConnectionStatus,
    N,
}

/// SQLite's full-text index of the wide table: its folded columns, under the same names.
#[derive(Clone, Copy, Iden)]
pub(super) enum IdxDevicesText {
    Table,
    Rowid,
}

/// Names within one statement.
#[derive(Clone, Copy, Iden)]
pub(super) enum Alias {
    /// What was walked or collected: `dsn` and `sort_key`.
    Candidates,
    /// The serial numbers of one page.
    Page,
    SortKey,
    Dsn,
}

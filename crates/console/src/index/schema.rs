//! The tables, for statements that are built.

use sea_query::Iden;

/// The wide table.
#[derive(Clone, Copy, Iden)]
pub(super) enum IdxDevices {
    Table,
    Dsn,
    DsnFolded,
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
}

/// The narrow table.
#[derive(Clone, Copy, Iden)]
pub(super) enum IdxDeviceState {
    Table,
    Dsn,
    ConnectionStatus,
    ConnectedAt,
    Mode,
    Cycle,
    Intensity,
    Fan,
    FragranceRemaining,
    Pending,
    SyncedAt,
}

//! The tables, for statements that are built.

use sea_query::Iden;

/// The wide table.
#[derive(Clone, Copy, Iden)]
pub(super) enum IdxDevices {
    Table,
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

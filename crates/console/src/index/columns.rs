//! The columns of the device list: one line for each stored value, each sort order and each filter of one column. The table, its
//! statements, the query string and the API document follow from these lists.

use diffuser::Mode;
use jiff::Timestamp;
use jiff::civil::Date;
use platform::db::Params;
use sea_query::Iden;
use serde::Serialize;
use sqlx_macros::FromRow;
use strum::EnumString;
use utoipa::ToSchema;

use super::stored::{StateRow, Stored, device_columns};
use crate::http::sort_order::SortOrder;
use crate::records::{DeviceRecord, DeviceStatus, Position};
use crate::texts::folding::fold;

/// Precedes each word of the search column.
pub(super) const WORD_SEPARATOR: &str = "  ";

device_columns! {
    // Column: field of `DeviceRecord`, its type. A new line needs a migration.
    stored {
        Dsn: dsn, String;
        Csp: csp, Option<String>;
        SerialNumber: serial_number, Option<String>;
        Customer: customer, Option<String>;
        CustomerId: customer_id, Option<String>;
        StoreNumber: store_number, Option<String>;
        InstalledAt: installed_at, Option<Date>;
        ServiceArea: service_area, Option<String>;
        SystemConfiguration: system_configuration, Option<String>;
        Fragrance: fragrance, Option<String>;
        Network: network, String;
        Street: street, Option<String>;
        Zip: zip, Option<String>;
        City: city, Option<String>;
        StateProvince: state_province, Option<String>;
        Country: country, Option<String>;
        TimeZone: time_zone, Option<String>;
        CreatedAt: created_at, Option<Timestamp>;
    }
    // Only for the search of attention items.
    derived {
        SearchFolded: search_words;
    }
}

/// The columns of texts that many devices share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SharedColumn {
    Customer,
    ServiceArea,
    SystemConfiguration,
    Fragrance,
    Network,
    City,
    StateProvince,
    Country,
}

impl SharedColumn {
    pub(super) const ALL: [Self; 8] = [
        Self::Customer,
        Self::ServiceArea,
        Self::SystemConfiguration,
        Self::Fragrance,
        Self::Network,
        Self::City,
        Self::StateProvince,
        Self::Country,
    ];
}

/// The columns of texts that most devices have to themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnColumn {
    Dsn,
    SerialNumber,
    CustomerId,
    StoreNumber,
}

/// The column to sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum DeviceSort {
    #[serde(rename = "created_at")]
    #[strum(serialize = "created_at")]
    CreatedAt,
    SerialNumber,
    Dsn,
    Csp,
    Customer,
    ServiceArea,
    /// System configuration.
    Model,
    Network,
    ConnectionStatus,
    ConnectedAt,
    City,
    StateProvince,
    Country,
    /// Devices without an install date come last in both directions.
    InstalledAt,
    /// Unknown levels come last in both directions.
    FragranceRemaining,
    /// When the cartridge is empty: ascending in the order of the groups, and by date within them. Descending, devices with a
    /// forecast come first.
    RunsDry,
    /// From the place that `near` names.
    Distance,
}

impl DeviceSort {
    /// What is needed first comes first; otherwise the newest.
    pub(crate) fn default_order(self) -> SortOrder {
        match self {
            Self::FragranceRemaining | Self::RunsDry => SortOrder::Asc,
            _ => SortOrder::Desc,
        }
    }
}

/// The period of the count of devices that run dry.
pub(crate) const RUNS_DRY_DAYS: u16 = 7;

/// Name of the filter by status.
pub(crate) const STATUS: &str = "connectionstatus";

/// The filters by one value, in the order of the list's filter dialog.
pub(crate) const FILTERS: &[FilterColumn] = &[
    FilterColumn {
        name: "q",
        label: "Search",
        column: FilteredColumn::Search,
        comparison: Comparison::Words,
        description: "Only devices that have each of these words, five at most, in serial number, DSN, customer, \
                      customer ID, store number, service area, fragrance or city, regardless of case and accents: one or two \
                      characters match the beginning of a word, three or more any part of it. Numbers are also found \
                      without their hyphens",
    },
    text("serialnumber", "Serial Number", FilteredColumn::Own(OwnColumn::SerialNumber), "As dsn, by serial number"),
    text(
        "dsn",
        "DSN",
        FilteredColumn::Own(OwnColumn::Dsn),
        "Only devices whose DSN matches, regardless of case and accents: one or two characters match its beginning, three or more \
         any part of it",
    ),
    text("customer", "Customer", FilteredColumn::Shared(SharedColumn::Customer), "As dsn, by customer"),
    text("customerid", "Customer ID", FilteredColumn::Own(OwnColumn::CustomerId), "As dsn, by customer ID"),
    text("storenumber", "Store Number", FilteredColumn::Own(OwnColumn::StoreNumber), "As dsn, by store number"),
    text("servicearea", "Service Area", FilteredColumn::Shared(SharedColumn::ServiceArea), "As dsn, by service area"),
    FilterColumn {
        name: "csp",
        label: "CSP",
        column: FilteredColumn::Csp,
        comparison: Comparison::Csp,
        description: "Only devices of the CSP with this name; ignored from a CSP role",
    },
    FilterColumn {
        name: "model",
        label: "System Configuration",
        column: FilteredColumn::Shared(SharedColumn::SystemConfiguration),
        comparison: Comparison::Model,
        description: "Only devices with this system configuration, by its stored name",
    },
    text("fragrance", "Fragrance", FilteredColumn::Shared(SharedColumn::Fragrance), "As dsn, by fragrance"),
    FilterColumn {
        name: "network",
        label: "Network",
        column: FilteredColumn::Shared(SharedColumn::Network),
        comparison: Comparison::Network,
        description: "Only devices on the LAN (LAN, in any case), or whose SSID matches as for dsn",
    },
    text("city", "City", FilteredColumn::Shared(SharedColumn::City), "As dsn, by city"),
    text(
        "stateprovince",
        "State/Province",
        FilteredColumn::Shared(SharedColumn::StateProvince),
        "As dsn, by state or province",
    ),
    text("country", "Country", FilteredColumn::Shared(SharedColumn::Country), "As dsn, by country"),
    FilterColumn {
        name: "installedfrom",
        label: "Installed from",
        column: FilteredColumn::InstalledAt,
        comparison: Comparison::From,
        description: "Only devices installed on this day or later",
    },
    FilterColumn {
        name: "installedthrough",
        label: "Installed through",
        column: FilteredColumn::InstalledAt,
        comparison: Comparison::Through,
        description: "Only devices installed on this day or earlier",
    },
    FilterColumn {
        name: STATUS,
        label: "Status",
        column: FilteredColumn::Status,
        comparison: Comparison::OneOf(&[
            status(DeviceStatus::Online, "Online"),
            status(DeviceStatus::Offline, "Offline"),
            status(DeviceStatus::NeverConnected, "Never connected"),
        ]),
        description: "Only devices with this status. Offline devices connected at some time; while the list comes from the \
                      device cloud, devices that never connected are included",
    },
    FilterColumn {
        name: "mode",
        label: "Mode",
        column: FilteredColumn::Mode,
        comparison: Comparison::OneOf(&[mode("Off", Mode::Off), mode("24/7", Mode::AllDay), mode("Run", Mode::Run)]),
        description: "Only devices that reported this mode last",
    },
];

/// A filter by one value.
#[derive(Debug)]
pub(crate) struct FilterColumn {
    /// Name in the query string.
    pub(crate) name: &'static str,
    /// Label in reports, and title in the API document, with which a test of the web compares its own label.
    pub(crate) label: &'static str,
    pub(super) column: FilteredColumn,
    pub(crate) comparison: Comparison,
    /// For the API document.
    pub(crate) description: &'static str,
}

impl FilterColumn {
    /// Whether the text is a calendar date.
    pub(crate) fn is_date(&self) -> bool {
        matches!(self.comparison, Comparison::From | Comparison::Through)
    }

    /// The values that the filter offers, if it takes no other.
    pub(crate) fn choices(&self) -> &'static [Choice] {
        if let Comparison::OneOf(choices) = self.comparison { choices } else { &[] }
    }

    /// Maximum length of the text: of columns whose values can be chosen, a value between double quotes.
    pub(crate) fn max_chars(&self) -> usize {
        match self.column {
            FilteredColumn::Csp => 255,
            FilteredColumn::Shared(_) => 257,
            _ => 64,
        }
    }
}

/// The column of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilteredColumn {
    Shared(SharedColumn),
    Own(OwnColumn),
    /// All texts that a search looks through.
    Search,
    Csp,
    InstalledAt,
    Status,
    Mode,
}

/// A value that a filter offers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// In the query string.
    pub(crate) name: &'static str,
    /// In reports.
    pub(crate) label: &'static str,
    /// The stored code, if the name is not what is stored.
    pub(super) code: Option<i64>,
}

/// How a filter's text is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// With the beginning or any part of the column, regardless of case and accents.
    Text,
    /// As `Text`, where `LAN` finds the devices on the LAN.
    Network,
    /// Each word with the beginning or any part of a word of the column.
    Words,
    /// With a calendar date: this date or later.
    From,
    /// With a calendar date: this date or earlier.
    Through,
    /// With the whole name of the CSP. Ignored unless the actor sees all CSPs.
    Csp,
    /// With the whole stored name of the system configuration.
    Model,
    /// With the stored value of one of these.
    OneOf(&'static [Choice]),
}

const fn mode(name: &'static str, mode: Mode) -> Choice {
    Choice { name, label: name, code: Some(mode as i64) }
}

const fn status(status: DeviceStatus, label: &'static str) -> Choice {
    Choice { name: status.name(), label, code: None }
}

const fn text(
    name: &'static str,
    label: &'static str,
    column: FilteredColumn,
    description: &'static str,
) -> FilterColumn {
    FilterColumn { name, label, column, comparison: Comparison::Text, description }
}

/// The words of the search column, each preceded by two blanks. Numbers of devices and stores are there a second time without
/// their hyphens.
fn search_words(device: &DeviceRecord) -> String {
    let numbers =
        [Some(&device.dsn), device.serial_number.as_ref(), device.customer_id.as_ref(), device.store_number.as_ref()];
    let names =
        [device.customer.as_ref(), device.service_area.as_ref(), device.fragrance.as_ref(), device.city.as_ref()];
    let folded = |texts: [Option<&String>; 4]| texts.into_iter().flatten().map(|text| fold(text)).collect::<Vec<_>>();
    let (numbers, names) = (folded(numbers), folded(names));
    let without_hyphens = numbers.iter().filter(|number| number.contains('-')).map(|number| number.replace('-', ""));
    let without_hyphens: Vec<String> = without_hyphens.collect();
    let words = numbers.iter().chain(&names).chain(&without_hyphens).flat_map(|text| text.split_whitespace());
    words.map(|word| format!("{WORD_SEPARATOR}{word}")).collect()
}

//! List preferences of a user: rows per page of each list, the density of rows, and the signs in CSV files.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::csv_format::{CsvFormat, CsvSeparator, DecimalSign};
use crate::forms::validation::Rules;
use crate::http::error::ApiResult;
use crate::http::query_reader::{PageSize, is_page_size};

/// List preferences.
#[derive(Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListPreferences {
    pub(super) page_sizes: PageSizes,
    pub(super) density: Density,
    /// A comma until the user chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CsvSeparator, required = false)]
    pub(super) csv_separator: Option<CsvSeparator>,
    /// A point until the user chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = DecimalSign, required = false)]
    pub(super) csv_decimal_sign: Option<DecimalSign>,
}

/// A change of list preferences. Omitted and null members are not changed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ListPreferencesForm {
    #[schema(required = false)]
    pub(super) page_sizes: PageSizes,
    pub(super) density: Option<Density>,
    pub(super) csv_separator: Option<CsvSeparator>,
    pub(super) csv_decimal_sign: Option<DecimalSign>,
}

/// Rows per page by list. Lists without a value have their own default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PageSizes {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = PageSize, required = false)]
    pub(super) devices: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = PageSize, required = false)]
    pub(super) users: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = PageSize, required = false)]
    pub(super) csps: Option<u64>,
    /// The target devices of a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = PageSize, required = false)]
    pub(super) copy_targets: Option<u64>,
}

/// The density of table rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Density {
    #[default]
    Comfortable,
    Compact,
}

impl ListPreferences {
    /// Rows per page of the device list; `None` if the user has not chosen a number.
    pub(crate) fn devices_page_size(&self) -> Option<u64> {
        self.page_sizes.devices
    }

    /// The signs in CSV files.
    pub(crate) fn csv_format(&self) -> CsvFormat {
        CsvFormat {
            separator: self.csv_separator.unwrap_or_default(),
            decimal_sign: self.csv_decimal_sign.unwrap_or_default(),
        }
    }
}

impl ListPreferencesForm {
    /// # Errors
    /// 422 with a text for each size that is not offered.
    pub(crate) fn check(&self) -> ApiResult<()> {
        let PageSizes { devices, users, csps, copy_targets } = &self.page_sizes;
        let sizes = [("devices", devices), ("users", users), ("csps", csps), ("copyTargets", copy_targets)];
        let mut rules = Rules::default();
        for (list, size) in sizes {
            if size.is_some_and(|size| !is_page_size(size)) {
                rules.refuse(&format!("pageSizes.{list}"), "Must be 5, 25 or 50");
            }
        }
        rules.finish(())
    }
}

impl Density {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Comfortable => "comfortable",
            Self::Compact => "compact",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::Comfortable, Self::Compact].into_iter().find(|density| density.name() == name)
    }
}

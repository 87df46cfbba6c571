//! How a user's spreadsheet reads CSV.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};
use utoipa::ToSchema;

/// The signs in a CSV file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CsvFormat {
    pub(crate) separator: CsvSeparator,
    pub(crate) decimal_sign: DecimalSign,
}

/// What stands between two cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, EnumString, IntoStaticStr, ToSchema)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum CsvSeparator {
    #[default]
    Comma,
    Semicolon,
    Tab,
}

/// What stands before the decimals of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, EnumString, IntoStaticStr, ToSchema)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum DecimalSign {
    #[default]
    Point,
    Comma,
}

impl CsvSeparator {
    pub(crate) const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    pub(crate) fn char(self) -> char {
        self.byte().into()
    }

    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

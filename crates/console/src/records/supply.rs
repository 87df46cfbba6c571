//! In which group of the list by need a device is: the only rule, with the column `runs_dry_rising` of the index, which sorts by
//! it.

use diffuser::LOW_PRODUCT_PERCENT;
use diffuser::forecast::NoForecast;
use jiff::Timestamp;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr};
use utoipa::ToSchema;

/// The groups in the order of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SupplyGroup {
    /// At 0 percent.
    Empty,
    /// There is a date at which it is expected to be empty.
    Forecast,
    /// It was expected to be empty by now, but has been offline since.
    NoContact,
    /// At 20 percent or less, without a forecast.
    Low,
    /// Above 20 percent or unknown, without a forecast. Not in lists by need.
    #[default]
    Other,
}

/// What is known of the time at which a cartridge is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outlook {
    /// When the level became 0, if it is.
    pub(crate) emptied_at: Option<Timestamp>,
    /// When it is expected to be empty; `None` without a forecast.
    pub(crate) runs_dry_at: Option<Timestamp>,
    /// Why there is no forecast.
    pub(crate) obstacle: Option<ForecastObstacle>,
    /// Whether the use on past days, from which the dates follow, has been read.
    pub(crate) has_history: bool,
    /// The expected use; of an empty cartridge, what it was.
    pub(crate) ml_per_week: Option<f64>,
}

impl Outlook {
    /// The group of a device with this level in percent.
    pub(crate) fn group(&self, level: Option<i64>) -> SupplyGroup {
        if level.is_some_and(|level| level <= 0) {
            SupplyGroup::Empty
        } else if self.runs_dry_at.is_some() {
            SupplyGroup::Forecast
        } else if self.obstacle == Some(ForecastObstacle::PassedOffline) {
            SupplyGroup::NoContact
        } else if level.is_some_and(|level| level <= i64::from(LOW_PRODUCT_PERCENT)) {
            SupplyGroup::Low
        } else {
            SupplyGroup::Other
        }
    }
}

/// Why there is no forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum ForecastObstacle {
    /// The cartridge size of the system configuration is unknown.
    UnknownCartridge,
    /// The device has no fragrance of the catalogue.
    NoFragrance,
    /// The catalogue has no flow rate of the fragrance for the system configuration.
    NoFlow,
    UnknownLevel,
    Empty,
    /// Offline for more than 28 days.
    Offline,
    /// Offline, and expected to have run dry meanwhile.
    PassedOffline,
    Off,
    /// The schedule has no running time.
    EmptySchedule,
    /// Schedule and use on recent days are unknown.
    UnknownUse,
    /// It has used nothing on recent days.
    NoUse,
    /// The date is more than three years ahead.
    TooFarAhead,
}

impl From<NoForecast> for ForecastObstacle {
    fn from(reason: NoForecast) -> Self {
        match reason {
            NoForecast::UnknownCartridge => Self::UnknownCartridge,
            NoForecast::NoFragrance => Self::NoFragrance,
            NoForecast::NoFlow => Self::NoFlow,
            NoForecast::UnknownLevel => Self::UnknownLevel,
            NoForecast::Empty => Self::Empty,
            NoForecast::OfflineSince(_) => Self::Offline,
            NoForecast::PassedOffline(_) => Self::PassedOffline,
            NoForecast::Off => Self::Off,
            NoForecast::EmptySchedule => Self::EmptySchedule,
            NoForecast::UnknownUse => Self::UnknownUse,
            NoForecast::NoUse => Self::NoUse,
            NoForecast::TooFarAhead => Self::TooFarAhead,
        }
    }
}

//! When cartridges run dry (F-03): daily use and forecast of each device, beside the index. Passes find the devices whose facts have
//! changed; a job computes their forecasts, and fills the daily use of new devices from the cloud's history at its own rate.

mod device_facts;
mod due_forecasts;
mod histories;
mod history;
mod past_days;
mod present_forecast;
mod store;
#[cfg(test)]
mod tests;
mod updater;

pub(crate) use device_facts::DeviceFacts;
pub(crate) use due_forecasts::DueForecasts;
pub(crate) use histories::{Histories, HistoriesOf, histories};
pub(crate) use present_forecast::PresentForecast;
#[cfg(feature = "testing")]
pub(crate) use store::count_unknown;
pub(crate) use store::{Cartridge, cartridges_after};
pub(crate) use updater::ForecastUpdater;
pub(crate) use updater::end_passed_forecasts;

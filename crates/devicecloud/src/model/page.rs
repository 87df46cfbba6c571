use serde::Serialize;
use serde_json::Value;

use crate::model::read::{self, Fields};
use crate::model::{Datapoint, DatapointId, Device};

/// How a page was told: two pages with the same fingerprint were told in the same words. It lives as long as the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub(crate) u64);

/// A page of a list of devices.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DevicePage {
    /// The devices of this page.
    pub devices: Vec<Device>,
    /// How many devices there are on all pages.
    pub total: u64,
    /// The number of this page, from 1.
    pub current_page_number: u32,
    /// The number of the first device of this page, from 1; 0 = none.
    pub start_count_on_page: u64,
    /// The number of the last device of this page.
    pub end_count_on_page: u64,
    /// The number of the page before.
    pub previous_page: Option<u32>,
    /// The number of the page after.
    pub next_page: Option<u32>,
}

impl DevicePage {
    /// A paged answer, or the plain array of a cloud that does not page.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        if let Some(devices) = read::many::<Device>(value) {
            let total = devices.len().try_into().unwrap_or(u64::MAX);
            return Some(Self {
                devices,
                total,
                current_page_number: 1,
                start_count_on_page: total.min(1),
                end_count_on_page: total,
                previous_page: None,
                next_page: None,
            });
        }
        let fields = Fields(value.as_object()?);
        let devices = read::many::<Device>(fields.value("devices")?)?;
        let count = |name| fields.integer(name).and_then(|count| u64::try_from(count).ok());
        let page = |name| fields.integer(name).and_then(|page| u32::try_from(page).ok());
        Some(Self {
            total: count("total").unwrap_or_else(|| devices.len().try_into().unwrap_or(u64::MAX)),
            current_page_number: page("current_page_number").unwrap_or(1),
            start_count_on_page: count("start_count_on_page").unwrap_or_default(),
            end_count_on_page: count("end_count_on_page").unwrap_or_default(),
            previous_page: page("previous_page"),
            next_page: page("next_page"),
            devices,
        })
    }
}

/// A page of the history of a property. Pages go from the newest to the oldest.
pub(crate) struct DatapointPage {
    /// The oldest first.
    pub(crate) datapoints: Vec<Datapoint>,
    /// What the page after begins with, which is older; `None` = this is the last page.
    pub(crate) next_page: Option<DatapointId>,
}

impl DatapointPage {
    /// A paged answer, or the plain array of a cloud that does not page.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        if let Some(datapoints) = read::many(value) {
            return Some(Self { datapoints, next_page: None });
        }
        let fields = Fields(value.as_object()?);
        let datapoints = read::many(fields.value("datapoints")?)?;
        let next_page = fields.value("meta").and_then(Value::as_object).map(|meta| Fields(meta).id("next_page"));
        Some(Self { datapoints, next_page: next_page.filter(|id: &DatapointId| !id.is_blank()) })
    }
}

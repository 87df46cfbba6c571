use std::marker::PhantomData;

use serde::de::{Deserializer, MapAccess, SeqAccess};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::item::{List, ListShape, Shape, Tolerant};
use super::read::{self, Fields};
use super::scalar::Scalar;
use super::{Datapoint, DatapointId, Device, DeviceReader};

/// Identifies the contents of a page: two pages with the same fingerprint had the same response body. Not valid across
/// restarts of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub(crate) u64);

/// One page of a list of devices.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DevicePage {
    /// The devices of this page.
    pub devices: Vec<Device>,
    /// The number of devices on all pages.
    pub total: u64,
    /// The number of this page, from 1.
    pub current_page_number: u32,
    /// The position of the page's first device in the whole list, from 1; 0 if the page is empty.
    pub start_count_on_page: u64,
    /// The position of the page's last device.
    pub end_count_on_page: u64,
    /// The number of the previous page.
    pub previous_page: Option<u32>,
    /// The number of the next page.
    pub next_page: Option<u32>,
}

/// The response to a list of devices: a page, or a plain array from a cloud without paging.
pub(crate) struct MaybePage(pub(crate) Option<DevicePage>);

impl<'de> Deserialize<'de> for MaybePage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tolerant(PageShape)).map(Self)
    }
}

struct PageShape;

impl Shape for PageShape {
    type Value = DevicePage;

    fn list<'de, A: SeqAccess<'de>>(self, list: A) -> Result<Option<DevicePage>, A::Error> {
        Ok(ListShape::<DeviceReader>(PhantomData).list(list)?.map(|devices| {
            let total = devices.len().try_into().unwrap_or(u64::MAX);
            DevicePage {
                devices,
                total,
                current_page_number: 1,
                start_count_on_page: total.min(1),
                end_count_on_page: total,
                previous_page: None,
                next_page: None,
            }
        }))
    }

    fn object<'de, A: MapAccess<'de>>(self, mut object: A) -> Result<Option<DevicePage>, A::Error> {
        let (mut devices, mut total) = (None, None);
        let (mut current, mut start, mut end, mut previous_page, mut next_page) = (None, None, None, None, None);
        while let Some(name) = object.next_key::<String>()? {
            if name == "devices" {
                devices = object.next_value::<List<DeviceReader>>()?.0;
                continue;
            }
            let number = object.next_value::<Scalar<'de>>()?.integer();
            let (count, page) =
                (number.and_then(|n| u64::try_from(n).ok()), number.and_then(|n| u32::try_from(n).ok()));
            match name.as_str() {
                "total" => total = count,
                "current_page_number" => current = page,
                "start_count_on_page" => start = count,
                "end_count_on_page" => end = count,
                "previous_page" => previous_page = page,
                "next_page" => next_page = page,
                _ => {}
            }
        }
        Ok(devices.map(|devices| DevicePage {
            total: total.unwrap_or_else(|| devices.len().try_into().unwrap_or(u64::MAX)),
            current_page_number: current.unwrap_or(1),
            start_count_on_page: start.unwrap_or_default(),
            end_count_on_page: end.unwrap_or_default(),
            previous_page,
            next_page,
            devices,
        }))
    }
}

/// One page of a property's history. Pages go from newest to oldest.
pub(crate) struct DatapointPage {
    /// The oldest first.
    pub(crate) datapoints: Vec<Datapoint>,
    /// The first datapoint of the next, older page; `None` if this is the last page.
    pub(crate) next_page: Option<DatapointId>,
}

impl DatapointPage {
    /// Reads a paged response, or a plain array from a cloud without paging.
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

//! `include=data,addr,role_labels,properties,time_zone`: an extension that returns in one call what would otherwise need
//! a call per device. The number of statements does not depend on the number of devices.

use std::collections::HashMap;

use jiff::Timestamp;
use platform::db::{Db, Result};

use super::query::Query;
use crate::store;
use crate::store::devices::DeviceRow;
use crate::wire::datum::DatumWrapper;
use crate::wire::device::{Addr, Included, RoleLabelWrapper, TimeZone};
use crate::wire::property::PropertyWrapper;

/// The parts to include. Unknown names are ignored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Include {
    data: bool,
    addr: bool,
    role_labels: bool,
    properties: bool,
    time_zone: bool,
}

impl Include {
    pub(super) fn of(query: &Query) -> Self {
        let names = query.all("include");
        let has = |name| names.contains(&name);
        Self {
            data: has("data"),
            addr: has("addr"),
            role_labels: has("role_labels"),
            properties: has("properties"),
            time_zone: has("time_zone"),
        }
    }

    /// The devices with the parts to include.
    pub(super) async fn with(
        self,
        db: &Db,
        devices: Vec<DeviceRow>,
        now: Timestamp,
    ) -> Result<Vec<(DeviceRow, Included)>> {
        let ids: Vec<i64> = devices.iter().map(|device| device.id).collect();
        let data = if self.data { store::data::of_devices(db, &ids).await? } else { vec![] };
        let labels = if self.role_labels { store::labels::of_devices(db, &ids).await? } else { vec![] };
        let properties = if self.properties { store::properties::of_devices(db, &ids).await? } else { vec![] };
        let mut data = by_device(data, |row| row.owner_id);
        let mut labels = by_device(labels, |row| row.device_id);
        let mut properties = by_device(properties, |row| row.device_id);
        let include = |device: DeviceRow| {
            let mut of_device = Included {
                addr: self.addr.then(|| Addr::new(&device)),
                time_zone: self.time_zone.then(|| TimeZone::new(&device, now)),
                ..Included::default()
            };
            if self.data {
                let rows = data.remove(&device.id).unwrap_or_default();
                of_device.data = Some(rows.into_iter().map(|row| DatumWrapper::of_device(row, &device.dsn)).collect());
            }
            if self.role_labels {
                let rows = labels.remove(&device.id).unwrap_or_default();
                of_device.role_labels = Some(rows.into_iter().map(RoleLabelWrapper::from).collect());
            }
            if self.properties {
                let rows = properties.remove(&device.id).unwrap_or_default();
                let property = |row| PropertyWrapper::new(row, &device.product_name);
                of_device.properties = Some(rows.into_iter().map(property).collect());
            }
            (device, of_device)
        };
        Ok(devices.into_iter().map(include).collect())
    }
}

fn by_device<T>(rows: Vec<T>, device: impl Fn(&T) -> i64) -> HashMap<i64, Vec<T>> {
    let mut map: HashMap<i64, Vec<T>> = HashMap::new();
    for row in rows {
        map.entry(device(&row)).or_default().push(row);
    }
    map
}

//! Records of the cloud's devices, shared by the index, the device pages and the live stream.

pub(crate) mod cloud_device;
pub(crate) mod device_panic;
mod device_record;
mod effective_value;
mod level;
mod position;
mod read_device;
mod supply;
pub(crate) mod zone_names;

pub(crate) use device_record::{
    ConnectionStatus, DeviceRecord, DeviceState, DeviceStatus, IndexedProperty, LAN, ListedDevice, confirmed_value,
    has_pending_command, non_empty, property, timestamp,
};
pub(crate) use effective_value::{effective_at, has_commands, marks_reports};
pub(crate) use level::{Catalogue, computed_level, level_after, level_to_store};
pub(crate) use position::{Position, chord_metres};
pub(crate) use read_device::{DerivedValues, PageSnapshot, ReadDevice, UndoableReset};
pub(crate) use supply::{ForecastObstacle, Outlook, SupplyGroup};

//! Writing values to a device, and reading it back.

use devicecloud::{Device, PropertyValue};

use super::service;
use crate::audit::{self, Change, Entry, FieldChange};
use crate::error::ApiResult;
use crate::index;
use crate::notice::{self, DeviceEventKind};
use crate::parts::{Part, stopped};
use crate::policy::Actor;
use crate::records::property;
use crate::state::AppState;

/// A stream event that arrives while we read back makes the read older than the row. So often we read again.
const MAX_READ_BACKS: usize = 3;

/// A value of the device, and the cloud's name of its property.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceValue {
    pub(super) part: Part,
    pub(super) property: &'static str,
}

/// A value by its names in the request, on the page, and in the cloud.
pub(super) const fn value(field: &'static str, label: &'static str, property: &'static str) -> DeviceValue {
    DeviceValue { part: Part { field, label }, property }
}

/// What writing these values changes.
pub(super) fn changes(device: &Device, values: &[(DeviceValue, PropertyValue)]) -> Vec<FieldChange> {
    let change = |(value, requested): &(DeviceValue, PropertyValue)| {
        let before = property(device, value.property).and_then(|property| property.value.as_ref());
        FieldChange::new(value.part.field, before.map(json), json(requested))
    };
    values.iter().map(change).collect()
}

fn json(value: &PropertyValue) -> serde_json::Value {
    match value {
        PropertyValue::Integer(number) => (*number).into(),
        PropertyValue::Decimal(number) => (*number).into(),
        PropertyValue::Text(text) => text.as_str().into(),
        PropertyValue::Boolean(flag) => (*flag).into(),
    }
}

/// Makes the change: writes one value after the other, with the actor's own token, and answers the device as the cloud knows
/// it afterwards. The index has that state before the caller has the answer. Nobody is asked whether the actor may.
///
/// # Errors
/// Stops at the first value that the cloud does not take: its refusal, with what was saved before it.
pub(super) async fn write(
    state: &AppState,
    actor: &Actor,
    change: &Change,
    values: &[(DeviceValue, PropertyValue)],
) -> ApiResult<Device> {
    let dsn = change.target.id();
    let entry = audit::begin(state, actor, change).await?;
    let written = send_values(state, actor, dsn, values).await;
    finish_write(state, actor, dsn, entry, DeviceEventKind::Commanded, written).await
}

/// Writes down how the write ended, reads the device, tells the index, and then everybody who follows it.
///
/// # Errors
/// Why the write failed; as [`service::read`].
pub(super) async fn finish_write(
    state: &AppState,
    actor: &Actor,
    dsn: &str,
    entry: Entry,
    kind: DeviceEventKind,
    written: ApiResult<()>,
) -> ApiResult<Device> {
    entry.end(&written).await;
    // Also after a failure: what was written before it must not look unwritten.
    let mut lists = Vec::new();
    let read = read_back(state, actor, dsn, &mut lists).await;
    notice::device(&state.base.bus, dsn, kind, &lists);
    written?;
    read
}

/// Reads the device, tells the index, and whoever follows the lists that this changed.
///
/// # Errors
/// As [`service::read`].
pub(super) async fn refresh(state: &AppState, actor: &Actor, dsn: &str) -> ApiResult<Device> {
    let mut lists = Vec::new();
    let device = read_back(state, actor, dsn, &mut lists).await?;
    if !lists.is_empty() {
        notice::device(&state.base.bus, dsn, DeviceEventKind::Changed, &lists);
    }
    Ok(device)
}

async fn send_values(
    state: &AppState,
    actor: &Actor,
    dsn: &str,
    values: &[(DeviceValue, PropertyValue)],
) -> ApiResult<()> {
    let cloud = state.sessions.cloud(&actor.session);
    for (at, (value, requested)) in values.iter().enumerate() {
        let sent = cloud.datapoints().create(dsn, value.property, requested.clone()).send().await;
        if let Err(error) = sent {
            let saved: Vec<Part> = values[..at].iter().map(|(value, _)| value.part).collect();
            return Err(stopped(value.part, &saved, error.into()));
        }
    }
    Ok(())
}

/// Adds the CSPs whose lists the read changed: another's change that no pass will find any more.
async fn read_back(state: &AppState, actor: &Actor, dsn: &str, lists: &mut Vec<String>) -> ApiResult<Device> {
    let mut read_backs = 1;
    loop {
        let read = index::CloudRead::announce(&state.base.db, &state.base.clock, dsn).await?;
        let device = service::read(state, actor, dsn).await?;
        let entry = index::IndexEntry::of(&device);
        let applied = index::apply_read(&state.base.db, &[entry], read.end(&state.base.clock)).await?;
        lists.extend(applied.changed.into_iter().flat_map(|changed| changed.lists));
        if applied.outdated.is_empty() || read_backs == MAX_READ_BACKS {
            return Ok(device);
        }
        read_backs += 1;
    }
}

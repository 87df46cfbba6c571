//! Writes values to a device and reads it back.

use devicecloud::{Device, PropertyValue};
use diffuser::Setting;

use super::service;
use crate::audit::{self, Change, Entry, FieldChange};
use crate::events::notices::{self, DeviceEventKind};
use crate::forms::partial_writes::{Part, stopped};
use crate::http::error::ApiResult;
use crate::index;
use crate::policy::Actor;
use crate::records::{ReadDevice, property};
use crate::state::CoreState;

/// A value of the device with its names in the request, on the page, and in the cloud.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceValue {
    pub(crate) part: Part,
    pub(crate) property: &'static str,
}

pub(super) const fn value(field: &'static str, label: &'static str, property: &'static str) -> DeviceValue {
    DeviceValue { part: Part { field, label }, property }
}

impl DeviceValue {
    pub(super) const fn setting(setting: Setting) -> Self {
        value(setting.field(), setting.label(), setting.property())
    }
}

/// Audit entries for writing these values.
pub(crate) fn changes(device: &Device, values: &[(DeviceValue, PropertyValue)]) -> Vec<FieldChange> {
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

/// Writes the values one by one with the actor's own token and returns the device as [`finish_write`]. `before` is the device as
/// read before. Does not check permissions; the caller must.
///
/// # Errors
/// Stops at the first value that the cloud rejects and returns its error with the parts saved before.
pub(super) async fn write(
    state: &CoreState,
    actor: &Actor,
    change: &Change,
    before: &Device,
    values: &[(DeviceValue, PropertyValue)],
) -> ApiResult<ReadDevice> {
    let dsn = change.target.id();
    let entry = audit::begin(state, actor, change).await?;
    let written = send_values(state, actor, dsn, values).await;
    finish_write(state, actor, before, entry, DeviceEventKind::Commanded, written).await
}

/// Completes the audit entry, reads the device back, updates the index and publishes the device event. A saved write succeeds
/// even if the device cannot be read back: then the result is the device `before` the write, marked as stale.
///
/// # Errors
/// The error of the write.
pub(crate) async fn finish_write(
    state: &CoreState,
    actor: &Actor,
    before: &Device,
    entry: Entry,
    kind: DeviceEventKind,
    written: ApiResult<()>,
) -> ApiResult<ReadDevice> {
    let (dsn, began) = (before.dsn.as_str(), state.base.clock.now());
    entry.end(&written).await;
    // Also after a failure, because earlier parts were saved.
    let mut lists = Vec::new();
    let read = read_back(state, actor, dsn, &mut lists).await;
    publish(state, dsn, kind, &lists, read.as_ref().ok());
    notices::written(&state.base.bus, dsn);
    written?;
    Ok(read.unwrap_or_else(|error| {
        tracing::warn!(device.dsn = %dsn, %error, "a device could not be read after a saved write");
        ReadDevice { device: before.clone(), began, is_stale: true }
    }))
}

/// Reads the device back, updates the index and notifies readers of the changed lists.
///
/// # Errors
/// As [`service::read`].
pub(crate) async fn refresh(state: &CoreState, actor: &Actor, dsn: &str) -> ApiResult<ReadDevice> {
    let mut lists = Vec::new();
    let device = read_back(state, actor, dsn, &mut lists).await?;
    if !lists.is_empty() {
        publish(state, dsn, DeviceEventKind::Changed, &lists, Some(&device));
    }
    Ok(device)
}

fn publish(state: &CoreState, dsn: &str, kind: DeviceEventKind, lists: &[String], read: Option<&ReadDevice>) {
    if let Some(read) = read {
        state.hub.hand_over(dsn, kind, read);
    }
    notices::device(&state.base.bus, dsn, kind, lists);
}

async fn send_values(
    state: &CoreState,
    actor: &Actor,
    dsn: &str,
    values: &[(DeviceValue, PropertyValue)],
) -> ApiResult<()> {
    let cloud = state.sessions.cloud(&actor.session);
    for (at, (value, requested)) in values.iter().enumerate() {
        state.echoes.expect(dsn, value.property, requested.clone(), state.base.clock.now());
        let sent = cloud.datapoints().create(dsn, value.property, requested.clone()).send().await;
        if let Err(error) = sent {
            // Without the command there is no event of ours; another client may send the same value.
            state.echoes.take(dsn, value.property, Some(requested), state.base.clock.now());
            let saved: Vec<Part> = values[..at].iter().map(|(value, _)| value.part).collect();
            return Err(stopped(value.part, &saved, error.into()));
        }
    }
    Ok(())
}

/// Reads the device back with the actor's own token and updates the index.
async fn read_back(state: &CoreState, actor: &Actor, dsn: &str, lists: &mut Vec<String>) -> ApiResult<ReadDevice> {
    let base = &state.base;
    index::read_and_apply(&base.db, &base.clock, dsn, lists, || service::read(state, actor, dsn)).await
}

//! A connected device and the properties against which its reports are checked.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use platform::db::{Db, Result};
use serde_json::Value;

use super::types::{BadValue, Generation, ReportError, value_at};
use crate::domain::value::{BaseType, Limits};
use crate::nodes::Identity;
use crate::store;
use crate::store::properties::{PropertyDescription, PropertyRow};

/// An authenticated device. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct LinkedDevice {
    pub(super) id: i64,
    dsn: Arc<str>,
    /// Number of revocations of its connections at the time of the sign-in.
    revocation: i64,
    /// The node at the time of the sign-in.
    node: Identity,
    /// The generation of its connection; 0 until it is connected.
    generation: Arc<AtomicI64>,
    /// Read once per connection, and again when a report names a property that is missing here.
    properties: Arc<Mutex<Properties>>,
}

/// The result of a check of a dsn and a key.
#[derive(Debug)]
pub(crate) enum Authentication {
    Accepted(LinkedDevice),
    UnknownDsn,
    /// With the id of the device.
    WrongKey(i64),
    /// With the id of the device, whose key is right.
    Blocked(i64),
}

#[cfg(any(test, feature = "testing"))]
impl Authentication {
    pub(crate) fn accepted(self) -> Option<LinkedDevice> {
        if let Self::Accepted(device) = self { Some(device) } else { None }
    }
}

/// All properties of a connected device.
pub(super) type Properties = Arc<[Arc<LinkedProperty>]>;

/// A property of a connected device.
#[derive(Debug)]
pub(super) struct LinkedProperty {
    pub(super) id: i64,
    name: Box<str>,
    display_name: Box<str>,
    base_type: BaseType,
    ack_enabled: bool,
    limits: Limits,
}

/// A value that its property accepts.
#[derive(Debug)]
pub(super) struct Accepted {
    pub(super) property: Arc<LinkedProperty>,
    /// A JSON scalar.
    pub(super) value: String,
}

impl PartialEq for LinkedDevice {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for LinkedDevice {}

impl Hash for LinkedDevice {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl From<&PropertyRow> for LinkedProperty {
    fn from(row: &PropertyRow) -> Self {
        let PropertyDescription { name, display_name, base_type, ack_enabled } = row.description();
        let (name, display_name) = (name.into(), display_name.into());
        Self { id: row.id, name, display_name, base_type, ack_enabled, limits: row.limits() }
    }
}

impl LinkedProperty {
    pub(super) fn description(&self) -> PropertyDescription<'_> {
        let Self { name, display_name, base_type, ack_enabled, .. } = self;
        PropertyDescription { name, display_name, base_type: *base_type, ack_enabled: *ack_enabled }
    }
}

impl LinkedDevice {
    /// Reads the device's properties.
    pub(super) async fn read(db: &Db, id: i64, dsn: &str, revocation: i64, node: Identity) -> Result<Self> {
        let properties = Arc::new(Mutex::new(read(db, id).await?));
        Ok(Self { id, dsn: dsn.into(), revocation, node, generation: Arc::default(), properties })
    }

    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    /// The node at the time of the sign-in. The connection must end with it.
    pub(crate) fn node(&self) -> &Identity {
        &self.node
    }

    /// The connection of the device; `None` until it is connected.
    pub(super) fn generation(&self) -> Option<Generation> {
        let generation = self.generation.load(Ordering::Acquire);
        (generation > 0).then_some(Generation(generation))
    }

    pub(super) fn set_generation(&self, Generation(generation): Generation) {
        self.generation.store(generation, Ordering::Release);
    }

    pub(crate) fn revocation(&self) -> i64 {
        self.revocation
    }

    pub(crate) fn dsn(&self) -> &str {
        &self.dsn
    }

    /// Whether it has a property of this name, as far as they were read.
    pub(crate) fn has_property(&self, name: &str) -> bool {
        find(&self.properties(), name).is_some()
    }

    /// The properties as last read.
    pub(super) fn properties(&self) -> Properties {
        Arc::clone(&self.known())
    }

    /// Checks the values of a report.
    ///
    /// # Errors
    /// The first value that is rejected, or a database error.
    pub(super) async fn accept(
        &self,
        db: &Db,
        values: Vec<(String, Value)>,
    ) -> std::result::Result<Vec<Accepted>, ReportError> {
        let mut properties = self.properties();
        if values.iter().any(|(name, _)| find(&properties, name).is_none()) {
            // The template may have gained properties since the device connected.
            properties = read(db, self.id).await?;
            *self.known() = Arc::clone(&properties);
        }
        let count = values.len();
        let accept = |(index, (name, value)): (usize, (String, Value))| {
            let Some(property) = find(&properties, &name) else {
                return Err(BadValue::UnknownProperty(value_at(None, index, count)).into());
            };
            match property.base_type.accept_report(&value, &property.limits) {
                Ok(value) => Ok(Accepted { property: Arc::clone(property), value: value.to_string() }),
                Err(reason) => Err(BadValue::NotAccepted { value: value_at(Some(&name), index, count), reason }.into()),
            }
        };
        values.into_iter().enumerate().map(accept).collect()
    }

    fn known(&self) -> MutexGuard<'_, Properties> {
        self.properties.lock().expect("no holder of this lock can panic")
    }
}

async fn read(db: &Db, device_id: i64) -> Result<Properties> {
    let rows = store::properties::of_devices(db, &[device_id]).await?;
    Ok(rows.iter().map(|row| Arc::new(LinkedProperty::from(row))).collect())
}

fn find<'a>(properties: &'a Properties, name: &str) -> Option<&'a Arc<LinkedProperty>> {
    properties.iter().find(|property| *property.name == *name)
}

//! A connected device and the properties against which its reports are checked.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use platform::db::{Db, Result};
use serde_json::Value;
use tokio::time::Instant;

use super::fault_counts::{FaultCount, FaultCounts};
use super::types::{BadValue, Generation, ReportError, Strictness, value_at};
use crate::domain::device_clock::clock_error;
use crate::domain::report_fault::{FaultKind, ReportFault, shape, shown_name};
use crate::domain::value::{self, BaseType, Limits};
use crate::metrics;
use crate::nodes::Identity;
use crate::store;
use crate::store::connections::LinkKeyRow;
use crate::store::properties::{PropertyDescription, PropertyRow};

/// Why a lock is not poisoned.
const UNPOISONED: &str = "no holder of this lock can panic";
/// Minimum time between two reads of the properties because a name is unknown.
const REREAD_INTERVAL: Duration = Duration::from_secs(60);

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
    /// When it was connected; `None` until then.
    connected_at: Arc<OnceLock<Timestamp>>,
    strictness: Strictness,
    /// Longer keep-alives, or none, count as this.
    max_keep_alive: Duration,
    /// Read once per connection, and again when a report names a property that is missing here.
    properties: Arc<Mutex<Properties>>,
    /// When they were read again.
    reread_at: Arc<Mutex<Option<Instant>>>,
    faults: Arc<Mutex<FaultCounts>>,
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
    /// The key is right, but the device has replaced its own connections too often.
    SharedIdentity,
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
    pub(super) async fn read(db: &Db, row: &LinkKeyRow, dsn: &str, node: Identity) -> Result<Self> {
        let properties = Arc::new(Mutex::new(read(db, row.id).await?));
        Ok(Self {
            id: row.id,
            dsn: dsn.into(),
            revocation: row.revocation,
            node,
            generation: Arc::default(),
            connected_at: Arc::default(),
            strictness: if row.is_strict { Strictness::Strict } else { Strictness::Lenient },
            max_keep_alive: Duration::from_secs(row.max_keep_alive.unsigned_abs()),
            properties,
            reread_at: Arc::default(),
            faults: Arc::default(),
        })
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

    pub(super) fn set_connected(&self, Generation(generation): Generation, now: Timestamp) {
        self.generation.store(generation, Ordering::Release);
        self.connected_at.get_or_init(|| now);
    }

    pub(crate) fn revocation(&self) -> i64 {
        self.revocation
    }

    pub(crate) fn dsn(&self) -> &str {
        &self.dsn
    }

    pub(super) fn shared_dsn(&self) -> Arc<str> {
        Arc::clone(&self.dsn)
    }

    pub(crate) fn strictness(&self) -> Strictness {
        self.strictness
    }

    pub(crate) fn max_keep_alive(&self) -> Duration {
        self.max_keep_alive
    }

    /// Whether it has a property of this name, as far as they were read.
    pub(crate) fn has_property(&self, name: &str) -> bool {
        find(&self.properties(), name).is_some()
    }

    /// The properties as last read.
    pub(super) fn properties(&self) -> Properties {
        Arc::clone(&self.known())
    }

    /// Checks the values of a report. Returns those that are accepted, and counts the others.
    ///
    /// # Errors
    /// If the template is strict, the first value that is rejected; or a database error.
    pub(super) async fn accept(
        &self,
        db: &Db,
        values: Vec<(String, Value)>,
        now: Timestamp,
    ) -> std::result::Result<Vec<Accepted>, ReportError> {
        let mut properties = self.properties();
        if values.iter().any(|(name, _)| find(&properties, name).is_none()) && self.may_reread() {
            // The template may have gained properties since the device connected.
            properties = read(db, self.id).await?;
            *self.known() = Arc::clone(&properties);
        }
        let count = values.len();
        let mut accepted = Vec::with_capacity(count);
        for (index, (name, value)) in values.into_iter().enumerate() {
            let Some(property) = find(&properties, &name) else {
                let bad = BadValue::UnknownProperty(value_at(None, index, count));
                if self.strictness == Strictness::Strict {
                    return Err(bad.into());
                }
                let kind = FaultKind::UnknownProperty;
                self.count(shown_name(&name), kind, shape(&value, false), now, || bad.to_string());
                continue;
            };
            let (base_type, limits) = (property.base_type, &property.limits);
            let bad = |reason| {
                let value_at = value_at(Some(&name), index, count);
                BadValue::NotAccepted { value: value_at, reason: base_type.explain(reason, &value, limits) }
            };
            let outcome = match self.strictness {
                Strictness::Strict => base_type.accept_report(&value, limits).map_err(bad)?,
                Strictness::Lenient => match base_type.convert_report(&value, limits) {
                    Ok(value) => value,
                    Err(reason) => {
                        let (kind, shape) = (value::fault_kind(reason), shape(&value, true));
                        self.count(name.clone(), kind, shape, now, || bad(reason).to_string());
                        continue;
                    }
                },
            };
            accepted.push(Accepted { property: Arc::clone(property), value: outcome.to_string() });
        }
        Ok(accepted)
    }

    /// The time of a report by the device's clock; `None` if the clock is off, which is counted.
    pub(super) fn accept_time(&self, at: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let Some(error) = clock_error(at, self.connected_at.get().copied(), now) else { return Some(at) };
        let shape = error.to_string();
        self.count("at".to_owned(), FaultKind::ClockOff, shape, now, || format!("at is {error} of the cloud's time"));
        None
    }

    /// Counts that its connections replaced each other too often.
    pub(super) fn count_shared_identity(&self, now: Timestamp) {
        let reason = || "two devices with this dsn and key replace each other's connections".to_owned();
        self.count("connection".to_owned(), FaultKind::SharedIdentity, "replaced".to_owned(), now, reason);
    }

    /// Whether a name that is no property may cause a query. It does once, and then once a minute.
    fn may_reread(&self) -> bool {
        let (mut reread_at, now) = (self.reread_at.lock().expect(UNPOISONED), Instant::now());
        let may = self.strictness == Strictness::Strict || reread_at.is_none_or(|at| now >= at + REREAD_INTERVAL);
        if may {
            *reread_at = Some(now);
        }
        may
    }

    /// Counts faults of a message.
    pub(super) fn add_faults(&self, faults: Vec<ReportFault>, now: Timestamp) {
        for ReportFault { subject, kind, shape, reason } in faults {
            self.count(subject, kind, shape, now, || reason);
        }
    }

    fn count(&self, subject: String, kind: FaultKind, shape: String, now: Timestamp, reason: impl FnOnce() -> String) {
        metrics::fault_counted(kind);
        self.faults.lock().expect(UNPOISONED).add(subject, kind, shape, now, reason);
    }

    /// When counted faults are to be stored; `None` if all are.
    pub(crate) fn faults_due(&self) -> Option<Instant> {
        self.faults.lock().expect(UNPOISONED).due()
    }

    /// Takes the counted faults that are due at this time, or all that are not stored.
    pub(super) fn take_faults(&self, due_at: Option<Instant>) -> Vec<FaultCount> {
        self.faults.lock().expect(UNPOISONED).take(due_at)
    }

    fn known(&self) -> MutexGuard<'_, Properties> {
        self.properties.lock().expect(UNPOISONED)
    }
}

async fn read(db: &Db, device_id: i64) -> Result<Properties> {
    let rows = store::properties::of_devices(db, &[device_id]).await?;
    Ok(rows.iter().map(|row| Arc::new(LinkedProperty::from(row))).collect())
}

fn find<'a>(properties: &'a Properties, name: &str) -> Option<&'a Arc<LinkedProperty>> {
    properties.iter().find(|property| *property.name == *name)
}

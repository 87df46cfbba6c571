//! What a job writes to a device, as it is stored for an undo, and the plan of the undo.

use diffuser::{Schedule, Setting, Settings};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::target::{JobTarget, TargetPlan};
use crate::audit::Operation;
use crate::devices::form::{self, CurrentDevice, Datum, Step};
use crate::devices::notifications::{self, AddedNotification};
use crate::devices::{schedule, settings};
use crate::forms::partial_writes::Part;
use crate::http::error::{ApiError, ApiResult};
use crate::jobs::writes;
use crate::policy::Actor;
use crate::records::{ReadDevice, non_empty};
use crate::secrets::opaque_ids::OpaqueIds;
use crate::state::CoreState;

/// What a job writes to a device.
#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
pub(super) struct JobWrites {
    values: Vec<WrittenValue>,
    notifications: Vec<AddedNotification>,
}

/// A value before and after the job.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct WrittenValue {
    field: TargetField,
    before: Value,
    after: Value,
}

/// A value that one call writes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum TargetField {
    Csp,
    ServiceArea,
    /// The cloud's time zone, which the device follows.
    TimeZone,
    /// City, state and country.
    Address,
    /// Latitude and longitude in degrees.
    Location,
    /// The value with this key in the device's data.
    Datum(String),
    /// The setting of this name.
    Setting(String),
    /// In the device's storage format.
    Schedule,
}

/// The plan of an undo.
#[derive(Debug, Default)]
pub(super) struct UndoPlan {
    pub(super) plan: TargetPlan,
    pub(super) left: LeftValues,
}

/// The labels of the values that an undo leaves as they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LeftValues {
    /// Somebody has changed them since.
    changed: Vec<&'static str>,
    /// The former value cannot be written.
    impossible: Vec<&'static str>,
    /// The former CSP, which has been removed.
    removed_csp: Option<String>,
}

/// As [`JobTarget::save`], and stores what is written, so that the job can be undone. It is stored before the first write: if
/// the node dies in between, the repeated work finds nothing left to write.
///
/// # Errors
/// As [`JobTarget::save`].
pub(super) async fn save(
    target: &JobTarget,
    state: &CoreState,
    actor: &Actor,
    job: Uuid,
    operation: Operation,
    plan: &TargetPlan,
) -> ApiResult<ReadDevice> {
    let (db, dsn) = (&state.base.db, target.device.dsn.as_str());
    let store = async |written: &JobWrites| {
        let json = serde_json::to_string(written).map_err(ApiError::internal)?;
        writes::store(db, job, dsn, &json).await.map_err(ApiError::from)
    };
    let mut written = find(state, job, dsn).await?.unwrap_or_default();
    written.add(JobWrites::of(target, plan, &state.opaque_ids));
    store(&written).await?;
    let saved = target.save(state, actor, job, operation, plan).await;
    if let Some(stopped_at) = saved.as_ref().err().and_then(ApiError::stopped_at) {
        written.remove_after(stopped_at);
        store(&written).await?;
    }
    saved
}

/// What the job wrote to the device; `None` if it wrote nothing or that is not known any more.
pub(super) async fn find(state: &CoreState, job: Uuid, dsn: &str) -> ApiResult<Option<JobWrites>> {
    let stored = writes::find(&state.base.db, job, dsn).await?;
    stored.map(|json| serde_json::from_str(&json)).transpose().map_err(ApiError::internal)
}

impl JobWrites {
    fn of(target: &JobTarget, plan: &TargetPlan, ids: &OpaqueIds) -> Self {
        let steps = plan.steps.iter().map(TargetField::of_step);
        let setting = |of: Setting| Some((TargetField::Setting(of.field().to_owned()), json!(plan.requested(of)?)));
        let settings = Setting::ALL.into_iter().filter_map(setting);
        let schedule = plan.schedule.iter().map(|schedule| (TargetField::Schedule, json!(schedule.to_string())));
        let values = steps.chain(settings).chain(schedule).map(|(field, after)| {
            let before = field.value(target);
            WrittenValue { field, before, after }
        });
        Self {
            values: values.collect(),
            notifications: AddedNotification::all_of(&plan.notifications, ids, target.device.dsn.as_str()),
        }
    }

    /// Adds the writes of a repeated attempt. If it finds a value that neither the job nor its predecessor wrote, somebody has
    /// changed it in between, and an undo restores that one.
    fn add(&mut self, newer: Self) {
        for newer in newer.values {
            match self.values.iter_mut().find(|older| older.field == newer.field) {
                Some(older) if is_same(&newer.before, &older.before) || older.is_ours(&newer.before) => {
                    older.after = newer.after;
                }
                Some(older) => *older = newer,
                None => self.values.push(newer),
            }
        }
        self.notifications.retain(|added| !newer.notifications.contains(added));
        self.notifications.extend(newer.notifications);
    }

    /// Removes what was not written, because the write of the field `stopped_at` failed. Whether that one was written is unknown.
    fn remove_after(&mut self, stopped_at: &str) {
        if let Some(at) = self.values.iter().rposition(|value| value.field.part().field == stopped_at) {
            self.values.truncate(at + 1);
            self.notifications.clear();
        } else if let Some(at) = self.notifications.iter().rposition(|added| added.part().field == stopped_at) {
            self.notifications.truncate(at + 1);
        }
    }

    pub(super) fn has_notifications(&self) -> bool {
        !self.notifications.is_empty()
    }

    /// Plans the undo: each value that is still the written one gets its former value back.
    pub(super) fn undo(&self, target: &JobTarget, ids: &OpaqueIds) -> UndoPlan {
        let mut undo = UndoPlan::default();
        let mut restored = Settings::default();
        for written in &self.values {
            let WrittenValue { field, before, .. } = written;
            let (now, label) = (field.value_or_partners(target), field.part().label);
            if is_same(&now, before) {
                continue;
            }
            if !written.is_ours(&now) {
                undo.left.changed.push(label);
            } else if !field.restore(before, &target.current, &mut undo.plan, &mut restored) {
                undo.left.impossible.push(label);
            }
        }
        let record = &target.current.record;
        let invalid = settings::remove_invalid(&mut restored, record);
        undo.left.impossible.extend(invalid.into_iter().map(Setting::label));
        undo.plan.settings = settings::changes(&restored, &record.state);
        let dsn = target.device.dsn.as_str();
        undo.plan.notifications = notifications::removals(&target.notifications.rows, &self.notifications, ids, dsn);
        undo
    }
}

impl WrittenValue {
    /// Whether this is the written value, or what an interrupted assignment of a CSP leaves.
    fn is_ours(&self, now: &Value) -> bool {
        let is_halfway = || match now {
            Value::Null => true,
            Value::Array(partners) => partners.iter().all(|partner| [&self.before, &self.after].contains(&partner)),
            _ => false,
        };
        is_same(now, &self.after) || (self.field == TargetField::Csp && is_halfway())
    }
}

impl TargetField {
    fn of_step(step: &Step) -> (Self, Value) {
        match step {
            Step::Assign { csp, .. } => (Self::Csp, json!(csp)),
            Step::Unassign => (Self::Csp, Value::Null),
            Step::Rename(name) => (Self::ServiceArea, json!(name)),
            Step::TimeZone(name) => (Self::TimeZone, json!(name)),
            Step::Address(address) => (Self::Address, json!([address.city, address.state, address.country])),
            Step::Location(lat, lng) => (Self::Location, json!([lat, lng])),
            Step::Create(datum, value) | Step::Update(datum, value) => {
                (Self::Datum(datum.key().to_owned()), json!(value))
            }
            Step::Delete(datum) => (Self::Datum(datum.key().to_owned()), Value::Null),
        }
    }

    fn part(&self) -> Part {
        match self {
            Self::Csp => form::CSP,
            Self::ServiceArea => form::SERVICE_AREA,
            Self::TimeZone => form::TIME_ZONE.part(),
            Self::Address => form::ADDRESS,
            Self::Location => form::LOCATION,
            Self::Datum(key) => Datum::of_key(key).map_or(UNKNOWN, Datum::part),
            Self::Setting(name) => setting(name).map_or(UNKNOWN, |of| Part { field: of.field(), label: of.label() }),
            Self::Schedule => schedule::SCHEDULE.part,
        }
    }

    /// The current value.
    fn value(&self, target: &JobTarget) -> Value {
        let CurrentDevice { record, zone, location, data, .. } = &target.current;
        match self {
            Self::Csp => json!(record.csp),
            Self::ServiceArea => json!(record.service_area),
            Self::TimeZone => json!(zone),
            Self::Address => json!([record.city, record.state_province, record.country]),
            Self::Location => json!(location),
            Self::Datum(key) => json!(data.get(key).and_then(|text| non_empty(text))),
            Self::Setting(name) => json!(setting(name).and_then(|of| record.state.settings().get(of))),
            Self::Schedule => json!(Schedule::read(target.schedule()).0.to_string()),
        }
    }

    /// The current value; of a device whose labels are not those of one CSP, the CSPs of its labels.
    fn value_or_partners(&self, target: &JobTarget) -> Value {
        let value = self.value(target);
        let is_partial = *self == Self::Csp && value.as_str().is_some_and(|csp| !target.has_all_labels(csp));
        if is_partial { target.partners().map(|(_, partner)| partner).collect() } else { value }
    }

    /// Plans the write of the former value; returns whether that is possible.
    fn restore(&self, before: &Value, current: &CurrentDevice, plan: &mut TargetPlan, settings: &mut Settings) -> bool {
        let text = before.as_str();
        let step = match self {
            Self::Csp => {
                Some(text.map_or(Step::Unassign, |csp| Step::Assign { csp: csp.to_owned(), setup_code: None }))
            }
            Self::ServiceArea => text.and_then(|name| current.rename(name)),
            Self::TimeZone => text.and_then(|name| current.set_zone(name)),
            Self::Address => {
                let part = |at: usize| before.get(at).and_then(Value::as_str);
                current.set_address(part(0), part(1), part(2))
            }
            Self::Location => degrees(before).and_then(|at| current.set_location(at)),
            Self::Datum(key) => Datum::of_key(key).and_then(|datum| current.set_datum(datum, text)),
            Self::Setting(name) => {
                let Some((of, value)) = setting(name).zip(before.as_i64()) else { return false };
                settings.set(of, Some(value));
                return true;
            }
            Self::Schedule => {
                plan.schedule = text.map(|text| Schedule::read(text).0);
                return text.is_some();
            }
        };
        let is_possible = step.is_some();
        plan.steps.extend(step);
        is_possible
    }
}

/// A field of another version.
const UNKNOWN: Part = Part { field: "", label: "Another value" };

fn setting(name: &str) -> Option<Setting> {
    Setting::ALL.into_iter().find(|setting| setting.field() == name)
}

fn degrees(value: &Value) -> Option<(f64, f64)> {
    Some((value.get(0)?.as_f64()?, value.get(1)?.as_f64()?))
}

fn is_same(one: &Value, other: &Value) -> bool {
    match (degrees(one), degrees(other)) {
        (Some(one), Some(other)) => form::is_same_location(one, other),
        _ => one == other,
    }
}

impl UndoPlan {
    /// Leaves the CSP as it is: the former one does not exist any more.
    pub(super) fn leave_csp(&mut self, former: String) {
        self.plan.steps.retain(|step| !step.changes_csp());
        self.left.removed_csp = Some(former);
    }
}

impl LeftValues {
    /// What was left and why, in sentences for the user; `None` if nothing was left.
    pub(super) fn reason(mut self) -> Option<String> {
        // The time zone is stored in two places of a device.
        self.changed.dedup();
        self.impossible.dedup();
        let sentences = [("Changed since, so left", self.changed), ("Cannot be restored", self.impossible)];
        let sentences = sentences.into_iter().filter(|(_, labels)| !labels.is_empty());
        let sentences = sentences.map(|(start, labels)| format!("{start}: {}.", labels.join(", ")));
        let removed = self.removed_csp.map(|csp| format!("The former CSP \u{201c}{csp}\u{201d} has been removed."));
        let text: Vec<String> = removed.into_iter().chain(sentences).collect();
        Some(text.join(" ")).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(field: TargetField, before: &str, after: &str) -> WrittenValue {
        WrittenValue { field, before: json!(before), after: json!(after) }
    }

    fn name_and_customer() -> JobWrites {
        let customer = TargetField::Datum(form::CUSTOMER.key().to_owned());
        let values = vec![value(TargetField::ServiceArea, "a", "b"), value(customer, "c", "d")];
        JobWrites { values, notifications: Vec::new() }
    }

    #[test]
    fn stored_form_is_stable() {
        let stored = concat!(
            r#"{"values":[{"field":"service_area","before":"a","after":"b"},"#,
            r#"{"field":{"datum":"customer"},"before":"c","after":"d"}],"notifications":[]}"#
        );
        assert_eq!(serde_json::to_string(&name_and_customer()).unwrap(), stored);
        assert_eq!(serde_json::from_str::<JobWrites>(stored).unwrap(), name_and_customer());
    }

    #[test]
    fn repeated_attempt_keeps_the_first_value_unless_somebody_changed_it_in_between() {
        for (found, restored) in [("a", "a"), ("b", "a"), ("z", "z")] {
            let mut written = name_and_customer();
            let again = vec![value(TargetField::ServiceArea, found, "b")];
            written.add(JobWrites { values: again, notifications: Vec::new() });
            let befores: Vec<&Value> = written.values.iter().map(|value| &value.before).collect();
            assert_eq!(befores, [&json!(restored), &json!("c")], "{found}");
        }
    }

    #[test]
    fn interrupted_assignment_is_not_a_change_of_somebody_else() {
        let written = value(TargetField::Csp, "North", "South");
        for now in [json!("South"), json!(null), json!(["North"]), json!(["South", "North"])] {
            assert!(written.is_ours(&now), "{now}");
        }
        for now in [json!("West"), json!(["South", "West"])] {
            assert!(!written.is_ours(&now), "{now}");
        }
        assert!(!value(TargetField::ServiceArea, "a", "b").is_ours(&Value::Null));
    }

    #[test]
    fn writes_after_the_failed_one_are_removed() {
        for (stopped_at, count) in [("serviceArea", 1), ("customer", 2), ("fan", 2)] {
            let mut written = name_and_customer();
            written.remove_after(stopped_at);
            assert_eq!(written.values.len(), count, "{stopped_at}");
        }
    }

    #[test]
    fn locations_are_equal_as_far_as_the_cloud_stores_them() {
        assert!(is_same(&json!([59.911_491, 10.0]), &json!([59.911_491_2, 10])));
        assert!(!is_same(&json!([59.911_491, 10.0]), &json!([59.911_5, 10.0])));
        assert!(!is_same(&json!([59.911_491, 10.0]), &Value::Null));
        assert!(is_same(&json!(["Oslo", null, "Norway"]), &json!(["Oslo", null, "Norway"])));
    }

    #[test]
    fn reason_names_each_value_once() {
        let left = |changed: &[&'static str], impossible: &[&'static str]| {
            LeftValues { changed: changed.to_vec(), impossible: impossible.to_vec(), removed_csp: None }.reason()
        };
        assert_eq!(left(&[], &[]), None);
        let expected = "Changed since, so left: Time zone, Customer. Cannot be restored: Mode.";
        assert_eq!(left(&["Time zone", "Time zone", "Customer"], &["Mode"]).as_deref(), Some(expected));
    }
}

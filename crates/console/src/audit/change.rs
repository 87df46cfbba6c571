//! A change that is about to be made.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Operation;

/// Longer texts are truncated, to keep the audit readable.
const MAX_CHARS: usize = 255;

/// A change before it is made.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) operation: Operation,
    pub(crate) target: AuditTarget,
    /// Only changed fields, without secrets.
    pub(crate) fields: Vec<FieldChange>,
}

/// The record that is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AuditTarget {
    pub(super) kind: TargetKind,
    /// The dsn of a device, or the UUID of a user, CSP or job. Empty for the catalogue, a report, the rules of sign-ins and a record not
    /// created yet.
    pub(super) id: String,
    /// The CSP whose administrators may view the change.
    pub(super) csp: Option<String>,
}

/// The kind of a changed record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = AuditTargetKind)]
pub(crate) enum TargetKind {
    Device,
    User,
    Csp,
    Job,
    Fragrances,
    Report,
    /// The thresholds of attention of a CSP.
    AttentionSettings,
    SignInRules,
}

/// One field, by its name in the requests.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct FieldChange {
    pub(super) field: String,
    pub(super) before: Value,
    pub(super) after: Value,
}

impl AuditTarget {
    pub(crate) fn device(dsn: &str, csp: Option<&str>) -> Self {
        Self { kind: TargetKind::Device, id: dsn.to_owned(), csp: csp.map(str::to_owned) }
    }

    pub(crate) fn user(id: Uuid, csp: Option<&str>) -> Self {
        Self { kind: TargetKind::User, id: id.to_string(), csp: csp.map(str::to_owned) }
    }

    /// Visible only to actors who see every CSP.
    pub(crate) fn csp(id: Uuid) -> Self {
        Self { kind: TargetKind::Csp, id: id.to_string(), csp: None }
    }

    /// Visible only to actors who see every CSP: a job may contain devices of several CSPs.
    pub(crate) fn job(id: Uuid) -> Self {
        Self { kind: TargetKind::Job, id: id.to_string(), csp: None }
    }

    /// The fragrance catalogue. Visible only to actors who see every CSP.
    pub(crate) fn fragrances() -> Self {
        Self { kind: TargetKind::Fragrances, id: String::new(), csp: None }
    }

    /// A report of a list. Visible to actors who see every CSP and to administrators of this CSP, which is that of the reader.
    pub(crate) fn report(csp: Option<&str>) -> Self {
        Self { kind: TargetKind::Report, id: String::new(), csp: csp.map(str::to_owned) }
    }

    /// The items of attention of a CSP that are about no device, and its thresholds. `csp` is `None` for the devices without a CSP.
    pub(crate) fn attention_settings(csp: Option<&str>) -> Self {
        Self { kind: TargetKind::AttentionSettings, id: String::new(), csp: csp.map(str::to_owned) }
    }

    /// The rules of sign-ins. Visible only to actors who see every CSP.
    pub(crate) fn sign_in_rules() -> Self {
        Self { kind: TargetKind::SignInRules, id: String::new(), csp: None }
    }

    /// A user who is not created yet; [`Entry::set_target`](super::Entry::set_target) adds the id.
    pub(crate) fn new_user(csp: Option<&str>) -> Self {
        Self { kind: TargetKind::User, id: String::new(), csp: csp.map(str::to_owned) }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The job's id if the target is a job.
    pub(super) fn as_job(&self) -> Option<Uuid> {
        (self.kind == TargetKind::Job).then(|| self.id.parse().ok()).flatten()
    }
}

impl TargetKind {
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

impl FieldChange {
    pub(crate) fn new(field: impl Into<String>, before: impl Into<Value>, after: impl Into<Value>) -> Self {
        Self { field: field.into(), before: bounded(before.into()), after: bounded(after.into()) }
    }

    pub(crate) fn field(&self) -> &str {
        &self.field
    }

    pub(crate) fn before(&self) -> &Value {
        &self.before
    }

    pub(crate) fn after(&self) -> &Value {
        &self.after
    }
}

fn bounded(value: Value) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(MAX_CHARS) {
            Some((end, _)) => format!("{}…", &text[..end]).into(),
            None => text.into(),
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_truncated_after_255_characters() {
        let text = |length: usize| "ü".repeat(length);
        let change = FieldChange::new("customer", text(255), text(256));
        assert_eq!((change.before, change.after), (text(255).into(), format!("{}…", text(255)).into()));
    }

    #[test]
    fn missing_value_is_null() {
        let change = FieldChange::new("storeNumber", None::<String>, Some("7".to_owned()));
        assert_eq!((change.before, change.after), (Value::Null, "7".into()));
    }
}

//! Detects changes by others while a form was open.

use std::collections::BTreeMap;

use platform::db::Db;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{AuditTarget, FieldChange, last_changes};
use crate::http::error::{ApiError, ApiResult, ChangedField};
use crate::policy::Actor;

/// The values of a form's fields when the person opened it. Numbers are sent as texts; null and an empty text mean no value.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
pub(crate) struct SeenValues(BTreeMap<String, Option<String>>);

impl SeenValues {
    /// The text that the person saw; `None` for a field without a value or a seen one.
    pub(crate) fn get(&self, field: &str) -> Option<&str> {
        self.0.get(field)?.as_deref()
    }
}

/// The cloud stores six decimals of a degree.
const SAME_NUMBER: f64 = 0.000_000_5;

/// Refuses `changes` of fields whose current value differs from the one that the person saw, unless the person was the last to
/// change it. Fields without a seen value are not checked: the last write wins. `form_field` returns the form's name of a field
/// of the audit.
///
/// # Errors
/// 409 with the current values and their authors; database errors.
pub(crate) async fn refuse_unseen(
    db: &Db,
    actor: &Actor,
    target: &AuditTarget,
    seen: &SeenValues,
    changes: &[FieldChange],
    form_field: fn(&FieldChange) -> &str,
) -> ApiResult<()> {
    let is_unseen = |change: &&FieldChange| {
        // A change of one coordinate names both.
        !equals(change.before(), &text(change.after()))
            && seen.0.get(form_field(change)).is_some_and(|seen| !equals(change.before(), seen))
    };
    let unseen: Vec<&FieldChange> = changes.iter().filter(is_unseen).collect();
    if unseen.is_empty() {
        return Ok(());
    }
    let mut last = last_changes(db, actor, target).await?;
    let mut changed = BTreeMap::new();
    for change in unseen {
        let (by, at) = match last.remove(change.field()) {
            Some(last) if last.is_own => continue,
            Some(last) => (last.by, last.at),
            None => (None, None),
        };
        changed.insert(form_field(change).to_owned(), ChangedField { value: text(change.before()), by, at });
    }
    if changed.is_empty() { Ok(()) } else { Err(ApiError::Changed(changed)) }
}

fn equals(stored: &Value, seen: &Option<String>) -> bool {
    let seen = seen.as_deref().map(str::trim).filter(|seen| !seen.is_empty());
    match (stored.as_f64(), seen.and_then(|seen| seen.parse::<f64>().ok())) {
        (Some(stored), Some(seen)) => (stored - seen).abs() < SAME_NUMBER,
        _ => text(stored).as_deref() == seen,
    }
}

/// The value in the format of the form.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_compared_trimmed_and_numbers_by_value() {
        for (stored, seen) in [
            (json!("Harbor"), Some("Harbor")),
            (json!(" Harbor"), Some("Harbor ")),
            (json!(null), None),
            (json!(null), Some("")),
            (json!(""), None),
            (json!(41.878_1), Some("41.8781000")),
            (json!(41.878_100_2), Some("41.8781")),
        ] {
            assert!(equals(&stored, &seen.map(str::to_owned)), "{stored} {seen:?}");
        }
        for (stored, seen) in [
            (json!("Harbor"), Some("harbor")),
            (json!("Harbor"), None),
            (json!(null), Some("Harbor")),
            (json!(41.878_1), Some("41.8782")),
            (json!(41.878_1), None),
            (json!("7"), Some("7.0")),
        ] {
            assert!(!equals(&stored, &seen.map(str::to_owned)), "{stored} {seen:?}");
        }
    }
}

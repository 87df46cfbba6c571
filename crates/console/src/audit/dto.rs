//! The responses of the audit API.

use diffuser::Role;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::FieldChange;
use super::change::TargetKind;
use super::store::{Outcome, RecordedChange};
use crate::policy::{Actor, Scope};

/// A page of changes, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditPage {
    pub(super) entries: Vec<AuditEntry>,
    /// The value of `before` for older changes; null if there are none.
    #[schema(required)]
    pub(super) next: Option<String>,
}

/// A change made through the console.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditEntry {
    id: String,
    /// When the change began.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) at: Timestamp,
    pub(crate) actor: AuditActor,
    /// The id of the operation.
    pub(crate) operation: String,
    pub(crate) target: AuditTarget,
    pub(crate) changes: Vec<AuditChange>,
    pub(crate) result: AuditResult,
    /// For a failed change, the code of the returned problem.
    #[schema(required)]
    pub(crate) code: Option<String>,
    /// Null while the result is unknown.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub(crate) ended_at: Option<Timestamp>,
    /// The job that the change belongs to: its start, cancellation or retry, or a change of one of its targets.
    #[schema(required)]
    pub(crate) job: Option<Uuid>,
    /// The id of the change that this one follows from: an import of the catalogue changes the levels of devices.
    #[schema(required)]
    pub(crate) cause: Option<String>,
    /// How many refused sign-ins the entry stands for: those of an hour from `at` to `endedAt`. 1 for everything else.
    pub(crate) occurrences: u64,
}

/// The author of a change. Actors of a CSP get only the role of authors who did not belong to the CSP at that time; all other
/// members are null. For a change with the token of a mail, only address and browser are known.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditActor {
    #[schema(required)]
    user_id: Option<Uuid>,
    #[schema(required)]
    pub(crate) email: Option<String>,
    /// Display name of the role at that time; null without a role.
    #[schema(required)]
    pub(crate) role_name: Option<String>,
    /// The CSP at that time.
    #[schema(required)]
    pub(crate) csp: Option<String>,
    /// The IP address that the request came from.
    #[schema(required)]
    pub(crate) address: Option<String>,
    /// Browser and system, such as `Chrome on Windows`, or the name of the access token of a program.
    #[schema(required)]
    pub(crate) browser: Option<String>,
}

/// The changed record.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditTarget {
    /// Null for a kind that this version does not know.
    #[schema(required)]
    pub(crate) kind: Option<TargetKind>,
    /// The dsn of a device, or the UUID of a user, CSP or job. Empty for the catalogue, for a report, and for a record that was not
    /// created or whose id is unknown.
    pub(crate) id: String,
    /// The CSP that the record belonged to at that time.
    #[schema(required)]
    pub(crate) csp: Option<String>,
}

/// A changed field.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditChange {
    /// Name in the request; `schedule.3` for the third frame of a schedule, the kind and a dot before
    /// what is done with an item of attention, and `recipient.` with the id of the notification for
    /// its recipient.
    pub(crate) field: String,
    /// In the format of the request; null for no value.
    #[schema(required)]
    pub(crate) before: Value,
    #[schema(required)]
    pub(crate) after: Value,
    /// Whether the field was saved; null while that is unknown.
    #[schema(required)]
    pub(crate) saved: Option<bool>,
}

/// Result of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AuditResult {
    /// In progress, or interrupted.
    Started,
    Done,
    Failed,
}

impl AuditEntry {
    /// The change with the members that `reader` may see.
    pub(super) fn of(recorded: RecordedChange, reader: &Actor) -> Self {
        let (result, code) = match &recorded.outcome {
            Outcome::Started => (AuditResult::Started, None),
            Outcome::Done => (AuditResult::Done, None),
            Outcome::Failed { code, .. } => (AuditResult::Failed, Some(code.clone())),
        };
        Self {
            actor: AuditActor::of(&recorded, reader),
            target: AuditTarget {
                kind: TargetKind::from_name(&recorded.target_kind),
                id: recorded.target_id,
                csp: recorded.target_csp,
            },
            changes: saved(&recorded.outcome, &recorded.fields)
                .into_iter()
                .zip(recorded.fields)
                .map(|(saved, it)| AuditChange { field: it.field, before: it.before, after: it.after, saved })
                .collect(),
            id: recorded.id,
            at: recorded.began_at,
            operation: recorded.operation,
            result,
            code,
            ended_at: recorded.ended_at,
            job: recorded.job,
            cause: recorded.cause,
            occurrences: recorded.occurrences,
        }
    }
}

/// Whether each of these fields was saved. The fields are in the order of their writes.
pub(super) fn saved(outcome: &Outcome, fields: &[FieldChange]) -> Vec<Option<bool>> {
    let saved = |(at, _)| match outcome {
        Outcome::Started => None,
        Outcome::Done => Some(true),
        Outcome::Failed { field, .. } => {
            let stopped_at = fields.iter().position(|it| Some(&it.field) == field.as_ref());
            Some(stopped_at.is_some_and(|stopped_at| at < stopped_at))
        }
    };
    fields.iter().enumerate().map(saved).collect()
}

impl AuditActor {
    pub(super) fn of(recorded: &RecordedChange, reader: &Actor) -> Self {
        let author = recorded.author.clone();
        let (user_id, email) = author.identity().unzip();
        let role_name =
            author.role.map(|name| Role::from_name(&name).map_or(name.clone(), |role| role.display_name().to_owned()));
        let is_known = match reader.scope() {
            Scope::Everything => true,
            Scope::Csp(own) => author.csp.as_deref() == Some(own),
            Scope::Nothing => false,
        };
        if !is_known {
            return Self { user_id: None, email: None, role_name, csp: None, address: None, browser: None };
        }
        Self { user_id, email, role_name, csp: author.csp, address: author.address, browser: author.browser }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_before_the_failed_field_are_saved() {
        let failed =
            |field: Option<&str>| Outcome::Failed { code: "cloud_failed".to_owned(), field: field.map(str::to_owned) };
        let rows = [
            (Outcome::Started, [None; 3]),
            (Outcome::Done, [Some(true); 3]),
            (failed(None), [Some(false); 3]),
            (failed(Some("mode")), [Some(false); 3]),
            (failed(Some("intensity")), [Some(true), Some(false), Some(false)]),
            (failed(Some("fan")), [Some(true), Some(true), Some(false)]),
            (failed(Some("cycle")), [Some(false); 3]),
        ];
        let fields = ["mode", "intensity", "fan"].map(|field| FieldChange::new(field, 1, 2));
        for (outcome, expected) in rows {
            assert_eq!(saved(&outcome, &fields), expected, "{outcome:?}");
        }
    }
}

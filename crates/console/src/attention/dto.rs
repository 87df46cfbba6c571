//! Requests and responses about attention. Names and shapes follow api/openapi.json.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::comments::StoredComment;
use super::item_list::{ItemPerson, ListedItem};
use crate::attention_rules::{AttentionKind, AttentionSettings, Evidence, LikelyCause, Severity};
use crate::audit::concurrent_changes::SeenValues;
use crate::http::request::sent;
use crate::policy::{self, Action, Actor, Decision, Scope, Target};

/// Items, the most urgent first, and of these the newest.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AttentionPage {
    pub(super) items: Vec<AttentionItem>,
    /// The value of `after` for further items; null if there are none.
    #[schema(required)]
    pub(super) next: Option<String>,
}

/// What needs attention.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AttentionItem {
    id: Uuid,
    kind: AttentionKind,
    severity: Severity,
    /// The device; null for an item about a CSP.
    #[schema(required)]
    dsn: Option<String>,
    /// The CSP that the device belongs to, or that the item is about.
    #[schema(required)]
    csp: Option<String>,
    #[schema(required)]
    customer: Option<String>,
    #[schema(required)]
    service_area: Option<String>,
    #[schema(required)]
    city: Option<String>,
    /// Of the device, for dates.
    #[schema(required)]
    time_zone: Option<String>,
    /// Since when the cause has existed, as far as known.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
    /// When the item opened first.
    #[schema(value_type = String, format = DateTime)]
    opened_at: Timestamp,
    /// When its cause was gone; null for an open item.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    closed_at: Option<Timestamp>,
    /// How often it opened: a cause that returns within a day opens the same item again.
    #[schema(minimum = 1)]
    occurrences: i64,
    /// Null for a cause that this version does not know.
    #[schema(required)]
    cause: Option<LikelyCause>,
    evidence: Evidence,
    /// Whether `runsDryAt` of the evidence may change because the past use of the device is still being read.
    is_provisional: bool,
    #[schema(required, value_type = Option<String>, format = DateTime)]
    acknowledged_at: Option<Timestamp>,
    #[schema(required)]
    acknowledged_by: Option<AttentionPerson>,
    #[schema(required)]
    assignee: Option<AttentionPerson>,
    /// Until when it is not counted and listed; in the past if that has ended.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    snoozed_until: Option<Timestamp>,
    /// The number of comments.
    comments: i64,
    can: AttentionCan,
}

/// What the caller may do with an item.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AttentionCan {
    /// Acknowledge, assign, snooze and comment.
    edit: bool,
}

/// A person. Actors of a CSP get no names of people who do not belong to it.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct AttentionPerson {
    #[schema(required)]
    id: Option<Uuid>,
    #[schema(required)]
    name: Option<String>,
}

/// A person to whom items can be assigned.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AttentionAssignee {
    pub(super) id: Uuid,
    pub(super) name: String,
}

/// The numbers of open items.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AttentionCount {
    /// Those that nobody has acknowledged or snoozed.
    pub(super) new: i64,
    /// How many of them are urgent.
    pub(super) high: i64,
    /// Those of the caller, or of the person `assignee`, that are not snoozed.
    pub(super) assigned: i64,
    /// Those of the same person that are snoozed.
    pub(super) snoozed: i64,
}

/// A comment on an item.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AttentionComment {
    id: Uuid,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    author: AttentionPerson,
    text: String,
}

/// What to do with items. Omitted members change nothing.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AttentionUpdate {
    /// The ids of the items.
    #[schema(max_items = 100)]
    pub(super) ids: Option<Vec<Uuid>>,
    /// Whether the caller acknowledges them.
    pub(super) acknowledged: Option<bool>,
    /// A person of the CSP of all items, or null for nobody.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<Uuid>)]
    pub(super) assignee: Option<Option<Uuid>>,
    /// A time within a year, or null to end it.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(super) snoozed_until: Option<Option<Timestamp>>,
    /// A comment for each of them.
    #[schema(max_length = 1000)]
    pub(super) comment: Option<String>,
}

/// The items after an update.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AttentionUpdated {
    pub(super) items: Vec<AttentionItem>,
}

/// A change of thresholds. Omitted and null members keep their values.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
#[schema(as = AttentionThresholdsForm)]
pub(super) struct AttentionSettingsForm {
    #[schema(minimum = 1, maximum = 60)]
    runs_dry_days: Option<i64>,
    #[schema(minimum = 0, maximum = 20)]
    empty_percent: Option<i64>,
    #[schema(minimum = 5, maximum = 10080)]
    offline_minutes: Option<i64>,
    #[schema(minimum = 1, maximum = 90)]
    never_connected_days: Option<i64>,
    #[schema(minimum = 2, maximum = 72)]
    no_use_hours: Option<i64>,
    #[schema(minimum = 110, maximum = 500)]
    excess_use_percent: Option<i64>,
    #[schema(minimum = 5, maximum = 1440)]
    command_minutes: Option<i64>,
    #[schema(minimum = 10, maximum = 100)]
    level_jump_percent: Option<i64>,
    disabled: Option<Vec<AttentionKind>>,
    /// By member, the values that the person saw; `disabled` as JSON text. If a member to change has another value by now, nothing is
    /// saved and the response is 409.
    pub(super) seen: SeenValues,
}

impl AttentionSettingsForm {
    /// The settings with the sent members.
    pub(super) fn applied_to(&self, before: &AttentionSettings) -> AttentionSettings {
        AttentionSettings {
            runs_dry_days: self.runs_dry_days.unwrap_or(before.runs_dry_days),
            empty_percent: self.empty_percent.unwrap_or(before.empty_percent),
            offline_minutes: self.offline_minutes.unwrap_or(before.offline_minutes),
            never_connected_days: self.never_connected_days.unwrap_or(before.never_connected_days),
            no_use_hours: self.no_use_hours.unwrap_or(before.no_use_hours),
            excess_use_percent: self.excess_use_percent.unwrap_or(before.excess_use_percent),
            command_minutes: self.command_minutes.unwrap_or(before.command_minutes),
            level_jump_percent: self.level_jump_percent.unwrap_or(before.level_jump_percent),
            disabled: self.disabled.clone().unwrap_or_else(|| before.disabled.clone()),
        }
    }
}

/// The thresholds of a CSP.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AttentionSettingsView {
    /// Null for the devices without a CSP.
    #[schema(required)]
    pub(super) csp: Option<String>,
    pub(super) settings: AttentionSettings,
    /// The thresholds of CSPs that have not changed them.
    pub(super) defaults: AttentionSettings,
    pub(super) can: AttentionCan,
}

impl AttentionCan {
    pub(super) fn edit_settings(actor: &Actor) -> Self {
        Self { edit: policy::can(actor, Action::Edit, Target::AttentionSettings) == Decision::Allowed }
    }
}

impl AttentionItem {
    pub(super) fn of(item: ListedItem, actor: &Actor) -> Self {
        let target = Target::AttentionItem { csp: item.csp.as_deref() };
        let can = AttentionCan { edit: policy::can(actor, Action::Edit, target) == Decision::Allowed };
        let person = |person: Option<ItemPerson>| person.map(|person| AttentionPerson::of(person, actor));
        Self {
            id: item.id,
            kind: item.kind,
            severity: item.severity,
            dsn: item.dsn,
            csp: item.csp,
            customer: item.customer,
            service_area: item.service_area,
            city: item.city,
            time_zone: item.time_zone,
            since: item.since,
            opened_at: item.opened_at,
            closed_at: item.closed_at,
            occurrences: item.occurrences,
            cause: item.cause,
            evidence: item.evidence,
            is_provisional: item.is_provisional,
            acknowledged_at: item.acknowledged_at,
            acknowledged_by: person(item.acknowledged_by),
            assignee: person(item.assignee),
            snoozed_until: item.snoozed_until,
            comments: item.comments,
            can,
        }
    }
}

impl AttentionPerson {
    fn of(person: ItemPerson, actor: &Actor) -> Self {
        let is_known = person.id == actor.user
            || match actor.scope() {
                Scope::Everything => true,
                Scope::Csp(own) => person.csp.as_deref() == Some(own),
                Scope::Nothing => false,
            };
        if is_known { Self { id: Some(person.id), name: person.name } } else { Self { id: None, name: None } }
    }
}

impl AttentionComment {
    pub(super) fn of(comment: StoredComment, actor: &Actor) -> Self {
        let StoredComment { id, at, author, text } = comment;
        Self { id, at, author: AttentionPerson::of(author, actor), text }
    }
}

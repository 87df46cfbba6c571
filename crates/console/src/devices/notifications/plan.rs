//! What adding, changing and removing a row does at the cloud: one step for each app. What is new is made before anything is
//! taken away, so that nobody goes untold who is to be told before and after.

use serde::{Deserialize, Serialize};

use super::recipient::{Method, Recipient};
use super::rows::{App, Event, Events, NotificationRow};
use crate::audit::FieldChange;
use crate::parts::Part;

const RECIPIENT: &str = "recipient";
const FORMER_RECIPIENT: Part = Part { field: RECIPIENT, label: "Removal of the former recipient" };

/// Who is to be told of what.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct NotificationSettings {
    pub(crate) recipient: Recipient,
    pub(crate) events: Events,
}

/// The steps, and what they change, in their order. The changes leave unsaid who the recipient is: who may read the audit
/// need not know whom a partner tells.
#[derive(Debug, Default)]
pub(in crate::devices) struct NotificationPlan {
    pub(super) steps: Vec<Step>,
    pub(in crate::devices) fields: Vec<FieldChange>,
}

/// One change, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) part: Part,
    pub(super) call: Call,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Create(Event, Recipient),
    Delete(App),
}

/// Adds to these rows what they do not tell yet of several recipients.
pub(in crate::devices) fn additions(rows: &[NotificationRow], wanted: &[NotificationSettings]) -> NotificationPlan {
    let mut all = NotificationPlan::default();
    for NotificationPlan { steps, fields } in wanted.iter().map(|settings| addition(rows, settings)) {
        all.steps.extend(steps);
        all.fields.extend(fields);
    }
    all
}

/// Adds what these rows do not tell yet.
pub(super) fn addition(rows: &[NotificationRow], wanted: &NotificationSettings) -> NotificationPlan {
    let missing = &wanted.events - &events_of(rows, &wanted.recipient);
    NotificationPlan {
        steps: creations(&missing, wanted),
        fields: fields(wanted.recipient.method(), &missing, &Events::new()),
    }
}

/// Makes `row`, one of `rows`, what is wished for. Where another row has the recipient already, the two become one.
pub(super) fn change(
    rows: &[NotificationRow],
    row: &NotificationRow,
    wanted: &NotificationSettings,
) -> NotificationPlan {
    let mut steps = creations(&(&wanted.events - &events_of(rows, &wanted.recipient)), wanted);
    let mut fields =
        fields(wanted.recipient.method(), &(&wanted.events - &row.events()), &(&row.events() - &wanted.events));
    if row.recipient == wanted.recipient {
        let unwanted = row.apps.iter().filter(|(event, _)| !wanted.events.contains(event));
        steps.extend(unwanted.map(deletion));
    } else {
        // One recipient takes the place of the other in all events: none of them is saved by itself.
        steps.iter_mut().for_each(|step| step.part.field = RECIPIENT);
        steps.extend(row.apps.iter().map(|app| Step { part: FORMER_RECIPIENT, ..deletion(app) }));
        fields.insert(0, FieldChange::new(RECIPIENT, wanted.recipient.method().name(), "another"));
    }
    NotificationPlan { steps, fields }
}

/// Takes the row away.
pub(super) fn removal(row: &NotificationRow) -> NotificationPlan {
    let fields = fields(row.recipient.method(), &Events::new(), &row.events());
    NotificationPlan { steps: row.apps.iter().map(deletion).collect(), fields }
}

fn events_of(rows: &[NotificationRow], recipient: &Recipient) -> Events {
    rows.iter().find(|row| row.recipient == *recipient).map(NotificationRow::events).unwrap_or_default()
}

fn creations(events: &Events, wanted: &NotificationSettings) -> Vec<Step> {
    let create = |event: &Event| Step { part: event.part(), call: Call::Create(*event, wanted.recipient.clone()) };
    events.iter().map(create).collect()
}

fn deletion((event, app): &(Event, App)) -> Step {
    Step { part: event.part(), call: Call::Delete(app.clone()) }
}

/// By which way each event is told, before and after.
fn fields(method: Method, added: &Events, removed: &Events) -> Vec<FieldChange> {
    let added = added.iter().map(|event| FieldChange::new(event.part().field, None::<&str>, method.name()));
    let removed = removed.iter().map(|event| FieldChange::new(event.part().field, method.name(), None::<&str>));
    added.chain(removed).collect()
}

#[cfg(test)]
mod tests;

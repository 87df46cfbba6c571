//! What adding, changing and removing a row does at the cloud: one step for each app. What is new is made before anything is
//! taken away, so that nobody goes untold who is to be told before and after.

use serde::{Deserialize, Serialize};

use super::merged::{App, Event, Events, Row};
use super::recipient::{Method, Recipient};
use crate::audit::FieldChange;
use crate::parts::Part;

const RECIPIENT: &str = "recipient";
const FORMER_RECIPIENT: Part = Part { field: RECIPIENT, label: "Removal of the former recipient" };

/// Who is to be told of what.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Wish {
    pub(crate) recipient: Recipient,
    pub(crate) events: Events,
}

/// The steps, and what they change, in their order. The changes leave unsaid who the recipient is: who may read the audit
/// need not know whom a partner tells.
#[derive(Debug, Default)]
pub(in crate::devices) struct Plan {
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
pub(in crate::devices) fn additions(rows: &[Row], wishes: &[Wish]) -> Plan {
    let mut all = Plan::default();
    for Plan { steps, fields } in wishes.iter().map(|wish| addition(rows, wish)) {
        all.steps.extend(steps);
        all.fields.extend(fields);
    }
    all
}

/// Adds what these rows do not tell yet.
pub(super) fn addition(rows: &[Row], wish: &Wish) -> Plan {
    let missing = &wish.events - &events_of(rows, &wish.recipient);
    Plan { steps: creations(&missing, wish), fields: fields(wish.recipient.method(), &missing, &Events::new()) }
}

/// Makes `row`, one of `rows`, what is wished for. Where another row has the recipient already, the two become one.
pub(super) fn change(rows: &[Row], row: &Row, wish: &Wish) -> Plan {
    let mut steps = creations(&(&wish.events - &events_of(rows, &wish.recipient)), wish);
    let mut fields = fields(wish.recipient.method(), &(&wish.events - &row.events()), &(&row.events() - &wish.events));
    if row.recipient == wish.recipient {
        let unwanted = row.apps.iter().filter(|(event, _)| !wish.events.contains(event));
        steps.extend(unwanted.map(deletion));
    } else {
        // One recipient takes the place of the other in all events: none of them is saved by itself.
        steps.iter_mut().for_each(|step| step.part.field = RECIPIENT);
        steps.extend(row.apps.iter().map(|app| Step { part: FORMER_RECIPIENT, ..deletion(app) }));
        fields.insert(0, FieldChange::new(RECIPIENT, wish.recipient.method().name(), "another"));
    }
    Plan { steps, fields }
}

/// Takes the row away.
pub(super) fn removal(row: &Row) -> Plan {
    let fields = fields(row.recipient.method(), &Events::new(), &row.events());
    Plan { steps: row.apps.iter().map(deletion).collect(), fields }
}

fn events_of(rows: &[Row], recipient: &Recipient) -> Events {
    rows.iter().find(|row| row.recipient == *recipient).map(Row::events).unwrap_or_default()
}

fn creations(events: &Events, wish: &Wish) -> Vec<Step> {
    let create = |event: &Event| Step { part: event.part(), call: Call::Create(*event, wish.recipient.clone()) };
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

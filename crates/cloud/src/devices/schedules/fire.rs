//! Executes the actions of due schedules.

use jiff::Timestamp;
use platform::db::Result;

use super::Schedules;
use crate::devices::commands::CommandInput;
use crate::domain::schedule;
use crate::domain::value::Direction;
use crate::store;
use crate::store::properties::PropertyRow;
use crate::store::schedule_actions::{self, Action, ActionRow};
use crate::store::schedules::{self, ScheduleRow};

/// How many schedules one transaction handles.
const BATCH: i64 = 100;

impl Schedules {
    /// Executes some due schedules. Returns their number. The next due time is stored in the transaction that issues
    /// the commands, so that no action is executed twice.
    ///
    /// # Errors
    /// A database error; nothing has changed then.
    pub(crate) async fn fire(&self) -> Result<usize> {
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let due = schedules::claim_due(&mut tx, BATCH, now).await?;
        if due.is_empty() {
            return Ok(0);
        }
        let ids: Vec<i64> = due.iter().map(|row| row.id).collect();
        let actions = schedule_actions::of_schedules(&self.db, &ids).await?;
        let due_actions: Vec<(i64, Action)> = due.iter().flat_map(|row| due_actions(row, &actions, now)).collect();
        let properties = self.properties(&due_actions).await?;
        let inputs: Vec<CommandInput<'_>> = due_actions
            .iter()
            .filter_map(|(device_id, action)| command_input(&properties, *device_id, action))
            .collect();
        let issued = self.commands.issue_within(&mut tx, None, &inputs).await?;
        tx.commit().await?;
        self.commands.publish(issued);
        Ok(due.len())
    }

    async fn properties(&self, due_actions: &[(i64, Action)]) -> Result<Vec<PropertyRow>> {
        let devices: Vec<i64> = due_actions.iter().map(|(device_id, _)| *device_id).collect();
        let names: Vec<&str> = due_actions.iter().map(|(_, action)| &*action.name).collect();
        if names.is_empty() { Ok(Vec::new()) } else { store::properties::named(&self.db, &devices, &names).await }
    }
}

/// The due actions of a schedule, in the order of execution.
fn due_actions(row: &ScheduleRow, actions: &[ActionRow], now: Timestamp) -> Vec<(i64, Action)> {
    let since = row.due_at().unwrap_or(now);
    let points = schedule::due(&row.schedule().plan, &row.zone(), since, now);
    let of_this = actions.iter().filter(|action| action.schedule_id == row.id).map(ActionRow::action);
    let active: Vec<Action> = of_this.filter(|action| action.active).collect();
    points
        .into_iter()
        .flat_map(|point| active.iter().filter(move |action| action.fire_point == Some(point)).cloned())
        .map(|action| (row.device_id, action))
        .collect()
}

/// `None` if the property has changed so that the action no longer fits it.
fn command_input<'a>(properties: &'a [PropertyRow], device_id: i64, action: &Action) -> Option<CommandInput<'a>> {
    let of_device = |property: &&PropertyRow| property.device_id == device_id && property.name == action.name;
    let property = properties.iter().find(of_device).filter(|property| property.direction() == Direction::Input)?;
    let value = property.base_type().accept(&action.value, &property.limits()).ok()?;
    Some(CommandInput { property, value, metadata: None })
}

//! Actions of schedules.

use platform::db::Tx;
use serde_json::Value;

use super::{FieldFault, Result, ScheduleError, Schedules};
use crate::domain::policy;
use crate::domain::principal::Principal;
use crate::domain::schedule::FirePoint;
use crate::domain::value::{BaseType, Direction};
use crate::store::properties::{self, PropertyRow};
use crate::store::schedule_actions::{self, Action, ActionRow};
use crate::store::schedules::ScheduleRow;

/// Maximum number of actions of a schedule: a list returns all of them.
const MAX_PER_SCHEDULE: i64 = 50;

/// A new action, or a change of an action. Missing fields stay.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActionChange {
    /// The property's name.
    pub(crate) name: Option<String>,
    pub(crate) value: Option<Value>,
    pub(crate) active: Option<bool>,
    /// Whether the action fires at each point, in the order of [`FirePoint::ALL`].
    pub(crate) fire_points: [Option<bool>; 3],
}

impl ActionChange {
    /// The name of the property after the change.
    pub(crate) fn property_name<'a>(&'a self, before: Option<&'a Action>) -> &'a str {
        self.name.as_deref().or(before.map(|before| &*before.name)).unwrap_or_default()
    }

    /// The action after the change. Its type is that of its property.
    ///
    /// # Errors
    /// All invalid fields.
    pub(crate) fn apply(
        &self,
        before: Option<&Action>,
        property: Option<&PropertyRow>,
    ) -> std::result::Result<Action, Vec<FieldFault>> {
        let mut faults = Vec::new();
        let name = self.property_name(before).to_owned();
        let value = self.value.as_ref().or(before.map(|before| &before.value)).unwrap_or(&Value::Null);
        let value = match property {
            Some(property) => accept(property, value, &mut faults),
            None => {
                if !name.is_empty() {
                    faults.push(("name", "is no property of the device".to_owned()));
                }
                Value::Null
            }
        };
        let active = self.active.or(before.map(|before| before.active)).unwrap_or(true);
        let fire_point = self.fire_point(before.and_then(|before| before.fire_point), &mut faults);
        let base_type = property.map_or(BaseType::String, PropertyRow::base_type);
        if faults.is_empty() { Ok(Action { name, base_type, value, active, fire_point }) } else { Err(faults) }
    }

    fn fire_point(&self, before: Option<FirePoint>, faults: &mut Vec<FieldFault>) -> Option<FirePoint> {
        let is_set = |(point, change): &(FirePoint, Option<bool>)| change.unwrap_or(before == Some(*point));
        let mut points = FirePoint::ALL.into_iter().zip(self.fire_points).filter(is_set).map(|(point, _)| point);
        let point = points.next();
        if points.next().is_some() {
            faults.push(("base", "An action has one of at_start, at_end and in_range".to_owned()));
        }
        point
    }
}

fn accept(property: &PropertyRow, value: &Value, faults: &mut Vec<FieldFault>) -> Value {
    if property.direction() == Direction::Output {
        faults.push(("name", "is a property that only the device itself writes".to_owned()));
    }
    property.base_type().accept(value, &property.limits()).unwrap_or_else(|reason| {
        faults.push(("value", reason.to_string()));
        Value::Null
    })
}

impl Schedules {
    /// The action and its schedule, if the caller may perform the action on the device.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub(crate) async fn find_action(
        &self,
        caller: &Principal,
        id: i64,
        action: policy::Action,
    ) -> Result<(ScheduleRow, ActionRow)> {
        let row = schedule_actions::find(&self.db, id).await?.ok_or(ScheduleError::ActionNotFound)?;
        match self.find(caller, row.schedule_id, action).await {
            Ok(schedule) => Ok((schedule, row)),
            // A caller who does not see the schedule must not learn that it has this action.
            Err(ScheduleError::NotFound) => Err(ScheduleError::ActionNotFound),
            Err(error) => Err(error),
        }
    }

    /// Adds an action to a schedule.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub(crate) async fn create_action(
        &self,
        caller: &Principal,
        schedule_id: i64,
        new: ActionChange,
    ) -> Result<ActionRow> {
        let create_action = async |mut tx: Tx| -> Result<ActionRow> {
            let schedule = self.lock_with_actions(&mut tx, caller, schedule_id).await?;
            if schedule_actions::count(&mut tx, schedule_id).await? >= MAX_PER_SCHEDULE {
                return Err(ScheduleError::TooManyActions { max: MAX_PER_SCHEDULE });
            }
            let property = properties::by_name_within(&mut tx, schedule.device_id, new.property_name(None)).await?;
            let action = new.apply(None, property.as_ref()).map_err(ScheduleError::Invalid)?;
            let row = schedule_actions::insert(&mut tx, schedule_id, &action).await?;
            tx.commit().await?;
            Ok(row)
        };
        self.db.write(create_action).await
    }

    /// Changes an action.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub(crate) async fn update_action(&self, caller: &Principal, id: i64, change: ActionChange) -> Result<ActionRow> {
        let (schedule, _) = self.find_action(caller, id, policy::Action::EditDevice).await?;
        let update_action = async |mut tx: Tx| -> Result<ActionRow> {
            self.lock_with_actions(&mut tx, caller, schedule.id).await?;
            // Every change of an action locks its schedule, so that none is lost.
            let row = schedule_actions::find_within(&mut tx, id).await?.ok_or(ScheduleError::ActionNotFound)?;
            let before = row.action();
            let name = change.property_name(Some(&before));
            let property = properties::by_name_within(&mut tx, schedule.device_id, name).await?;
            let action = change.apply(Some(&before), property.as_ref()).map_err(ScheduleError::Invalid)?;
            let row = schedule_actions::update(&mut tx, id, &action).await?.ok_or(ScheduleError::ActionNotFound)?;
            tx.commit().await?;
            Ok(row)
        };
        self.db.write(update_action).await
    }

    /// Deletes an action. Returns it.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub(crate) async fn delete_action(&self, caller: &Principal, id: i64) -> Result<ActionRow> {
        let (schedule, row) = self.find_action(caller, id, policy::Action::EditDevice).await?;
        let delete_action = async |mut tx: Tx| -> Result<_> {
            self.lock_with_actions(&mut tx, caller, schedule.id).await?;
            let deleted = schedule_actions::delete(&mut tx, id).await?;
            tx.commit().await?;
            Ok(deleted)
        };
        let deleted = self.db.write(delete_action).await?;
        if deleted { Ok(row) } else { Err(ScheduleError::ActionNotFound) }
    }
}

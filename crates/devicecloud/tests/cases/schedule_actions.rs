//! Actions of schedules.

use devicecloud::{BaseType, FirePoint, PropertyValue, ScheduleAction};

use super::{Run, cases};

const SCHEDULE: i64 = 91;

fn fan(value: impl Into<PropertyValue>, point: FirePoint) -> ScheduleAction {
    let mut action = ScheduleAction::new("fan", BaseType::Integer, value).fire_at(point);
    action.key = 92.into();
    action
}

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "schedule_actions/create": |client| {
            let action = client.schedule_actions().create(SCHEDULE, fan(1, FirePoint::AtStart)).await?;
            assert_eq!((action.key.as_str(), action.value, action.at_start), ("7", Some(1.into()), true));
        };
        "schedule_actions/create.422": |client| {
            client.schedule_actions().create(SCHEDULE, fan("much", FirePoint::AtStart)).await?
        };
        "schedule_actions/list": |client| {
            let actions = client.schedule_actions().list(SCHEDULE).await?;
            assert_eq!((actions[0].key.as_str(), &*actions[0].name), ("7", "text"));
        };
        "schedule_actions/update": |client| {
            let action = client.schedule_actions().update(fan(1, FirePoint::InRange)).await?;
            assert_eq!((action.key.as_str(), action.at_start, action.in_range), ("92", false, true));
        };
        "schedule_actions/delete": |client| client.schedule_actions().delete(92).await?;
    }
    .into()
}

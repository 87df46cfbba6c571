//! Schedules of devices.

use devicecloud::{Direction, Schedule};

use super::{Run, WRONG_KEY, cases};

/// A resource as if it had been fetched.
fn fetched(start: &str, active: bool) -> Schedule {
    let mut schedule = Schedule::new("opening_hours", start);
    schedule.key = 91.into();
    schedule.active = active;
    schedule
}

#[expect(deprecated, reason = "deprecated calls are tested until they are removed")]
pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "schedules/list": |client| {
            let schedules = client.schedules().list(41).await?;
            let [schedule] = &schedules[..] else { panic!("{schedules:?}") };
            assert_eq!((schedule.key.as_str(), &schedule.direction), ("7", &Some(Direction::Input)));
            assert_eq!((&*schedule.start_time_each_day, &schedule.other["version"]), ("08:00:00", &"1".into()));
            assert_eq!(schedule.schedule_actions[0].action_type, "SchedulePropertyAction");
        };
        "schedules/list.404": |client| client.schedules().list(WRONG_KEY).await?;
        "schedules/update": |client| {
            let later = fetched("09:00:00", true).with_field("days_of_week", vec![2, 3]);
            let schedule = client.schedules().update(41, later).await?;
            assert_eq!((&*schedule.start_time_each_day, schedule.active), ("09:00:00", true));
            assert_eq!(schedule.other["days_of_week"], serde_json::json!([2, 3]));
        };
        "schedules/update.422": |client| client.schedules().update(41, fetched("nine", false)).await?;
        "schedules/create": |client| {
            let schedule = client.schedules().create(41, Schedule::new("mornings", "08:00:00")).await?;
            assert_eq!((schedule.key.as_str(), &*schedule.name, schedule.active), ("7", "mornings", false));
        };
        "schedules/delete": |client| client.schedules().delete(fetched("08:00:00", false)).await?;
    }
    .into()
}

//! Schedules of devices.
//!
//! Lock order: schedules before commands and properties (`devices::link::persist`).

use jiff::Timestamp;
use jiff::tz::TimeZone;
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use platform::run::clock::from_micros;
use sqlx::AssertSqlSafe;

use crate::domain::schedule::{self, FirePoint, Plan};
use crate::domain::time_zone;

/// `direction` of schedules that the cloud executes.
pub(crate) const INPUT: &str = "input";

/// The fields of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub(crate) name: String,
    pub(crate) display_name: String,
    pub(crate) direction: String,
    pub(crate) active: bool,
    /// Whether its actions cannot be changed.
    pub(crate) fixed_actions: bool,
    pub(crate) plan: Plan,
}

impl Schedule {
    /// The next time to check it, from `now` on.
    fn due_from(&self, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
        if !self.active || self.direction != INPUT {
            return None;
        }
        // Immediately if a window is open, because `Range` actions fire then.
        let is_open = schedule::due(&self.plan, zone, now, now).contains(&FirePoint::Range);
        if is_open { Some(now) } else { schedule::next(&self.plan, zone, now) }
    }
}

/// A schedule of a device.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct ScheduleRow {
    pub(crate) id: i64,
    pub(crate) device_id: i64,
    name: String,
    display_name: String,
    direction: String,
    active: bool,
    pub(crate) fixed_actions: bool,
    plan: String,
    due_at: Option<i64>,
    tz_id: Option<String>,
}

impl ScheduleRow {
    pub(crate) fn schedule(&self) -> Schedule {
        Schedule {
            name: self.name.clone(),
            display_name: self.display_name.clone(),
            direction: self.direction.clone(),
            active: self.active,
            fixed_actions: self.fixed_actions,
            plan: serde_json::from_str(&self.plan).unwrap_or_default(),
        }
    }

    /// The time zone of the device; UTC if unknown.
    pub(crate) fn zone(&self) -> TimeZone {
        time_zone::of(self.tz_id.as_deref())
    }

    /// The next time to check it.
    pub(crate) fn due_at(&self) -> Option<Timestamp> {
        self.due_at.map(from_micros)
    }
}

const SELECT: &str = "select s.id, s.device_id, s.name, s.display_name, s.direction, s.active, s.fixed_actions, s.plan,
        s.due_at, d.tz_id
    from schedule s join device d on d.id = s.device_id";

/// The device's schedules, oldest first.
pub(crate) async fn of_device(db: &Db, device_id: i64) -> Result<Vec<ScheduleRow>> {
    db.fetch_all(AssertSqlSafe(format!("{SELECT} where s.device_id = $1 order by s.id")), params![device_id]).await
}

/// The schedules of all devices that this user owns.
pub(crate) async fn of_owner(db: &Db, user_id: i64) -> Result<Vec<ScheduleRow>> {
    db.fetch_all(AssertSqlSafe(format!("{SELECT} where d.owner_id = $1 order by s.id")), params![user_id]).await
}

pub(crate) async fn by_name(db: &Db, device_id: i64, name: &str) -> Result<Option<ScheduleRow>> {
    let sql = format!("{SELECT} where s.device_id = $1 and s.name = $2");
    db.fetch_optional(AssertSqlSafe(sql), params![device_id, name]).await
}

pub(crate) async fn find(db: &Db, id: i64) -> Result<Option<ScheduleRow>> {
    db.fetch_optional(AssertSqlSafe(format!("{SELECT} where s.id = $1")), params![id]).await
}

/// Locks and returns a schedule; `None` if it does not exist.
pub(crate) async fn find_locked(tx: &mut Tx, id: i64) -> Result<Option<ScheduleRow>> {
    let hold = format!("select id from schedule where id = $1{}", tx.for_update());
    let held: Option<(i64,)> = tx.fetch_optional(AssertSqlSafe(hold), params![id]).await?;
    if held.is_none() {
        return Ok(None);
    }
    // Read after the lock: the transaction that held it may have changed the row.
    tx.fetch_optional(AssertSqlSafe(format!("{SELECT} where s.id = $1")), params![id]).await
}

/// The number of schedules of the device.
pub(crate) async fn count(tx: &mut Tx, device_id: i64) -> Result<i64> {
    let (count,) = tx.fetch_one("select count(*) from schedule where device_id = $1", params![device_id]).await?;
    Ok(count)
}

/// Creates a schedule. Returns its id, or `None` if the device has one of this name.
pub(crate) async fn insert(
    tx: &mut Tx,
    device_id: i64,
    schedule: &Schedule,
    zone: &TimeZone,
    now: Timestamp,
) -> Result<Option<i64>> {
    let row: Option<(i64,)> = tx
        .fetch_optional(
            "insert into schedule (device_id, name, display_name, direction, active, fixed_actions, plan, due_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (device_id, name) do nothing returning id",
            params![
                device_id,
                &schedule.name,
                &schedule.display_name,
                &schedule.direction,
                schedule.active,
                schedule.fixed_actions,
                text(&schedule.plan),
                schedule.due_from(zone, now),
            ],
        )
        .await?;
    Ok(row.map(|(id,)| id))
}

/// Updates a locked schedule and computes its next time. A name in use violates a unique index.
pub(crate) async fn update(tx: &mut Tx, id: i64, schedule: &Schedule, zone: &TimeZone, now: Timestamp) -> Result<()> {
    tx.execute(
        "update schedule set name = $2, display_name = $3, direction = $4, active = $5, fixed_actions = $6, plan = $7,
             due_at = $8
         where id = $1",
        params![
            id,
            &schedule.name,
            &schedule.display_name,
            &schedule.direction,
            schedule.active,
            schedule.fixed_actions,
            text(&schedule.plan),
            schedule.due_from(zone, now),
        ],
    )
    .await?;
    Ok(())
}

/// Returns whether it existed.
pub(crate) async fn delete(db: &Db, id: i64) -> Result<bool> {
    Ok(db.execute("delete from schedule where id = $1", params![id]).await? == 1)
}

/// Deactivates a locked schedule and deletes its actions.
pub(crate) async fn clear(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("update schedule set active = $2, due_at = null where id = $1", params![id, false]).await?;
    tx.execute("delete from schedule_action where schedule_id = $1", params![id]).await?;
    Ok(())
}

/// Deletes the schedules of these devices.
pub(crate) async fn delete_of_devices(tx: &mut Tx, devices: &[i64]) -> Result<()> {
    for run in key_runs(devices) {
        // Locked in the same order as by the job.
        let (names, hold) = (placeholders(tx.dialect(), run.len()), tx.for_update());
        let sql = format!(
            "delete from schedule where id in (select id from schedule where device_id in ({names}) order by id{hold})"
        );
        tx.execute(AssertSqlSafe(sql), run.into_iter().fold(Params::default(), Params::with)).await?;
    }
    Ok(())
}

/// Locks the device's schedules.
pub(crate) async fn lock_rows(tx: &mut Tx, device_id: i64) -> Result<()> {
    let sql = format!("select id from schedule where device_id = $1 order by id{}", tx.for_update());
    tx.fetch_all::<(i64,)>(AssertSqlSafe(sql), params![device_id]).await?;
    Ok(())
}

/// Updates the next times of a device's schedules after a change of its time zone.
pub(crate) async fn update_due(tx: &mut Tx, device_id: i64, now: Timestamp) -> Result<()> {
    let sql = format!("{SELECT} where s.device_id = $1 and s.active order by s.id");
    let rows: Vec<ScheduleRow> = tx.fetch_all(AssertSqlSafe(sql), params![device_id]).await?;
    let due_at = |row: &ScheduleRow| (row.id, row.schedule().due_from(&row.zone(), now));
    record_due(tx, &rows.iter().map(due_at).collect::<Vec<_>>()).await
}

/// Updates the next times of up to `most` active schedules after this one. Returns the last of them.
pub(crate) async fn update_due_after(tx: &mut Tx, after: i64, most: i64, now: Timestamp) -> Result<Option<i64>> {
    let sql = format!(
        "{SELECT} where s.active and s.id in (select id from schedule where id > $1 and active order by id limit $2{})
         order by s.id",
        tx.for_update()
    );
    let rows: Vec<ScheduleRow> = tx.fetch_all(AssertSqlSafe(sql), params![after, most]).await?;
    let due_at = |row: &ScheduleRow| (row.id, row.schedule().due_from(&row.zone(), now));
    record_due(tx, &rows.iter().map(due_at).collect::<Vec<_>>()).await?;
    Ok(rows.last().map(|row| row.id))
}

/// Stores the next times of these schedules.
async fn record_due(tx: &mut Tx, schedules: &[(i64, Option<Timestamp>)]) -> Result<()> {
    for run in runs(schedules) {
        let sql = format!(
            "update schedule set due_at = new.column2 from (values {}) as new where schedule.id = new.column1",
            rows_of_placeholders(tx.dialect(), run.len(), 2)
        );
        tx.execute(AssertSqlSafe(sql), all(run, |values, (id, due_at)| values.with(*id).with(*due_at))).await?;
    }
    Ok(())
}

/// Claims up to `most` due schedules and stores their next times. They are locked until the transaction ends and no
/// longer due afterwards.
pub(crate) async fn claim_due(tx: &mut Tx, most: i64, now: Timestamp) -> Result<Vec<ScheduleRow>> {
    let sql = format!(
        "select id from schedule where active and due_at <= $1 order by due_at, id limit $2{}",
        tx.for_update_of_free()
    );
    let ids: Vec<(i64,)> = tx.fetch_all(AssertSqlSafe(sql), params![now, most]).await?;
    let ids: Vec<i64> = ids.into_iter().map(|(id,)| id).collect();
    let mut due = Vec::with_capacity(ids.len());
    for run in key_runs(&ids) {
        let names = placeholders(tx.dialect(), run.len());
        let sql = format!("{SELECT} where s.id in ({names}) order by s.due_at, s.id");
        let keys = run.into_iter().fold(Params::default(), Params::with);
        due.extend(tx.fetch_all::<ScheduleRow>(AssertSqlSafe(sql), keys).await?);
    }
    let next = |row: &ScheduleRow| (row.id, schedule::next(&row.schedule().plan, &row.zone(), now));
    record_due(tx, &due.iter().map(next).collect::<Vec<_>>()).await?;
    Ok(due)
}

/// Creates the schedules of the templates for newly registered devices. Existing schedules stay.
pub(crate) async fn create_from_templates(tx: &mut Tx, devices: &[i64], now: Timestamp) -> Result<()> {
    for run in key_runs(devices) {
        let names = placeholders(tx.dialect(), run.len());
        let keys = || run.iter().copied().fold(Params::default(), Params::with);
        let sql = format!(
            "insert into schedule (device_id, name, display_name, direction, active, fixed_actions, plan)
             select d.id, t.name, t.display_name, '{INPUT}', t.active, false, t.plan
             from device d join template_schedule t on t.template_id = d.template_id
             where d.id in ({names}) order by d.id, t.id
             on conflict (device_id, name) do nothing"
        );
        tx.execute(AssertSqlSafe(sql), keys()).await?;
        let sql = format!(
            "insert into schedule_action (schedule_id, name, base_type, value, active, fire_point)
             select s.id, a.name, a.base_type, a.value, true, a.fire_point
             from schedule s
             join device d on d.id = s.device_id
             join template_schedule t on t.template_id = d.template_id and t.name = s.name
             join template_schedule_action a on a.template_schedule_id = t.id
             where s.device_id in ({names})
               and not exists (select 1 from schedule_action other where other.schedule_id = s.id)
             order by s.id, a.id"
        );
        tx.execute(AssertSqlSafe(sql), keys()).await?;
        let sql = format!("select distinct device_id from schedule where active and device_id in ({names})");
        for (device_id,) in tx.fetch_all::<(i64,)>(AssertSqlSafe(sql), keys()).await? {
            update_due(tx, device_id, now).await?;
        }
    }
    Ok(())
}

/// As stored in the database.
pub(crate) fn text(plan: &Plan) -> String {
    serde_json::to_string(plan).expect("a plan is plain data")
}

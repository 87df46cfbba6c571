//! Device templates: their properties and schedules.

use jiff::Timestamp;
use platform::db::{Db, Result, Tx, params};

use super::schedules;
use crate::domain::pattern::Pattern;
use crate::domain::schedule::Plan;
use crate::domain::value::Limits;
use crate::records::template::{Template, TemplateAction, TemplateProperty, TemplateSchedule};

/// Creates the template, or adds missing properties to it and to existing devices.
pub(crate) async fn ensure(db: &Db, oem_id: i64, template: &Template, now: Timestamp) -> Result<()> {
    let ensure = async |mut tx: Tx| -> Result<()> {
        tx.execute(
            "insert into template (oem_id, name, created_at) values ($1, $2, $3) on conflict (oem_id, name) do nothing",
            params![oem_id, &template.name, now],
        )
        .await?;
        let (template_id,): (i64,) = tx
            .fetch_one("select id from template where oem_id = $1 and name = $2", params![oem_id, &template.name])
            .await?;
        for property in &template.properties {
            let TemplateProperty { name, display_name, base_type, direction, ack_enabled, retention_days, limits } =
                property;
            tx.execute(
                "insert into template_property (template_id, name, display_name, base_type, direction, ack_enabled,
                                                retention_days, minimum, maximum, pattern)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                 on conflict (template_id, name) do update set
                     display_name = excluded.display_name, ack_enabled = excluded.ack_enabled,
                     retention_days = excluded.retention_days, minimum = excluded.minimum, maximum = excluded.maximum,
                     pattern = excluded.pattern",
                params![
                    template_id,
                    name,
                    display_name,
                    base_type.as_str(),
                    direction.as_str(),
                    *ack_enabled,
                    i64::from(*retention_days),
                    limits.minimum,
                    limits.maximum,
                    limits.pattern.as_ref().map(Pattern::as_str),
                ],
            )
            .await?;
        }
        for schedule in &template.schedules {
            ensure_schedule(&mut tx, template_id, schedule).await?;
        }
        tx.execute(
            "insert into property (device_id, template_property_id)
             select d.id, t.id from device d join template_property t on t.template_id = d.template_id
             where d.template_id = $1
               and not exists (select 1 from property p where p.device_id = d.id and p.template_property_id = t.id)",
            params![template_id],
        )
        .await?;
        tx.commit().await
    };
    db.write(ensure).await
}

/// Creates the schedule for devices that are registered from now on. An existing schedule stays.
async fn ensure_schedule(tx: &mut Tx, template_id: i64, schedule: &TemplateSchedule) -> Result<()> {
    let TemplateSchedule { name, display_name, active, start, end, actions } = schedule;
    let plan = Plan { start_time_each_day: *start, end_time_each_day: Some(*end), ..Plan::default() };
    let made: Option<(i64,)> = tx
        .fetch_optional(
            "insert into template_schedule (template_id, name, display_name, active, plan) values ($1, $2, $3, $4, $5)
             on conflict (template_id, name) do nothing returning id",
            params![template_id, name, display_name, *active, schedules::text(&plan)],
        )
        .await?;
    let Some((id,)) = made else { return Ok(()) };
    for TemplateAction { property, base_type, value, at } in actions {
        tx.execute(
            "insert into template_schedule_action (template_schedule_id, name, base_type, value, fire_point)
             values ($1, $2, $3, $4, $5)",
            params![id, property, base_type.as_str(), value.to_string(), at.as_str()],
        )
        .await?;
    }
    Ok(())
}

/// A template as operators see it.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct SummaryRow {
    pub(crate) name: String,
    pub(crate) setup_code_required: bool,
    pub(crate) strict_reports: bool,
    pub(crate) max_keep_alive: i64,
}

/// The manufacturer's templates.
pub(crate) async fn summaries(db: &Db, oem_id: i64) -> Result<Vec<SummaryRow>> {
    let sql = "select name, setup_code_required, strict_reports, max_keep_alive from template where oem_id = $1 order by name";
    db.fetch_all(sql, params![oem_id]).await
}

/// Returns whether the manufacturer has this template.
pub(crate) async fn set_strict_reports(db: &Db, oem_id: i64, template: &str, strict: bool) -> Result<bool> {
    let sql = "update template set strict_reports = $3 where oem_id = $1 and name = $2";
    Ok(db.execute(sql, params![oem_id, template, strict]).await? == 1)
}

/// Returns whether the manufacturer has this template.
pub(crate) async fn set_max_keep_alive(db: &Db, oem_id: i64, template: &str, seconds: u16) -> Result<bool> {
    let sql = "update template set max_keep_alive = $3 where oem_id = $1 and name = $2";
    Ok(db.execute(sql, params![oem_id, template, i64::from(seconds)]).await? == 1)
}

/// The limits of a template property.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct LimitColumns {
    minimum: Option<f64>,
    maximum: Option<f64>,
    pattern: Option<String>,
}

impl LimitColumns {
    pub(crate) fn limits(&self) -> Limits {
        let pattern = self.pattern.as_deref().map(Pattern::from_stored);
        Limits { minimum: self.minimum, maximum: self.maximum, pattern }
    }
}

/// A property of a template.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct TemplatePropertyRow {
    pub(crate) template_id: i64,
    pub(crate) template: String,
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) base_type: String,
    #[sqlx(flatten)]
    pub(crate) limits: LimitColumns,
}

/// The properties of all templates of the manufacturer.
pub(crate) async fn properties(db: &Db, oem_id: i64) -> Result<Vec<TemplatePropertyRow>> {
    db.fetch_all(
        "select p.template_id, t.name as template, p.id, p.name, p.base_type, p.minimum, p.maximum, p.pattern
         from template t join template_property p on p.template_id = t.id where t.oem_id = $1 order by p.id",
        params![oem_id],
    )
    .await
}

//! Apps of triggers: how recipients are reached.

use jiff::Timestamp;
use platform::db::rows::{all, key_runs, placeholders, rows_of_placeholders, runs};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::authors;

/// The fields of an app.
#[derive(Clone, Default, sqlx_macros::FromRow)]
pub(crate) struct TriggerApp {
    /// `email` or `sms`.
    pub(crate) name: String,
    pub(crate) nickname: Option<String>,
    pub(crate) username: Option<String>,
    pub(crate) repeat_freq: i64,
    pub(crate) param1: Option<String>,
    pub(crate) param2: Option<String>,
    pub(crate) param3: Option<String>,
    pub(crate) param4: Option<String>,
    pub(crate) param5: Option<String>,
    pub(crate) email_template_id: Option<String>,
}

#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct TriggerAppRow {
    pub(crate) id: i64,
    pub(crate) trigger_id: i64,
    #[sqlx(flatten)]
    pub(crate) app: TriggerApp,
    /// When it last notified its recipient of a value after which the condition still held. Crossings notify all recipients of a
    /// trigger, and are recorded with it.
    pub(crate) told_at: Option<i64>,
    /// The number of crossings of the trigger when the app was created.
    pub(crate) crossings: i64,
}

const COLUMNS: &str =
    "name, nickname, username, repeat_freq, param1, param2, param3, param4, param5, email_template_id";

/// The apps of these triggers, oldest first.
pub(crate) async fn of_triggers(db: &Db, triggers: &[i64]) -> Result<Vec<TriggerAppRow>> {
    let mut rows = Vec::new();
    for run in key_runs(triggers) {
        let sql = select(&format!("trigger_id in ({}) order by id", placeholders(db.dialect(), run.len())));
        let keys = run.into_iter().fold(Params::default(), Params::with);
        rows.extend(db.fetch_all::<TriggerAppRow>(sql, keys).await?);
    }
    Ok(rows)
}

/// The same for triggers that the transaction has locked, without apps whose authors have lost the device.
pub(crate) async fn of_locked(tx: &mut Tx, triggers: &[i64]) -> Result<Vec<TriggerAppRow>> {
    let mut rows = Vec::new();
    for run in key_runs(triggers) {
        let names = placeholders(tx.dialect(), run.len());
        let sql = select(&format!("trigger_id in ({names}) and {} order by id", authors::trigger_app()));
        let keys = run.into_iter().fold(Params::default(), Params::with);
        rows.extend(tx.fetch_all::<TriggerAppRow>(sql, keys).await?);
    }
    Ok(rows)
}

fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!("select id, trigger_id, told_at, crossings, {COLUMNS} from trigger_app where {condition}"))
}

/// The app with this id.
pub(crate) async fn find(db: &Db, id: i64) -> Result<Option<TriggerAppRow>> {
    db.fetch_optional(select("id = $1"), params![id]).await
}

/// Like [`find`], within a transaction.
pub(crate) async fn find_within(tx: &mut Tx, id: i64) -> Result<Option<TriggerAppRow>> {
    tx.fetch_optional(select("id = $1"), params![id]).await
}

/// Locks the trigger and counts its apps; `None` if it does not exist.
pub(crate) async fn count_locked(tx: &mut Tx, trigger_id: i64) -> Result<Option<i64>> {
    let hold = format!("select id from property_trigger where id = $1{}", tx.for_update());
    if tx.fetch_optional::<(i64,)>(AssertSqlSafe(hold), params![trigger_id]).await?.is_none() {
        return Ok(None);
    }
    let (count,) = tx.fetch_one("select count(*) from trigger_app where trigger_id = $1", params![trigger_id]).await?;
    Ok(Some(count))
}

/// Creates an app of a trigger that exists, on behalf of this user. Returns its id.
pub(crate) async fn insert(
    tx: &mut Tx,
    trigger_id: i64,
    user_id: i64,
    app: &TriggerApp,
    now: Timestamp,
) -> Result<i64> {
    let sql = format!(
        "insert into trigger_app (trigger_id, {COLUMNS}, created_at, user_id, crossings)
         select id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, crossings from property_trigger where id = $1 returning id"
    );
    let values = params![
        trigger_id,
        &app.name,
        app.nickname.as_ref(),
        app.username.as_ref(),
        app.repeat_freq,
        app.param1.as_ref(),
        app.param2.as_ref(),
        app.param3.as_ref(),
        app.param4.as_ref(),
        app.param5.as_ref(),
        app.email_template_id.as_ref(),
        now,
        user_id,
    ];
    let (id,) = tx.fetch_one(AssertSqlSafe(sql), values).await?;
    Ok(id)
}

/// Changes the app on behalf of this user.
pub(crate) async fn update(tx: &mut Tx, id: i64, user_id: i64, app: &TriggerApp) -> Result<()> {
    let values = params![
        id,
        &app.name,
        app.nickname.as_ref(),
        app.username.as_ref(),
        app.repeat_freq,
        app.param1.as_ref(),
        app.param2.as_ref(),
        app.param3.as_ref(),
        app.param4.as_ref(),
        app.param5.as_ref(),
        app.email_template_id.as_ref(),
        user_id,
    ];
    let sql = format!(
        "update trigger_app set ({COLUMNS}, user_id) = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) where id = $1"
    );
    tx.execute(AssertSqlSafe(sql), values).await?;
    Ok(())
}

/// Returns whether there was such an app.
pub(crate) async fn delete(db: &Db, id: i64) -> Result<bool> {
    Ok(db.execute("delete from trigger_app where id = $1", params![id]).await? == 1)
}

/// Records that these apps notified their recipients now.
pub(crate) async fn record_notified(tx: &mut Tx, apps: &[i64], now: Timestamp) -> Result<()> {
    for run in runs(apps) {
        let sql = format!(
            "update trigger_app set told_at = new.column2 from (values {}) as new where trigger_app.id = new.column1",
            rows_of_placeholders(tx.dialect(), run.len(), 2)
        );
        tx.execute(AssertSqlSafe(sql), all(run, |values, id| values.with(*id).with(now))).await?;
    }
    Ok(())
}

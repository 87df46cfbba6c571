//! Apps of notifications: how recipients are reached.

use jiff::Timestamp;
use platform::db::rows::{key_runs, placeholders};
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::authors;

/// The fields of an app.
#[derive(Clone, Default, sqlx_macros::FromRow)]
pub(crate) struct NotificationApp {
    /// `email` or `sms`.
    pub(crate) app_type: String,
    pub(crate) nickname: Option<String>,
    pub(crate) username: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) country_code: Option<String>,
    pub(crate) phone_number: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) email_subject: Option<String>,
    pub(crate) email_template_id: Option<String>,
}

#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct NotificationAppRow {
    pub(crate) id: i64,
    pub(crate) notification_id: i64,
    #[sqlx(flatten)]
    pub(crate) app: NotificationApp,
}

const COLUMNS: &str =
    "app_type, nickname, username, email, country_code, phone_number, message, email_subject, email_template_id";

/// The apps of the notification, oldest first.
pub(crate) async fn of_notification(db: &Db, notification_id: i64) -> Result<Vec<NotificationAppRow>> {
    let sql =
        format!("select id, notification_id, {COLUMNS} from notification_app where notification_id = $1 order by id");
    db.fetch_all(AssertSqlSafe(sql), params![notification_id]).await
}

/// The apps of these notifications whose authors have not lost the device, oldest first.
pub(crate) async fn of_notifications(tx: &mut Tx, notifications: &[i64]) -> Result<Vec<NotificationAppRow>> {
    let mut rows = Vec::new();
    for run in key_runs(notifications) {
        let names = placeholders(tx.dialect(), run.len());
        let sql = format!(
            "select id, notification_id, {COLUMNS} from notification_app
             where notification_id in ({names}) and {} order by id",
            authors::notification_app()
        );
        let keys = run.into_iter().fold(Params::default(), Params::with);
        rows.extend(tx.fetch_all::<NotificationAppRow>(AssertSqlSafe(sql), keys).await?);
    }
    Ok(rows)
}

/// Locks the notification and counts its apps; `None` if it does not exist.
pub(crate) async fn count_locked(tx: &mut Tx, notification_id: i64) -> Result<Option<i64>> {
    let hold = format!("select id from notification where id = $1{}", tx.for_update());
    if tx.fetch_optional::<(i64,)>(AssertSqlSafe(hold), params![notification_id]).await?.is_none() {
        return Ok(None);
    }
    let sql = "select count(*) from notification_app where notification_id = $1";
    let (count,) = tx.fetch_one(sql, params![notification_id]).await?;
    Ok(Some(count))
}

/// The app, if the notification has it.
pub(crate) async fn find_within(tx: &mut Tx, notification_id: i64, id: i64) -> Result<Option<NotificationAppRow>> {
    let sql =
        format!("select id, notification_id, {COLUMNS} from notification_app where notification_id = $1 and id = $2");
    tx.fetch_optional(AssertSqlSafe(sql), params![notification_id, id]).await
}

/// Changes the app on behalf of this user.
pub(crate) async fn update(tx: &mut Tx, id: i64, user_id: i64, app: &NotificationApp) -> Result<()> {
    let values = params![
        id,
        &app.app_type,
        app.nickname.as_ref(),
        app.username.as_ref(),
        app.email.as_ref(),
        app.country_code.as_ref(),
        app.phone_number.as_ref(),
        app.message.as_ref(),
        app.email_subject.as_ref(),
        app.email_template_id.as_ref(),
        user_id,
    ];
    let sql = format!(
        "update notification_app set ({COLUMNS}, user_id) = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11) where id = $1"
    );
    tx.execute(AssertSqlSafe(sql), values).await?;
    Ok(())
}

/// Creates the app on behalf of this user. Returns its id.
pub(crate) async fn insert(
    tx: &mut Tx,
    notification_id: i64,
    user_id: i64,
    app: &NotificationApp,
    now: Timestamp,
) -> Result<i64> {
    let sql = format!(
        "insert into notification_app (notification_id, {COLUMNS}, created_at, user_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id"
    );
    let values = params![
        notification_id,
        &app.app_type,
        app.nickname.as_ref(),
        app.username.as_ref(),
        app.email.as_ref(),
        app.country_code.as_ref(),
        app.phone_number.as_ref(),
        app.message.as_ref(),
        app.email_subject.as_ref(),
        app.email_template_id.as_ref(),
        now,
        user_id,
    ];
    let (id,) = tx.fetch_one(AssertSqlSafe(sql), values).await?;
    Ok(id)
}

/// Returns whether the notification had such an app.
pub(crate) async fn delete(db: &Db, notification_id: i64, id: i64) -> Result<bool> {
    let sql = "delete from notification_app where notification_id = $1 and id = $2";
    Ok(db.execute(sql, params![notification_id, id]).await? == 1)
}

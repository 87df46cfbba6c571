//! The authors of shares, triggers and notifications: the users who created them. An app of a trigger or notification has its own
//! author, who chose its recipient. All require that their author may edit the device. They take no effect while the author may not,
//! and end in the transaction in which the author loses the device.

use platform::db::{Result, Tx, params};
use sqlx::AssertSqlSafe;

use super::shares::ShareKeys;
use crate::domain::policy::{Action, allows};
use crate::domain::role::RoleKind;

/// What ended because its author lost the device.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) shares: Vec<ShareKeys>,
    pub(crate) triggers: u64,
    pub(crate) notifications: u64,
    /// The apps of other triggers and notifications.
    pub(crate) recipients: u64,
}

impl Ended {
    /// Logs what ended through a change by this user, by keys only.
    pub(crate) fn log(&self, by: i64) {
        for share in &self.shares {
            share.log("a share ended, because its owner lost the device", by);
        }
        let Self { triggers, notifications, recipients, .. } = self;
        if triggers + notifications + recipients > 0 {
            let text = "triggers, notifications and recipients ended, because their authors lost the device";
            tracing::info!(triggers, notifications, recipients, by, "{text}");
        }
    }
}

/// The SQL condition that a user may edit a device: the device is in the scope of the user's effective role, which allows
/// [`Action::EditDevice`]. `user` and `device` are SQL expressions of their keys.
pub(super) fn may_edit(user: &str, device: &str) -> String {
    let end_user = rank_of(RoleKind::EndUser);
    let (rank, rank_of_stronger) = (rank("author_role"), rank("stronger_role"));
    let kinds: Vec<String> = RoleKind::ALL
        .into_iter()
        .filter(|kind| *kind != RoleKind::EndUser && allows(*kind, Action::EditDevice))
        .map(|kind| format!("'{}'", kind.as_str()))
        .collect();
    let (kinds, manufacturer) = (kinds.join(", "), RoleKind::OemAdmin.as_str());
    format!(
        "exists (
            select 1 from device author_device
            where author_device.id = {device} and author_device.registered and (
                author_device.owner_id = {user} and not exists (
                    select 1 from user_role author_grant join role author_role on author_role.id = author_grant.role_id
                    where author_grant.user_id = {user} and {rank} < {end_user}
                ) or exists (
                    select 1 from user_role author_grant join role author_role on author_role.id = author_grant.role_id
                    where author_grant.user_id = {user} and author_role.kind in ({kinds})
                    and not exists (
                        select 1 from user_role stronger join role stronger_role on stronger_role.id = stronger.role_id
                        where stronger.user_id = {user} and ({rank_of_stronger} < {rank}
                            or {rank_of_stronger} = {rank} and stronger_role.name < author_role.name)
                    )
                    and (author_role.kind = '{manufacturer}' and author_role.oem_id = author_device.oem_id
                        or author_role.kind <> '{manufacturer}' and exists (
                            select 1 from device_label author_label
                            where author_label.device_id = author_device.id and author_label.role_id = author_role.id
                                and author_label.label_key = author_role.label_key
                                and author_label.label_value = author_grant.label_value
                        ))
                )
            )
        )"
    )
}

/// The SQL expression for the position of a role in the order of [`RoleKind`].
fn rank(role: &str) -> String {
    let cases: String =
        RoleKind::ALL.into_iter().map(|kind| format!(" when '{}' then {}", kind.as_str(), rank_of(kind))).collect();
    format!("case {role}.kind{cases} else {} end", rank_of(RoleKind::EndUser))
}

fn rank_of(kind: RoleKind) -> usize {
    RoleKind::ALL.into_iter().take_while(|other| *other != kind).count()
}

/// The condition that the author of the share may edit its device.
pub(super) fn share() -> String {
    may_edit("share.owner_id", "share.device_id")
}

/// The condition that the author of the trigger may edit its device.
pub(super) fn trigger() -> String {
    may_edit(
        "property_trigger.user_id",
        "(select author_property.device_id from property author_property where author_property.id = property_trigger.property_id)",
    )
}

/// The condition that the author of the notification may edit its device.
pub(super) fn notification() -> String {
    may_edit("notification.user_id", "notification.device_id")
}

/// The condition that the author of the trigger's app may edit its device.
pub(super) fn trigger_app() -> String {
    may_edit(
        "trigger_app.user_id",
        "(select author_property.device_id
          from property_trigger author_trigger join property author_property on author_property.id = author_trigger.property_id
          where author_trigger.id = trigger_app.trigger_id)",
    )
}

/// The condition that the author of the notification's app may edit its device.
pub(super) fn notification_app() -> String {
    may_edit(
        "notification_app.user_id",
        "(select author_notification.device_id from notification author_notification
          where author_notification.id = notification_app.notification_id)",
    )
}

/// Ends the shares, triggers and notifications of a locked device whose authors have lost it.
pub(crate) async fn end_on_device(tx: &mut Tx, device_id: i64) -> Result<Ended> {
    const PROPERTIES: &str = "select id from property where device_id = $1";
    let triggers = format!("property_trigger.property_id in ({PROPERTIES})");
    let trigger_apps =
        format!("trigger_app.trigger_id in (select id from property_trigger where property_id in ({PROPERTIES}))");
    let notification_apps = "notification_app.notification_id in (select id from notification where device_id = $1)";
    let of_device =
        ["share.device_id = $1", &triggers, &trigger_apps, "notification.device_id = $1", notification_apps];
    end(tx, of_device, device_id).await
}

/// Ends the shares, triggers and notifications of a locked user, on devices that the user has lost.
pub(crate) async fn end_of_user(tx: &mut Tx, user_id: i64) -> Result<Ended> {
    let of_user = [
        "share.owner_id = $1",
        "property_trigger.user_id = $1",
        "trigger_app.user_id = $1",
        "notification.user_id = $1",
        "notification_app.user_id = $1",
    ];
    end(tx, of_user, user_id).await
}

async fn end(
    tx: &mut Tx,
    [shares, triggers, trigger_apps, notifications, notification_apps]: [&str; 5],
    key: i64,
) -> Result<Ended> {
    let sql =
        format!("delete from share where {shares} and not {} returning id, device_id, owner_id, user_id", share());
    let shares = tx.fetch_all(AssertSqlSafe(sql), params![key]).await?;
    let sql = format!("delete from property_trigger where {triggers} and not {}", trigger());
    let triggers = tx.execute(AssertSqlSafe(sql), params![key]).await?;
    let sql = format!("delete from notification where {notifications} and not {}", notification());
    let notifications = tx.execute(AssertSqlSafe(sql), params![key]).await?;
    let mut recipients = 0;
    for (table, of_key, author) in
        [("trigger_app", trigger_apps, trigger_app()), ("notification_app", notification_apps, notification_app())]
    {
        let sql = format!("delete from {table} where {of_key} and not {author}");
        recipients += tx.execute(AssertSqlSafe(sql), params![key]).await?;
    }
    Ok(Ended { shares, triggers, notifications, recipients })
}

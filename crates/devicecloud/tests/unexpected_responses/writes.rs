//! Writes that need no data from their response, one call each.

use devicecloud::{
    Address, BaseType, Label, NewNotificationApp, NewShare, NewTrigger, NewTriggerApp, NewUser, NotificationType,
    RuleAction, Schedule, ScheduleAction, Share, UserChanges,
};

use crate::cases::{ACTION, CONTACT, DSN, LOCATION, ROLE, RULE, Run, cases};

const EMAIL: &str = "jo@example.com";

fn user() -> NewUser {
    NewUser::new(EMAIL, "Correct-Horse-1")
}

fn label() -> Label {
    Label::new("partner_id", "A")
}

fn schedule() -> Schedule {
    let mut schedule = Schedule::new("opening_hours", "08:00:00");
    schedule.key = 91.into();
    schedule
}

fn schedule_action() -> ScheduleAction {
    let mut action = ScheduleAction::new("fan", BaseType::Integer, 1);
    action.key = 92.into();
    action
}

fn share() -> NewShare {
    NewShare::for_device(DSN, EMAIL)
}

fn fetched_share() -> Share {
    let mut share = Share::default();
    (share.id, share.user_email, share.resource_id) = (81.into(), EMAIL.into(), DSN.into());
    share
}

/// Each call with the name of its golden file.
#[expect(deprecated, reason = "deprecated calls are tested until they are removed")]
#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "admin/create_user": |client| client.admin().create_user(user()).send().await?;
        "admin/update_user": |client| client.admin().update_user(72, &UserChanges::new().firstname("Jo")).await?;
        "admin/delete_user": |client| client.admin().delete_user(72).await?;
        "contacts/create": |client| client.contacts().create().firstname("Jo").send().await?;
        "contacts/update": |client| client.contacts().update(CONTACT).firstname("Jo").send().await?;
        "contacts/delete": |client| client.contacts().delete(CONTACT).await?;
        "datapoints/create": |client| client.datapoints().create(DSN, "intensity", 30).send().await?;
        "datapoints/create_by_device": |client| client.datapoints().create_by_device(41, "intensity", 30).send().await?;
        "datapoints/create_by_key": |client| client.datapoints().create_by_key(43, 30).send().await?;
        "datapoints/batch": |client| client.datapoints().batch().add(DSN, "intensity", 30).send().await?;
        "devices/rename": |client| client.devices().rename(41, "Lobby").await?;
        "devices/unregister": |client| client.devices().unregister(41).await?;
        "devices/factory_reset": |client| client.devices().factory_reset(41).await?;
        "devices/set_addr": |client| client.devices().set_address(41, &Address::default()).await?;
        "devices/set_time_zone": |client| client.devices().set_time_zone(41, "Asia/Tokyo").await?;
        "devices/set_location": |client| client.devices().set_location(41, 48.86, 2.34).send().await?;
        "devices/create_datum": |client| client.devices().data(DSN).create("k", "v").await?;
        "devices/update_datum": |client| client.devices().data(DSN).update("k", "v").await?;
        "devices/delete_datum": |client| client.devices().data(DSN).delete("k").await?;
        "files/complete": |client| client.files().complete(LOCATION).await?;
        "files/fetched": |client| client.files().mark_fetched(LOCATION).await?;
        "notifications/create": |client| client.notifications().create(41, NotificationType::OnConnect).send().await?;
        "notifications/delete": |client| client.notifications().delete(91).await?;
        "notifications/create_app": |client| {
            client.notifications().create_app(91, &NewNotificationApp::email(EMAIL)).await?
        };
        "notifications/update_app": |client| {
            client.notifications().update_app(91, 92, &NewNotificationApp::email(EMAIL)).await?
        };
        "notifications/delete_app": |client| client.notifications().delete_app(91, 92).await?;
        "role_labels/enable": |client| client.role_labels().enable_role_label_on_device(41, ROLE).send().await?;
        "role_labels/update": |client| client.role_labels().update_role_label(61, ROLE).send().await?;
        "role_labels/disable": |client| client.role_labels().disable_role_label(61).await?;
        "role_labels/associate": |client| client.role_labels().associate(41, ROLE).send().await?;
        "role_labels/disassociate": |client| client.role_labels().disassociate(41, ROLE).send().await?;
        "roles/associate_role_user": |client| client.roles().associate_role_user(ROLE, label(), 73, EMAIL).await?;
        "roles/disassociate_role_user": |client| {
            client.roles().disassociate_role_user(ROLE, "partner_id", 73, EMAIL).await?;
        };
        "roles/disassociate_user": |client| client.roles().disassociate_user(ROLE, 73, EMAIL).await?;
        "roles/create_role_user": |client| client.roles().create_role_user(user(), ROLE).send().await?;
        "roles/create_associated_user": |client| client.roles().create_associated_user(user(), ROLE).send().await?;
        "roles/assign_role": |client| client.roles().assign_role(EMAIL, ROLE).await?;
        "roles/revoke_role": |client| client.roles().revoke_role(EMAIL, ROLE).await?;
        "roles/assign_label": |client| client.roles().assign_label(EMAIL, ROLE, label()).await?;
        "roles/revoke_label": |client| client.roles().revoke_label(EMAIL, ROLE, label()).await?;
        "rule_actions/create": |client| {
            client.rule_actions().create(&RuleAction::datapoint(DSN, "intensity", "=", 30)?).await?
        };
        "rule_actions/delete": |client| client.rule_actions().delete(ACTION).await?;
        "rules/create": |client| client.rules().create("Low level", "true", [ACTION]).send().await?;
        "rules/enable": |client| client.rules().enable(RULE).await?;
        "rules/disable": |client| client.rules().disable(RULE).await?;
        "rules/delete": |client| client.rules().delete(RULE).await?;
        "schedules/create": |client| client.schedules().create(41, schedule()).await?;
        "schedules/update": |client| client.schedules().update(41, schedule()).await?;
        "schedules/delete": |client| client.schedules().delete(schedule()).await?;
        "schedule_actions/create": |client| client.schedule_actions().create(91, schedule_action()).await?;
        "schedule_actions/update": |client| client.schedule_actions().update(schedule_action()).await?;
        "schedule_actions/delete": |client| client.schedule_actions().delete(92).await?;
        "shares/create": |client| client.shares().create(share()).send().await?;
        "shares/create.several": |client| client.shares().create_several([share()]).send().await?;
        "shares/update": |client| client.shares().update(&fetched_share()).send().await?;
        "shares/delete": |client| client.shares().delete(81).await?;
        "subscriptions/delete": |client| client.subscriptions().delete(51).await?;
        "triggers/create": |client| {
            client.triggers().create(43, &NewTrigger::on_change().app(NewTriggerApp::email(EMAIL)), &[]).await?
        };
        "triggers/add_app": |client| client.triggers().add_app(93, &NewTriggerApp::email(EMAIL)).await?;
        "triggers/update_app": |client| client.triggers().update_app(94, &NewTriggerApp::email(EMAIL)).await?;
        "triggers/delete_app": |client| client.triggers().delete_app(94).await?;
        "triggers/delete": |client| client.triggers().delete(93).await?;
        "user_data/create": |client| client.user_data().create("k", "v").await?;
        "user_data/update": |client| client.user_data().update("k", "v").await?;
        "user_data/delete": |client| client.user_data().delete("k").await?;
        "users/sign_out": |client| client.sign_out().await?;
        "users/request_password_reset": |client| client.users().request_password_reset(EMAIL).send().await?;
        "users/resend_confirmation": |client| client.users().resend_confirmation(EMAIL).send().await?;
        "users/confirm": |client| client.users().confirm(&"token".into()).await?;
        "users/reset_password": |client| client.users().reset_password(&"token".into(), &"p".into(), &"p".into()).await?;
        "users/update_password": |client| client.users().update_password(&"old".into(), &"new".into()).await?;
        "users/update_profile": |client| client.users().update_profile(UserChanges::new().firstname("Jo")).await?;
        "users/update_email": |client| client.users().update_email(EMAIL).send().await?;
        "users/cancel_email_change": |client| client.users().cancel_email_change(&"token".into()).await?;
        "users/delete_account": |client| client.users().delete_account().await?;
    }
    .into()
}

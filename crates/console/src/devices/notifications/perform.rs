//! Executes the steps of a notification plan.

use std::collections::BTreeSet;

use devicecloud::{
    Client, CompareType, Device, NewNotificationApp, NewTrigger, NewTriggerApp, NotificationId, NotificationType,
    Result, Trigger,
};
use diffuser::LOW_PRODUCT_PERCENT;

use super::plan::{Call, Step};
use super::read::{DeviceNotifications, level_property};
use super::recipient::Recipient;
use super::rows::{App, Event};

/// Writes a device's notifications and tracks their state at the cloud.
pub(super) struct NotificationWriter<'a> {
    cloud: &'a Client,
    device: &'a Device,
    notifications: Vec<(Event, NotificationId)>,
    triggers: Vec<Trigger>,
    /// Notifications that may have no apps.
    maybe_empty: BTreeSet<NotificationId>,
}

impl<'a> NotificationWriter<'a> {
    pub(super) fn new(cloud: &'a Client, device: &'a Device, current: &DeviceNotifications) -> Self {
        let DeviceNotifications { notifications, triggers, .. } = current.clone();
        Self { cloud, device, notifications, triggers, maybe_empty: BTreeSet::new() }
    }

    /// Executes the steps up to the first failure; returns its position and error.
    pub(super) async fn write(&mut self, steps: &[Step]) -> std::result::Result<(), (usize, devicecloud::Error)> {
        let mut written = Ok(());
        for (at, step) in steps.iter().enumerate() {
            let done = match &step.call {
                Call::Create(event, recipient) => self.create(*event, recipient).await,
                Call::Change(event, app, recipient) => self.change(*event, app, recipient).await,
                Call::Delete(app) => self.delete(app).await,
            };
            if let Err(error) = done {
                written = Err((at, error));
                break;
            }
        }
        self.drop_empty().await;
        written
    }

    async fn create(&mut self, event: Event, recipient: &Recipient) -> Result<()> {
        match event.notification_type() {
            Some(notification_type) => {
                let id = self.notification(event, notification_type).await?;
                self.maybe_empty.insert(id.clone());
                self.cloud.notifications().create_app(&id, &notification_app(recipient)).await?;
                self.maybe_empty.remove(&id);
                Ok(())
            }
            None => self.create_trigger_app(recipient).await,
        }
    }

    /// Returns the device's notification for this event, creating it if necessary.
    async fn notification(&mut self, event: Event, notification_type: NotificationType) -> Result<NotificationId> {
        if let Some((_, id)) = self.notifications.iter().find(|(known, _)| *known == event) {
            return Ok(id.clone());
        }
        let made = self.cloud.notifications().create(&self.device.key, notification_type).send().await?;
        self.notifications.push((event, made.id.clone()));
        Ok(made.id)
    }

    async fn create_trigger_app(&mut self, recipient: &Recipient) -> Result<()> {
        let low = NewTrigger::compare(CompareType::Less, LOW_PRODUCT_PERCENT.to_string()).app(trigger_app(recipient));
        let level = level_property(self.device).cloned().unwrap_or_default();
        let trigger = self.cloud.triggers().create(&level, &low, &self.triggers).await?;
        self.triggers.retain(|known| known.key != trigger.key);
        self.triggers.push(trigger);
        Ok(())
    }

    /// Gives an app another recipient. If the cloud does not know the app or this call, creates the app anew.
    async fn change(&mut self, event: Event, app: &App, recipient: &Recipient) -> Result<()> {
        let changed = match app {
            App::Notification(notification, app) => {
                let new = notification_app(recipient);
                self.cloud.notifications().update_app(notification, app, &new).await.map(drop)
            }
            App::Trigger(key) => self.cloud.triggers().update_app(key, &trigger_app(recipient)).await.map(drop),
        };
        match changed {
            Err(error) if matches!(error.status(), Some(404 | 405)) => {
                self.create(event, recipient).await?;
                self.delete(app).await
            }
            changed => changed,
        }
    }

    async fn delete(&mut self, app: &App) -> Result<()> {
        match app {
            App::Notification(notification, app) => {
                self.maybe_empty.insert(notification.clone());
                ignore_not_found(self.cloud.notifications().delete_app(notification, app).await)
            }
            App::Trigger(key) => ignore_not_found(self.cloud.triggers().delete_app(key).await),
        }
    }

    /// Deletes notifications without apps. If this fails, the write still succeeds: an empty notification
    /// reaches nobody, and the next addition uses it.
    async fn drop_empty(&self) {
        for id in &self.maybe_empty {
            if let Err(error) = self.drop_if_empty(id).await {
                tracing::warn!(device.dsn = %self.device.dsn, %error, "an empty notification was not deleted");
            }
        }
    }

    async fn drop_if_empty(&self, id: &NotificationId) -> Result<()> {
        // Read again, because an app may have been added meanwhile.
        if self.cloud.notifications().apps(id).await?.is_empty() {
            ignore_not_found(self.cloud.notifications().delete(id).await)?;
        }
        Ok(())
    }
}

fn notification_app(recipient: &Recipient) -> NewNotificationApp {
    match recipient {
        Recipient::Email(address) => NewNotificationApp::email(address),
        Recipient::Sms(phone) => NewNotificationApp::sms(&phone.country_code, &phone.number),
    }
}

/// The cloud writes the message text.
fn trigger_app(recipient: &Recipient) -> NewTriggerApp {
    match recipient {
        Recipient::Email(address) => NewTriggerApp::email(address),
        Recipient::Sms(phone) => NewTriggerApp::sms(&phone.country_code, &phone.number),
    }
}

/// Something that was already deleted counts as deleted.
fn ignore_not_found(result: Result<()>) -> Result<()> {
    match result {
        Err(error) if error.status() == Some(404) => Ok(()),
        result => result,
    }
}

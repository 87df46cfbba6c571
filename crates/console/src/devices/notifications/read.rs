//! Reads the notifications of a device.

use devicecloud::{
    Client, CompareType, Device, Notification, NotificationApp, NotificationAppType, NotificationId, PropertyKey,
    Result, Trigger, TriggerApp, TriggerType,
};
use diffuser::{LOW_PRODUCT_PERCENT, properties};
use futures::{StreamExt, TryStreamExt, stream};

use super::phone::Phone;
use super::plan::NotificationSettings;
use super::recipient::Recipient;
use super::rows::{App, Event, NotificationRow, merge};
use crate::records::property;

/// Our cloud has one notification of each type; others may have more.
const CONCURRENT_READS: usize = 4;

/// The notification rows of a device, and the objects of the cloud that they come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceNotifications {
    pub(crate) rows: Vec<NotificationRow>,
    pub(super) notifications: Vec<(Event, NotificationId)>,
    pub(super) triggers: Vec<Trigger>,
}

impl DeviceNotifications {
    /// The recipients with their events.
    pub(crate) fn settings(&self) -> Vec<NotificationSettings> {
        let settings =
            |row: &NotificationRow| NotificationSettings { recipient: row.recipient.clone(), events: row.events() };
        self.rows.iter().map(settings).collect()
    }
}

/// Reads the notifications of a device that was read with [all parts](crate::records::cloud_device::read).
///
/// # Errors
/// Cloud errors. A cloud without notification calls has none.
pub(crate) async fn read(cloud: &Client, device: &Device) -> Result<DeviceNotifications> {
    let ((notifications, mut apps), triggers) = tokio::try_join!(connections(cloud, device), triggers(cloud, device))?;
    apps.extend(triggers.iter().filter(|trigger| is_low_level(trigger)).flat_map(of_trigger));
    Ok(DeviceNotifications { rows: merge(apps), notifications, triggers })
}

/// The property whose triggers report a low level.
pub(super) fn level_property(device: &Device) -> Option<&PropertyKey> {
    property(device, properties::FRAGRANCE_REMAINING).map(|property| &property.key)
}

type EventApp = (Event, Recipient, App);

async fn connections(cloud: &Client, device: &Device) -> Result<(Vec<(Event, NotificationId)>, Vec<EventApp>)> {
    let notifications = or_none(cloud.notifications().list(&device.key).await)?;
    let ours = |it: Notification| Some((Event::of_notification(&it.notification_type)?, it.id));
    let ours: Vec<_> = notifications.into_iter().filter_map(ours).collect();
    let reads = ours.clone().into_iter().map(|(event, id)| async move {
        let apps = or_none(cloud.notifications().apps(&id).await)?;
        Ok(apps.into_iter().filter_map(move |app| of_notification(event, &id, app)).collect::<Vec<_>>())
    });
    let apps: Vec<Vec<EventApp>> = stream::iter(reads).buffered(CONCURRENT_READS).try_collect().await?;
    Ok((ours, apps.into_iter().flatten().collect()))
}

async fn triggers(cloud: &Client, device: &Device) -> Result<Vec<Trigger>> {
    match level_property(device) {
        Some(key) => or_none(cloud.triggers().list(key).await),
        None => Ok(Vec::new()),
    }
}

/// Whether it is the trigger for a low product level and not another trigger on that property.
fn is_low_level(trigger: &Trigger) -> bool {
    let value = trigger.value.as_deref().and_then(|value| value.trim().parse().ok());
    trigger.trigger_type == TriggerType::CompareAbsolute
        && trigger.compare_type == Some(CompareType::Less)
        && value == Some(f64::from(LOW_PRODUCT_PERCENT))
}

fn of_notification(event: Event, notification: &NotificationId, app: NotificationApp) -> Option<EventApp> {
    let recipient = recipient(&app.app_type, app.email, app.country_code, app.phone_number)?;
    Some((event, recipient, App::Notification(notification.clone(), app.id)))
}

fn of_trigger(trigger: &Trigger) -> impl Iterator<Item = EventApp> {
    trigger.trigger_apps.iter().cloned().filter_map(|TriggerApp { key, name, param1, param2, .. }| {
        let recipient = recipient(&name, param1.clone(), param1, param2)?;
        Some((Event::LowProductLevel, recipient, App::Trigger(key)))
    })
}

/// `None` for a method that the console does not support.
fn recipient(
    method: &NotificationAppType,
    email: Option<String>,
    country_code: Option<String>,
    number: Option<String>,
) -> Option<Recipient> {
    match method {
        NotificationAppType::Email => email.map(Recipient::Email),
        NotificationAppType::Sms => {
            Some(Recipient::Sms(Phone { country_code: country_code.unwrap_or_default(), number: number? }))
        }
        _ => None,
    }
}

/// A 404 means no entries: the cloud has no such call, or the object was deleted meanwhile.
fn or_none<T>(answer: Result<Vec<T>>) -> Result<Vec<T>> {
    match answer {
        Err(error) if error.status() == Some(404) => Ok(Vec::new()),
        answer => answer,
    }
}

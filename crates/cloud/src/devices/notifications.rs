//! Notifications about connection changes of devices, and the apps that deliver them.

use platform::db::{self, Db, Tx};
use platform::run::clock::Clock;

use super::access::{self, AccessError};
use crate::domain::notification::NotificationType;
use crate::domain::policy::Action;
use crate::domain::principal::Principal;
use crate::store::devices::DeviceRef;
use crate::store::notification_apps::{self, NotificationApp, NotificationAppRow};
use crate::store::notifications::{self, NewNotification, NotificationRow};

/// Maximum number of notifications of a device: all of them are read whenever its connection changes.
const MAX_PER_DEVICE: i64 = 20;
/// Maximum number of apps of a notification: each sends a message.
const MAX_APPS: i64 = 50;

/// Changes notifications. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Notifications {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
}

/// A validated notification.
#[derive(Clone, Debug)]
pub(crate) struct NotificationInput {
    pub(crate) notification_type: NotificationType,
    /// In seconds.
    pub(crate) threshold: i64,
    pub(crate) message: Option<String>,
}

/// Why a notification was not found or changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotificationError {
    /// There is no such notification, or its device is not in the caller's scope.
    #[error("there is no such notification")]
    NotFound,
    /// The notification has no such app.
    #[error("there is no such app")]
    AppNotFound,
    /// The device has the maximum number of notifications.
    #[error("the device has too many notifications (max: {max})")]
    TooMany { max: i64 },
    /// The notification has the maximum number of apps.
    #[error("the notification has too many apps (max: {max})")]
    TooManyApps { max: i64 },
    /// The caller may not change the device.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A database error.
    #[error(transparent)]
    Database(#[from] db::Error),
}

type Result<T> = std::result::Result<T, NotificationError>;

impl Notifications {
    /// The notification, if the caller may perform the action on its device.
    ///
    /// # Errors
    /// [`NotificationError`].
    pub(crate) async fn find(&self, caller: &Principal, id: i64, action: Action) -> Result<NotificationRow> {
        let row = notifications::find(&self.db, id).await?.ok_or(NotificationError::NotFound)?;
        let device = DeviceRef::Key(row.device_id);
        access::find(&self.db, caller, device, action, self.clock.now()).await.map_err(hide_device)?;
        Ok(row)
    }

    /// Creates a notification of a device.
    ///
    /// # Errors
    /// [`NotificationError`].
    pub(crate) async fn create(
        &self,
        caller: &Principal,
        device_id: i64,
        input: NotificationInput,
    ) -> Result<NotificationRow> {
        let now = self.clock.now();
        let create = async |mut tx: Tx| -> Result<_> {
            access::lock(&mut tx, caller, device_id, Action::EditDevice, now).await?;
            if notifications::count(&mut tx, device_id).await? >= MAX_PER_DEVICE {
                return Err(NotificationError::TooMany { max: MAX_PER_DEVICE });
            }
            let new = NewNotification {
                device_id,
                user_id: caller.user_id,
                notification_type: input.notification_type,
                threshold: input.threshold,
                message: input.message.as_deref(),
            };
            let id = notifications::insert(&mut tx, new, now).await?;
            tx.commit().await?;
            Ok(id)
        };
        let id = self.db.write(create).await?;
        notifications::find(&self.db, id).await?.ok_or(NotificationError::NotFound)
    }

    /// Changes a notification with `change`.
    ///
    /// # Errors
    /// [`NotificationError`], or the error of `change`.
    pub(crate) async fn update<E: From<NotificationError> + From<db::Error>>(
        &self,
        caller: &Principal,
        id: i64,
        change: impl Fn(&NotificationRow) -> std::result::Result<NotificationInput, E>,
    ) -> std::result::Result<NotificationRow, E> {
        let row = self.find(caller, id, Action::EditDevice).await?;
        let now = self.clock.now();
        let update = async |mut tx: Tx| -> std::result::Result<(), E> {
            let access = access::lock(&mut tx, caller, row.device_id, Action::EditDevice, now).await;
            access.map_err(hide_device)?;
            // Every change of a notification locks its device, so that none is lost.
            let before = notifications::find_within(&mut tx, id).await?.ok_or(NotificationError::NotFound)?;
            let NotificationInput { notification_type, threshold, message } = change(&before)?;
            notifications::update(&mut tx, id, notification_type, threshold, message.as_deref(), now).await?;
            tx.commit().await?;
            Ok(())
        };
        self.db.write(update).await?;
        Ok(notifications::find(&self.db, id).await?.ok_or(NotificationError::NotFound)?)
    }

    /// Deletes a notification with its apps.
    ///
    /// # Errors
    /// [`NotificationError`].
    pub(crate) async fn delete(&self, caller: &Principal, id: i64) -> Result<()> {
        let row = self.find(caller, id, Action::EditDevice).await?;
        let deleted = notifications::delete(&self.db, row.id).await?;
        if deleted { Ok(()) } else { Err(NotificationError::NotFound) }
    }

    /// Adds an app to a notification.
    ///
    /// # Errors
    /// [`NotificationError`].
    pub(crate) async fn create_app(
        &self,
        caller: &Principal,
        notification: &NotificationRow,
        app: NotificationApp,
    ) -> Result<NotificationAppRow> {
        let (now, notification_id) = (self.clock.now(), notification.id);
        let create_app = async |mut tx: Tx| -> Result<_> {
            let count = notification_apps::count_locked(&mut tx, notification_id).await?;
            if count.ok_or(NotificationError::NotFound)? >= MAX_APPS {
                return Err(NotificationError::TooManyApps { max: MAX_APPS });
            }
            let device_id = notification.device_id;
            access::check(&mut tx, caller, device_id, Action::EditDevice, now).await.map_err(hide_device)?;
            let id = notification_apps::insert(&mut tx, notification_id, caller.user_id, &app, now).await?;
            tx.commit().await?;
            Ok(id)
        };
        let id = self.db.write(create_app).await?;
        Ok(NotificationAppRow { id, notification_id, app })
    }

    /// Changes an app of a notification with `change`.
    ///
    /// # Errors
    /// [`NotificationError`], or the error of `change`.
    pub(crate) async fn update_app<E: From<NotificationError> + From<db::Error>>(
        &self,
        caller: &Principal,
        notification: &NotificationRow,
        app_id: i64,
        change: impl Fn(&NotificationAppRow) -> std::result::Result<NotificationApp, E>,
    ) -> std::result::Result<NotificationAppRow, E> {
        let now = self.clock.now();
        let update_app = async |mut tx: Tx| -> std::result::Result<_, E> {
            // Every change of an app locks its notification, so that none is lost.
            let count = notification_apps::count_locked(&mut tx, notification.id).await?;
            count.ok_or(NotificationError::NotFound)?;
            let device_id = notification.device_id;
            access::check(&mut tx, caller, device_id, Action::EditDevice, now).await.map_err(hide_device)?;
            let row = notification_apps::find_within(&mut tx, notification.id, app_id).await?;
            let row = row.ok_or(NotificationError::AppNotFound)?;
            let app = change(&row)?;
            notification_apps::update(&mut tx, app_id, caller.user_id, &app).await?;
            tx.commit().await?;
            Ok(NotificationAppRow { app, ..row })
        };
        self.db.write(update_app).await
    }

    /// Deletes an app of a notification that was [found](Self::find) for [`Action::EditDevice`].
    ///
    /// # Errors
    /// [`NotificationError`].
    pub(crate) async fn delete_app(&self, notification: &NotificationRow, app_id: i64) -> Result<()> {
        let deleted = notification_apps::delete(&self.db, notification.id, app_id).await?;
        if deleted { Ok(()) } else { Err(NotificationError::AppNotFound) }
    }
}

/// A caller who does not see the device must not learn that it has this notification.
fn hide_device(error: AccessError) -> NotificationError {
    match error {
        AccessError::NotFound => NotificationError::NotFound,
        error => error.into(),
    }
}

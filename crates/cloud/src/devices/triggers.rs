//! Triggers on values of properties, and the apps that notify their recipients.

use platform::db::{self, Db, Tx};
use platform::run::clock::Clock;

use super::access::{self, AccessError};
use crate::domain::policy::Action;
use crate::domain::principal::Principal;
use crate::store::devices::DeviceRef;
use crate::store::properties::PropertyRow;
use crate::store::trigger_apps::{self, TriggerApp, TriggerAppRow};
use crate::store::triggers::{self, NewTrigger, TriggerRow};

/// Maximum number of triggers of a property: each value is compared with all of them.
const MAX_PER_PROPERTY: i64 = 20;
/// Maximum number of apps of a trigger: each sends a message.
pub(crate) const MAX_APPS: i64 = 50;

/// Changes triggers. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Triggers {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
}

/// A validated trigger.
pub(crate) struct TriggerInput {
    pub(crate) trigger_type: String,
    pub(crate) compare_type: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) active: bool,
    pub(crate) apps: Vec<TriggerApp>,
}

/// Why a trigger was not found or changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TriggerError {
    /// There is no such trigger, or its device is not in the caller's scope.
    #[error("there is no such trigger")]
    NotFound,
    /// There is no such app.
    #[error("there is no such app")]
    AppNotFound,
    /// The property has the maximum number of triggers.
    #[error("the property has too many triggers (max: {max})")]
    TooMany { max: i64 },
    /// The trigger has the maximum number of apps.
    #[error("the trigger has too many apps (max: {max})")]
    TooManyApps { max: i64 },
    /// The caller may not change the device.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A database error.
    #[error(transparent)]
    Database(#[from] db::Error),
}

type Result<T> = std::result::Result<T, TriggerError>;

impl Triggers {
    /// The trigger, if the caller may perform the action on its device.
    ///
    /// # Errors
    /// [`TriggerError`].
    pub(crate) async fn find(&self, caller: &Principal, id: i64, action: Action) -> Result<TriggerRow> {
        let row = triggers::find(&self.db, id).await?.ok_or(TriggerError::NotFound)?;
        let device = DeviceRef::Key(row.device_id);
        access::find(&self.db, caller, device, action, self.clock.now()).await.map_err(hide_device)?;
        Ok(row)
    }

    /// Creates a trigger of a property with its apps.
    ///
    /// # Errors
    /// [`TriggerError`].
    pub(crate) async fn create(
        &self,
        caller: &Principal,
        property: &PropertyRow,
        input: TriggerInput,
    ) -> Result<TriggerRow> {
        let now = self.clock.now();
        let create = async |mut tx: Tx| -> Result<i64> {
            access::lock(&mut tx, caller, property.device_id, Action::EditDevice, now).await?;
            if triggers::count(&mut tx, property.id).await? >= MAX_PER_PROPERTY {
                return Err(TriggerError::TooMany { max: MAX_PER_PROPERTY });
            }
            let new = NewTrigger {
                property_id: property.id,
                user_id: caller.user_id,
                trigger_type: &input.trigger_type,
                compare_type: input.compare_type.as_deref(),
                value: input.value.as_deref(),
                active: input.active,
            };
            let id = triggers::insert(&mut tx, new, now).await?;
            for app in &input.apps {
                trigger_apps::insert(&mut tx, id, caller.user_id, app, now).await?;
            }
            tx.commit().await?;
            Ok(id)
        };
        let id = self.db.write(create).await?;
        triggers::find(&self.db, id).await?.ok_or(TriggerError::NotFound)
    }

    /// Changes a trigger with `change`. Its apps are unchanged.
    ///
    /// # Errors
    /// [`TriggerError`], or the error of `change`.
    pub(crate) async fn update<E: From<TriggerError> + From<db::Error>>(
        &self,
        caller: &Principal,
        id: i64,
        change: impl Fn(&TriggerRow) -> std::result::Result<TriggerInput, E>,
    ) -> std::result::Result<TriggerRow, E> {
        let row = self.find(caller, id, Action::EditDevice).await?;
        let now = self.clock.now();
        let update = async |mut tx: Tx| -> std::result::Result<(), E> {
            let access = access::lock(&mut tx, caller, row.device_id, Action::EditDevice, now).await;
            access.map_err(hide_device)?;
            // Every change of a trigger locks its device, so that none is lost.
            let before = triggers::find_within(&mut tx, id).await?.ok_or(TriggerError::NotFound)?;
            let TriggerInput { trigger_type, compare_type, value, active, apps: _ } = change(&before)?;
            triggers::update(&mut tx, &TriggerRow { trigger_type, compare_type, value, active, ..before }).await?;
            tx.commit().await?;
            Ok(())
        };
        self.db.write(update).await?;
        Ok(triggers::find(&self.db, id).await?.ok_or(TriggerError::NotFound)?)
    }

    /// Deletes a trigger with its apps.
    ///
    /// # Errors
    /// [`TriggerError`].
    pub(crate) async fn delete(&self, caller: &Principal, id: i64) -> Result<()> {
        let row = self.find(caller, id, Action::EditDevice).await?;
        let deleted = triggers::delete(&self.db, row.id).await?;
        if deleted { Ok(()) } else { Err(TriggerError::NotFound) }
    }

    /// Adds an app to a trigger.
    ///
    /// # Errors
    /// [`TriggerError`].
    pub(crate) async fn create_app(
        &self,
        caller: &Principal,
        trigger: &TriggerRow,
        app: TriggerApp,
    ) -> Result<TriggerAppRow> {
        let (now, trigger_id) = (self.clock.now(), trigger.id);
        let create_app = async |mut tx: Tx| -> Result<_> {
            let count = trigger_apps::count_locked(&mut tx, trigger_id).await?;
            if count.ok_or(TriggerError::NotFound)? >= MAX_APPS {
                return Err(TriggerError::TooManyApps { max: MAX_APPS });
            }
            access::check(&mut tx, caller, trigger.device_id, Action::EditDevice, now).await.map_err(hide_device)?;
            let id = trigger_apps::insert(&mut tx, trigger_id, caller.user_id, &app, now).await?;
            let row = trigger_apps::find_within(&mut tx, id).await?.ok_or(TriggerError::AppNotFound)?;
            tx.commit().await?;
            Ok(row)
        };
        self.db.write(create_app).await
    }

    /// Changes an app of a trigger with `change`.
    ///
    /// # Errors
    /// [`TriggerError`], or the error of `change`. An app whose trigger is hidden from the caller fails like a hidden trigger.
    pub(crate) async fn update_app<E: From<TriggerError> + From<db::Error>>(
        &self,
        caller: &Principal,
        app_id: i64,
        change: impl Fn(&TriggerAppRow) -> std::result::Result<TriggerApp, E>,
    ) -> std::result::Result<TriggerAppRow, E> {
        let app = trigger_apps::find(&self.db, app_id).await?.ok_or(TriggerError::AppNotFound)?;
        let trigger = self.find(caller, app.trigger_id, Action::EditDevice).await?;
        let now = self.clock.now();
        let update_app = async |mut tx: Tx| -> std::result::Result<_, E> {
            // Every change of an app locks its trigger, so that none is lost.
            trigger_apps::count_locked(&mut tx, trigger.id).await?.ok_or(TriggerError::NotFound)?;
            access::check(&mut tx, caller, trigger.device_id, Action::EditDevice, now).await.map_err(hide_device)?;
            let row = trigger_apps::find_within(&mut tx, app_id).await?.ok_or(TriggerError::AppNotFound)?;
            let app = change(&row)?;
            trigger_apps::update(&mut tx, app_id, caller.user_id, &app).await?;
            tx.commit().await?;
            Ok(TriggerAppRow { app, ..row })
        };
        self.db.write(update_app).await
    }

    /// Deletes an app of a trigger.
    ///
    /// # Errors
    /// [`TriggerError`]. An app whose trigger is hidden from the caller fails like a hidden trigger.
    pub(crate) async fn delete_app(&self, caller: &Principal, app_id: i64) -> Result<()> {
        let app = trigger_apps::find(&self.db, app_id).await?.ok_or(TriggerError::AppNotFound)?;
        self.find(caller, app.trigger_id, Action::EditDevice).await?;
        let deleted = trigger_apps::delete(&self.db, app.id).await?;
        if deleted { Ok(()) } else { Err(TriggerError::AppNotFound) }
    }
}

/// A caller who does not see the device must not learn that it has this trigger.
fn hide_device(error: AccessError) -> TriggerError {
    match error {
        AccessError::NotFound => TriggerError::NotFound,
        error => error.into(),
    }
}

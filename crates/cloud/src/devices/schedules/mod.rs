//! Schedules of devices: changes of schedules and of their [`actions`], and the execution of due ones ([`fire`]).

mod actions;
mod change;
mod fire;

use platform::db::{self, Db, Tx};
use platform::run::clock::Clock;

pub(crate) use actions::ActionChange;
pub(crate) use change::{PlanChange, ScheduleChange};

use super::access::{self, AccessError};
use super::commands::Commands;
use crate::domain::policy::Action;
use crate::domain::principal::Principal;
use crate::domain::time_zone;
use crate::store::devices::DeviceRef;
use crate::store::schedules::{self, Schedule, ScheduleRow};

/// Maximum number of schedules of a device: a list returns all of them.
const MAX_PER_DEVICE: i64 = 50;

/// Changes and executes schedules. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Schedules {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) commands: Commands,
}

/// An invalid field and the reason.
pub(crate) type FieldFault = (&'static str, String);

/// Why a schedule or an action was not found or changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScheduleError {
    /// There is no such schedule, or its device is not in the caller's scope.
    #[error("there is no such schedule")]
    NotFound,
    /// There is no such action, or its device is not in the caller's scope.
    #[error("there is no such action")]
    ActionNotFound,
    /// The device has a schedule of this name.
    #[error("the name is taken")]
    NameTaken,
    /// The actions of the schedule cannot be changed.
    #[error("the actions of the schedule are fixed")]
    FixedActions,
    /// The device has the maximum number of schedules.
    #[error("the device has too many schedules (max: {max})")]
    TooMany { max: i64 },
    /// The schedule has the maximum number of actions.
    #[error("the schedule has too many actions (max: {max})")]
    TooManyActions { max: i64 },
    /// The change results in an invalid schedule or action.
    #[error("the change does not fit: {0:?}")]
    Invalid(Vec<FieldFault>),
    /// The caller may not change the device.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A database error.
    #[error(transparent)]
    Database(#[from] db::Error),
}

type Result<T> = std::result::Result<T, ScheduleError>;

impl Schedules {
    /// The schedule, if the caller may perform the action on its device.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub(crate) async fn find(&self, caller: &Principal, id: i64, action: Action) -> Result<ScheduleRow> {
        let row = schedules::find(&self.db, id).await?.ok_or(ScheduleError::NotFound)?;
        let device = DeviceRef::Key(row.device_id);
        access::find(&self.db, caller, device, action, self.clock.now()).await.map_err(hide_device)?;
        Ok(row)
    }

    /// Creates a schedule of a registered device. Devices in factory stock have none.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub(crate) async fn create(&self, caller: &Principal, device_id: i64, schedule: &Schedule) -> Result<ScheduleRow> {
        let now = self.clock.now();
        let create = async |mut tx: Tx| -> Result<_> {
            let device = access::lock(&mut tx, caller, device_id, Action::EditDevice, now).await?;
            if schedules::count(&mut tx, device_id).await? >= MAX_PER_DEVICE {
                return Err(ScheduleError::TooMany { max: MAX_PER_DEVICE });
            }
            let zone = time_zone::of(device.tz_id.as_deref());
            let id = schedules::insert(&mut tx, device_id, schedule, &zone, now).await?;
            let id = id.ok_or(ScheduleError::NameTaken)?;
            tx.commit().await?;
            Ok(id)
        };
        let id = self.db.write(create).await?;
        schedules::find(&self.db, id).await?.ok_or(ScheduleError::NotFound)
    }

    /// Changes a schedule.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub(crate) async fn update(&self, caller: &Principal, id: i64, change: ScheduleChange) -> Result<ScheduleRow> {
        let update = async |mut tx: Tx| -> Result<()> {
            let row = self.lock(&mut tx, caller, id).await?;
            let mut schedule = row.schedule();
            change.clone().apply(&mut schedule);
            let faults = schedule.plan.faults();
            if !faults.is_empty() {
                return Err(ScheduleError::Invalid(
                    faults.into_iter().map(|(field, text)| (field, text.into())).collect(),
                ));
            }
            let updated = schedules::update(&mut tx, id, &schedule, &row.zone(), self.clock.now()).await;
            updated
                .map_err(|error| if error.is_unique_violation() { ScheduleError::NameTaken } else { error.into() })?;
            tx.commit().await?;
            Ok(())
        };
        self.db.write(update).await?;
        schedules::find(&self.db, id).await?.ok_or(ScheduleError::NotFound)
    }

    /// Deactivates a schedule and deletes its actions.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub(crate) async fn clear(&self, caller: &Principal, id: i64) -> Result<ScheduleRow> {
        self.find(caller, id, Action::EditDevice).await?;
        let clear = async |mut tx: Tx| -> Result<()> {
            self.lock_with_actions(&mut tx, caller, id).await?;
            schedules::clear(&mut tx, id).await?;
            tx.commit().await?;
            Ok(())
        };
        self.db.write(clear).await?;
        schedules::find(&self.db, id).await?.ok_or(ScheduleError::NotFound)
    }

    /// Deletes a schedule with its actions.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub(crate) async fn delete(&self, caller: &Principal, id: i64) -> Result<()> {
        let row = self.find(caller, id, Action::EditDevice).await?;
        let deleted = schedules::delete(&self.db, row.id).await?;
        if deleted { Ok(()) } else { Err(ScheduleError::NotFound) }
    }

    /// Locks a schedule that the caller may change.
    async fn lock(&self, tx: &mut Tx, caller: &Principal, id: i64) -> Result<ScheduleRow> {
        let row = schedules::find_locked(tx, id).await?.ok_or(ScheduleError::NotFound)?;
        let now = self.clock.now();
        access::check(tx, caller, row.device_id, Action::EditDevice, now).await.map_err(hide_device)?;
        Ok(row)
    }

    /// Locks a schedule whose actions the caller may change.
    async fn lock_with_actions(&self, tx: &mut Tx, caller: &Principal, id: i64) -> Result<ScheduleRow> {
        let row = self.lock(tx, caller, id).await?;
        if row.fixed_actions { Err(ScheduleError::FixedActions) } else { Ok(row) }
    }
}

/// A caller who does not see the device must not learn that it has this schedule.
fn hide_device(error: AccessError) -> ScheduleError {
    match error {
        AccessError::NotFound => ScheduleError::NotFound,
        error => error.into(),
    }
}

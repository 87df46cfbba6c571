//! Shares of devices. A user who may change a device may share it, and change or end its shares; a recipient may return a
//! share. Each change is logged with the keys of the share, its device and its users.

mod create;

use platform::db::{self, Db, Tx};
use platform::run::clock::Clock;

pub(crate) use create::ShareInput;

use crate::devices::access::{self, AccessError};
use crate::domain::policy::{Action, device_scope};
use crate::domain::principal::Principal;
use crate::domain::share::{Operation, Period, PeriodError};
use crate::store::devices::DeviceRef;
use crate::store::shares::{Right, ShareRow};
use crate::store::{devices, roles, shares};

/// Changes shares. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Sharing {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
}

/// The right of a share, as a caller names it.
#[derive(Clone, Debug)]
pub(crate) enum RightInput {
    Operation(Operation),
    /// The name of a role, which implies the operation.
    Role(String),
}

/// A change of a share. Missing fields stay; a bound of `Some(None)` becomes open.
#[derive(Clone, Debug)]
pub(crate) struct ShareChange {
    pub(crate) right: Option<RightInput>,
    pub(crate) start: Option<Option<i64>>,
    pub(crate) end: Option<Option<i64>>,
}

/// Why a share was not found or changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShareError {
    /// There is no such share, or the caller may not see it.
    #[error("there is no such share")]
    NotFound,
    /// The caller sees the share but may not change it.
    #[error("the caller may not change the share")]
    Forbidden,
    /// The recipient has a share of the device.
    #[error("the device is already shared with this user")]
    AlreadyShared,
    /// The manufacturer has no such user, or the user is an application.
    #[error("there is no such user")]
    RecipientNotFound,
    /// The recipient owns the device or is the caller.
    #[error("the recipient has the device")]
    RecipientHasDevice,
    /// The recipient's role determines the devices they see.
    #[error("the recipient has a role")]
    RecipientHasRole,
    /// The manufacturer has no role of this name.
    #[error("there is no such role")]
    RoleNotFound,
    /// The device has the maximum number of shares.
    #[error("the device is shared too often (max: {max})")]
    TooManyOfDevice { max: i64 },
    /// The caller gave the maximum number of shares.
    #[error("the caller has too many shares (max: {max})")]
    TooManyGiven { max: i64 },
    /// The change results in an invalid period.
    #[error(transparent)]
    Period(#[from] PeriodError),
    /// The caller may not share the device.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A database error.
    #[error(transparent)]
    Database(#[from] db::Error),
}

type Result<T> = std::result::Result<T, ShareError>;

/// A share that the caller may see.
struct VisibleShare {
    share: ShareRow,
    /// Whether the caller gave or received it.
    is_party: bool,
    may_change: bool,
}

impl ShareChange {
    /// The period after the change.
    pub(crate) fn period(&self, before: Period) -> Period {
        Period { start: self.start.unwrap_or(before.start), end: self.end.unwrap_or(before.end) }
    }
}

impl Sharing {
    /// A share that the caller gave or received, or of a device that the caller has.
    ///
    /// # Errors
    /// [`ShareError`].
    pub(crate) async fn find(&self, caller: &Principal, id: i64) -> Result<ShareRow> {
        Ok(self.find_visible(caller, id).await?.share)
    }

    /// A share that the caller may change.
    ///
    /// # Errors
    /// [`ShareError`].
    pub(crate) async fn find_to_change(&self, caller: &Principal, id: i64) -> Result<ShareRow> {
        let VisibleShare { share, may_change, .. } = self.find_visible(caller, id).await?;
        if may_change { Ok(share) } else { Err(ShareError::Forbidden) }
    }

    /// Changes the right or the period of a share. Device and recipient are fixed.
    ///
    /// # Errors
    /// [`ShareError`].
    pub(crate) async fn update(&self, caller: &Principal, id: i64, change: ShareChange) -> Result<ShareRow> {
        let now = self.clock.now();
        let right = match &change.right {
            Some(right) => Some(self.resolve_right(caller.oem_id, right).await?),
            None => None,
        };
        let update = async |mut tx: Tx| -> Result<()> {
            let share = shares::find_locked(&mut tx, id, now).await?.ok_or(ShareError::NotFound)?;
            access::check(&mut tx, caller, share.device_id, Action::ShareDevice, now).await.map_err(hide_device)?;
            let period = change.period(share.period());
            period.check(now)?;
            shares::update(&mut tx, id, right, period, now).await?;
            tx.commit().await?;
            Ok(())
        };
        self.db.write(update).await?;
        let share = shares::find(&self.db, id, now).await?.ok_or(ShareError::NotFound)?;
        share.keys().log("a share was changed", caller.user_id);
        Ok(share)
    }

    /// Ends a share.
    ///
    /// # Errors
    /// [`ShareError`].
    pub(crate) async fn delete(&self, caller: &Principal, id: i64) -> Result<()> {
        let VisibleShare { share, is_party, may_change } = self.find_visible(caller, id).await?;
        if !may_change && !is_party {
            return Err(ShareError::Forbidden);
        }
        if !shares::delete(&self.db, share.id).await? {
            return Err(ShareError::NotFound);
        }
        share.keys().log("a share was ended", caller.user_id);
        Ok(())
    }

    /// The shares of a device, for a caller who may end them.
    ///
    /// # Errors
    /// [`ShareError`].
    pub(crate) async fn of_device(&self, caller: &Principal, dsn: &str) -> Result<Vec<ShareRow>> {
        let now = self.clock.now();
        let device = access::find(&self.db, caller, DeviceRef::Dsn(dsn), Action::ShareDevice, now).await?;
        Ok(shares::of_device(&self.db, device.id, now).await?)
    }

    /// Ends the shares of a device, all or those of one recipient.
    ///
    /// # Errors
    /// [`ShareError`].
    pub(crate) async fn delete_of_device(&self, caller: &Principal, dsn: &str, user_id: Option<i64>) -> Result<()> {
        let now = self.clock.now();
        let device = access::find(&self.db, caller, DeviceRef::Dsn(dsn), Action::ShareDevice, now).await?;
        let ended = shares::delete_of_device(&self.db, device.id, user_id).await?;
        for share in &ended {
            share.log("a share was ended", caller.user_id);
        }
        if ended.is_empty() { Err(ShareError::NotFound) } else { Ok(()) }
    }

    async fn find_visible(&self, caller: &Principal, id: i64) -> Result<VisibleShare> {
        let now = self.clock.now();
        let share = shares::find(&self.db, id, now).await?.ok_or(ShareError::NotFound)?;
        let scope = device_scope(caller, now);
        let device = devices::find(&self.db, &scope, DeviceRef::Key(share.device_id)).await?;
        // A recipient does not see the other shares of the device.
        let device = device.filter(|device| device.shared().is_none());
        let is_party = [share.owner_id, share.user_id].contains(&caller.user_id);
        if device.is_none() && !is_party {
            return Err(ShareError::NotFound);
        }
        let may_change = device.is_some_and(|device| device.allows(caller.kind, Action::ShareDevice));
        Ok(VisibleShare { share, is_party, may_change })
    }

    async fn resolve_right(&self, oem_id: i64, right: &RightInput) -> Result<Right> {
        match right {
            RightInput::Operation(operation) => Ok(Right::Operation(*operation)),
            RightInput::Role(name) => {
                let role = roles::find(&self.db, oem_id, name).await?;
                Ok(Right::Role(role.ok_or(ShareError::RoleNotFound)?.id))
            }
        }
    }
}

/// A caller who does not see the device must not learn that it has this share.
fn hide_device(error: AccessError) -> ShareError {
    match error {
        AccessError::NotFound => ShareError::NotFound,
        error => error.into(),
    }
}

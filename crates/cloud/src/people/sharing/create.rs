//! Creates shares, several in one transaction.

use platform::db::Tx;
use std::collections::BTreeSet;

use super::{Result, RightInput, ShareError, Sharing};
use crate::devices::access;
use crate::domain::policy::{self, Action};
use crate::domain::principal::Principal;
use crate::domain::share::Period;
use crate::store::devices::DeviceRef;
use crate::store::shares::{self, NewShare, ShareRow};
use crate::store::{roles, users};

/// Maximum number of shares that a user gives: a list returns all of them.
const MAX_GIVEN: i64 = 1_000;
/// Maximum number of recipients of a device: each of its events is compared with all of them.
const MAX_OF_DEVICE: i64 = 100;

/// A share, as a caller names it.
#[derive(Clone, Debug)]
pub(crate) struct ShareInput {
    pub(crate) dsn: String,
    /// The recipient's address.
    pub(crate) email: String,
    pub(crate) right: RightInput,
    pub(crate) period: Period,
}

impl Sharing {
    /// Looks up device, recipient and role of a share. A user who does not exist, an application and a user of another
    /// manufacturer fail alike.
    ///
    /// # Errors
    /// [`ShareError`].
    pub(crate) async fn resolve(&self, caller: &Principal, input: ShareInput) -> Result<NewShare> {
        let now = self.clock.now();
        let device = access::find(&self.db, caller, DeviceRef::Dsn(&input.dsn), Action::ShareDevice, now).await?;
        let user = users::credentials(&self.db, caller.oem_id, &input.email).await?;
        let user = user.filter(|user| user.application_id.is_none()).ok_or(ShareError::RecipientNotFound)?;
        let recipient = roles::principal(&self.db, user.who.id).await?.ok_or(ShareError::RecipientNotFound)?;
        if user.who.id == caller.user_id || device.owner_id == Some(user.who.id) {
            return Err(ShareError::RecipientHasDevice);
        }
        if !policy::may_receive_shares(recipient.kind) {
            return Err(ShareError::RecipientHasRole);
        }
        Ok(NewShare {
            device_id: device.id,
            owner_id: caller.user_id,
            user_id: user.who.id,
            right: self.resolve_right(caller.oem_id, &input.right).await?,
            period: input.period,
        })
    }

    /// Creates the shares, all or none. Returns them in the same order.
    ///
    /// # Errors
    /// [`ShareError`].
    pub(crate) async fn create(&self, caller: &Principal, new: &[NewShare]) -> Result<Vec<ShareRow>> {
        let now = self.clock.now();
        let create = async |mut tx: Tx| -> Result<_> {
            users::lock_rows(&mut tx, caller.user_id).await?;
            // Locked in key order, so that no two callers wait for each other.
            for device_id in new.iter().map(|share| share.device_id).collect::<BTreeSet<_>>() {
                access::lock(&mut tx, caller, device_id, Action::ShareDevice, now).await?;
            }
            let mut ids = Vec::with_capacity(new.len());
            for share in new {
                ids.push(shares::insert(&mut tx, share, now).await?.ok_or(ShareError::AlreadyShared)?);
                if shares::count_of_device(&mut tx, share.device_id, now).await? > MAX_OF_DEVICE {
                    return Err(ShareError::TooManyOfDevice { max: MAX_OF_DEVICE });
                }
            }
            if shares::count_given(&mut tx, caller.user_id, now).await? > MAX_GIVEN {
                return Err(ShareError::TooManyGiven { max: MAX_GIVEN });
            }
            tx.commit().await?;
            Ok(ids)
        };
        let ids = self.db.write(create).await?;
        let mut rows = Vec::with_capacity(ids.len());
        for id in ids {
            rows.extend(shares::find(&self.db, id, now).await?);
        }
        for share in &rows {
            share.keys().log("a share was created", caller.user_id);
        }
        Ok(rows)
    }
}

//! The pass over people: compares all users of the cloud with the index. It writes only changed rows, and removes only people
//! whom the cloud does not find.

use std::time::Duration;

use devicecloud::Client;
use platform::nodes::lease::Lease;
use uuid::Uuid;

use super::directory::{CloudDirectory, Directory};
use super::index::{index_user, load_all, remove, write};
use super::record::UserRecord;
use crate::attention;
use crate::base::Base;
use crate::csps;
use crate::index::{self, CloudRead, PassError};
use crate::sessions::service_account::ServiceSession;

/// A person who changes during each of these reads is left to the next pass.
const MAX_READS: usize = 3;

/// The counts of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UserPassReport {
    /// The people in the cloud.
    pub(crate) people: usize,
    /// The people who were read one by one, because the list lacked their roles or they changed during the pass.
    pub(crate) read_again: usize,
}

/// Makes the index equal to the cloud's users. `lease` must be held and is checked after each read; `pause` is the wait
/// before each call.
pub(crate) async fn run_pass(
    base: &Base,
    service: &ServiceSession,
    cloud: Client,
    lease: &Lease,
    pause: Duration,
) -> Result<UserPassReport, PassError> {
    run(base, CloudDirectory::new(service, cloud, pause), lease).await
}

async fn run<D: Directory>(base: &Base, mut directory: D, lease: &Lease) -> Result<UserPassReport, PassError> {
    let began = base.clock.now();
    // Read before the list, so that a person removed by the console during the read is compared and not added again.
    let known = load_all(&base.db).await?;
    let read = CloudRead::begin(&base.clock);
    let listed = directory.list().await?;
    let read = read.end(&base.clock);
    require_lease(lease)?;

    let differing: Vec<&UserRecord> =
        listed.values().flatten().filter(|record| known.get(&record.id) != Some(record)).collect();
    let written = write(&base.db, &differing, read).await?;
    let without_roles = listed.iter().filter(|(_, record)| record.is_none()).map(|(id, _)| *id);
    let outdated = differing.iter().map(|record| record.id).filter(|id| !written.contains(id));
    let missing = known.keys().filter(|id| !listed.contains_key(id)).copied();
    let to_reread: Vec<Uuid> = without_roles.chain(outdated).chain(missing).collect();
    let mut is_complete = true;
    for id in &to_reread {
        is_complete &= reread_user(base, &mut directory, lease, *id).await?;
    }

    csps::adopt_labelled(base).await?;
    // The index may lack an earlier change of a person who was left to the next pass.
    if is_complete {
        if !index::complete_people(&base.db, lease, began).await? {
            return Err(PassError::LeaseLost);
        }
        attention::release_items(base).await?;
    }
    Ok(UserPassReport { people: listed.len(), read_again: to_reread.len() })
}

/// Returns whether the index contains the person as read.
async fn reread_user<D: Directory>(base: &Base, directory: &mut D, lease: &Lease, id: Uuid) -> Result<bool, PassError> {
    for _ in 0..MAX_READS {
        let read = CloudRead::begin(&base.clock);
        let found = directory.one(id).await?;
        require_lease(lease)?;
        let settled = match found {
            Some(record) => index_user(&base.db, &record, read.end(&base.clock)).await?,
            None => remove(&base.db, id, read.began()).await?,
        };
        if settled {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Another node may have started a pass, so this one must not write any more.
fn require_lease(lease: &Lease) -> Result<(), PassError> {
    if lease.is_held() { Ok(()) } else { Err(PassError::LeaseLost) }
}

#[cfg(test)]
mod tests;

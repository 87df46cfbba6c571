//! The pass over people: everybody of the cloud, compared with what the index has. It writes only what differs, and removes
//! only whom the cloud confirms to be gone.

use std::time::Duration;

use devicecloud::Client;
use platform::lease::Lease;
use uuid::Uuid;

use super::directory::{CloudDirectory, Directory};
use super::index::{index_user, load_all, remove, write};
use super::record::UserRecord;
use crate::base::Base;
use crate::csps;
use crate::index::{self, CloudRead, PassError};
use crate::service::ServiceSession;

/// Somebody who changes each time that they are read is left to the next pass after so many reads.
const READS: usize = 3;

/// What a pass did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UserPassReport {
    /// People that it met.
    pub(crate) people: usize,
    /// Those that it read one by one: the list did not tell their roles, or they came, changed or went meanwhile.
    pub(crate) read_again: usize,
}

/// Makes the index equal to the cloud's people. `lease` must be held, and is looked at between all steps; `pause` lies before
/// each call.
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
    // Before the list: whom the console removes while it is read is known here, so nobody comes back by it.
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
    for id in &to_reread {
        reread_user(base, &mut directory, lease, *id).await?;
    }

    csps::adopt_labelled(base).await?;
    if !index::complete_people(&base.db, lease, began).await? {
        return Err(PassError::LeaseLost);
    }
    Ok(UserPassReport { people: listed.len(), read_again: to_reread.len() })
}

async fn reread_user<D: Directory>(base: &Base, directory: &mut D, lease: &Lease, id: Uuid) -> Result<(), PassError> {
    for _ in 0..READS {
        let read = CloudRead::begin(&base.clock);
        let found = directory.one(id).await?;
        require_lease(lease)?;
        let settled = match found {
            Some(record) => index_user(&base.db, &record, read.end(&base.clock)).await?,
            None => remove(&base.db, id, read.began()).await?,
        };
        if settled {
            break;
        }
    }
    Ok(())
}

/// Another node may have begun a pass by now; what this one read is no longer its to write.
fn require_lease(lease: &Lease) -> Result<(), PassError> {
    if lease.is_held() { Ok(()) } else { Err(PassError::LeaseLost) }
}

#[cfg(test)]
mod tests;

//! One report at a time for each session: a report reads the whole list.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{ApiError, ApiResult};
use crate::session::SessionHash;

/// Most reports are over by then.
const RETRY_AFTER_SECS: u64 = 5;

/// The sessions that are being told a report by this node. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Slots(Arc<Mutex<HashSet<SessionHash>>>);

/// The right of a session to a report, until it is dropped.
pub(super) struct Slot {
    slots: Slots,
    session: SessionHash,
}

impl Slots {
    /// # Errors
    /// 429 while the session is being told another report.
    pub(super) fn take(&self, session: &SessionHash) -> ApiResult<Slot> {
        if self.taken().insert(session.clone()) {
            Ok(Slot { slots: self.clone(), session: session.clone() })
        } else {
            Err(ApiError::TooManyRequests { retry_after_secs: RETRY_AFTER_SECS })
        }
    }

    fn taken(&self) -> MutexGuard<'_, HashSet<SessionHash>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.taken().remove(&self.session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_one_report_at_a_time() {
        let (slots, one, other) = (Slots::default(), SessionHash::of(&[1; 32]), SessionHash::of(&[2; 32]));
        let slot = slots.take(&one).unwrap();
        assert!(matches!(slots.take(&one), Err(ApiError::TooManyRequests { retry_after_secs: 5 })));
        drop(slots.take(&other).unwrap());
        drop(slot);
        assert!(slots.take(&one).is_ok());
    }
}

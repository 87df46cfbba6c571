//! Limits each session to one report at a time, because a report reads the whole list.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::http::error::{ApiError, ApiResult};
use crate::policy::session_hash::SessionHash;

/// Most reports finish within this time.
const RETRY_AFTER_SECS: u64 = 5;

/// The sessions with a running report on this node. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct ReportSlots(Arc<Mutex<HashSet<SessionHash>>>);

/// Permits one report for a session until it is dropped.
pub(crate) struct ReportSlot {
    slots: ReportSlots,
    session: SessionHash,
}

impl ReportSlots {
    /// # Errors
    /// 429 while the session runs another report.
    pub(crate) fn take(&self, session: &SessionHash) -> ApiResult<ReportSlot> {
        if self.running().insert(session.clone()) {
            Ok(ReportSlot { slots: self.clone(), session: session.clone() })
        } else {
            Err(ApiError::TooManyRequests { retry_after_secs: RETRY_AFTER_SECS })
        }
    }

    fn running(&self) -> MutexGuard<'_, HashSet<SessionHash>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ReportSlot {
    fn drop(&mut self) {
        self.slots.running().remove(&self.session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_can_run_one_report_at_a_time() {
        let (slots, one, other) = (ReportSlots::default(), SessionHash::of(&[1; 32]), SessionHash::of(&[2; 32]));
        let slot = slots.take(&one).unwrap();
        assert!(matches!(slots.take(&one), Err(ApiError::TooManyRequests { retry_after_secs: 5 })));
        drop(slots.take(&other).unwrap());
        drop(slot);
        assert!(slots.take(&one).is_ok());
    }
}

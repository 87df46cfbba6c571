//! The state of the application. It is the outermost module: handlers take the part that they need with [`FromRef`].

use axum::extract::FromRef;

use crate::idempotency::IdempotencyKeys;
use crate::jobs::Jobs;
use crate::state::CoreState;

/// The complete state. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(crate) core: CoreState,
    pub(crate) jobs: Jobs,
    pub(crate) idempotency_keys: IdempotencyKeys,
}

impl FromRef<AppState> for CoreState {
    fn from_ref(state: &AppState) -> Self {
        state.core.clone()
    }
}

impl FromRef<AppState> for Jobs {
    fn from_ref(state: &AppState) -> Self {
        state.jobs.clone()
    }
}

impl FromRef<AppState> for IdempotencyKeys {
    fn from_ref(state: &AppState) -> Self {
        state.idempotency_keys.clone()
    }
}

//! The state of the application. It is the outermost module: handlers take the part that they need with [`FromRef`].

use axum::extract::FromRef;

use crate::core_state::CoreState;

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(crate) core: CoreState,
}

impl FromRef<AppState> for CoreState {
    fn from_ref(state: &AppState) -> Self {
        state.core.clone()
    }
}

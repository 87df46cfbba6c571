//! The end of a successful sign-in.

use axum::Json;
use axum::http::HeaderMap;
use axum::response::IntoResponse;

use super::dto::SessionView;
use crate::audit;
use crate::http::error::ApiResult;
use crate::sessions::second_factor::FactorKind;
use crate::sessions::session::{self, SessionId};
use crate::state::CoreState;

/// Ends the browser's earlier session, records the sign-in, and returns the new session with its cookie. `factor` is the kind
/// of the second factor, if there was one.
pub(super) async fn welcome(
    state: &CoreState,
    headers: &HeaderMap,
    signed_in: (SessionId, session::Session),
    factor: Option<FactorKind>,
) -> ApiResult<impl IntoResponse + use<>> {
    let (id, session) = signed_in;
    if let Some(earlier) = state.cookie.read(headers) {
        state.sessions.sign_out(&earlier.hash()).await?;
    }
    audit::record_sign_in(&state.base, &session, factor.map(FactorKind::name)).await?;
    let answer = SessionView::of(state, &session).await?;
    Ok((state.cookie.issue(&id, state.sessions.max_remaining_lifetime(&session)), Json(answer)))
}

//! The own record.

use axum::Json;
use axum::extract::State;

use crate::app::App;
use crate::http::error::{Error, Result, Service};
use crate::http::extract::Caller;
use crate::store;
use crate::wire::user::ProfileAnswer;

/// GET users/get_user_profile.
pub(in crate::http) async fn get_user_profile(
    State(app): State<App>,
    Caller(caller): Caller,
) -> Result<Json<ProfileAnswer>> {
    let profile = store::users::profile(&app.db, caller.user_id).await?;
    let profile = profile.ok_or(Error::Unauthenticated(Service::User))?;
    Ok(Json(ProfileAnswer::new(profile, caller)))
}

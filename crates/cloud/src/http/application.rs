//! The application that a client identifies itself with.

use axum::http::StatusCode;

use super::error::{Error, Result};
use super::form::Form;
use crate::app::App;
use crate::store;
use crate::store::applications::ApplicationRow;

/// Maximum length of an id or secret, in characters.
const APPLICATION: usize = 255;
pub(super) const NOT_FOUND: Error = Error::Text(StatusCode::NOT_FOUND, "Could not find application");

/// The application with the id and secret of this form.
///
/// # Errors
/// 404 if there is none, 429 beyond its limit, 422 if id or secret is not a valid text.
pub(super) async fn find(app: &App, mut form: Form<'_>) -> Result<ApplicationRow> {
    let app_id = form.text("app_id", APPLICATION).unwrap_or_default();
    let app_secret = form.text("app_secret", APPLICATION).unwrap_or_default();
    form.check()?;
    let application = store::applications::find(&app.db, app_id).await?;
    let application = application.filter(|application| application.has_secret(app_secret, app.clock.now()));
    let application = application.ok_or(NOT_FOUND)?;
    app.limits.application(application.id)?;
    Ok(application)
}

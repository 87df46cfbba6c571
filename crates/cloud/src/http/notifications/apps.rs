//! Whom notifications reach.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value};

use super::{MESSAGE, find};
use crate::app::App;
use crate::domain::policy::Action;
use crate::http::body::Body;
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::path::{Path, key};
use crate::http::recipient;
use crate::records::message::Channel;
use crate::store;
use crate::store::notification_apps::{NotificationApp, NotificationAppRow};
use crate::wire::notification::NotificationAppWrapper;

/// The most apps of a notification: each is a message.
const MOST: i64 = 50;
/// The longest name or subject, in characters.
const TEXT: usize = 255;

/// GET apiv1/notifications/{id}/notification_apps.
pub(in crate::http) async fn list(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Vec<NotificationAppWrapper>>> {
    let notification = find(&app, &caller, &id, Action::ReadDevice).await?;
    let rows = store::notification_apps::of_notification(&app.db, notification.id).await?;
    Ok(Json(rows.into_iter().map(NotificationAppWrapper::from).collect()))
}

/// POST apiv1/notifications/{id}/notification_apps.
pub(in crate::http) async fn create(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body,
) -> Result<(StatusCode, Json<NotificationAppWrapper>)> {
    let notification = find(&app, &caller, &id, Action::EditDevice).await?;
    let new = read(&body)?;
    let mut tx = app.db.begin().await?;
    let count = store::notification_apps::count_locked(&mut tx, notification.id).await?;
    if count.ok_or(Error::NOTIFICATION_NOT_FOUND)? >= MOST {
        return Err(Error::invalid("base", format!("has too many apps (max: {MOST})")));
    }
    let id = store::notification_apps::insert(&mut tx, notification.id, &new, app.clock.now()).await?;
    tx.commit().await?;
    let row = NotificationAppRow { id, notification_id: notification.id, app: new };
    Ok((StatusCode::CREATED, Json(row.into())))
}

/// DELETE apiv1/notifications/{id}/notification_apps/{app}.
pub(in crate::http) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path((id, app_id)): Path<(String, String)>,
) -> Result<StatusCode> {
    let notification = find(&app, &caller, &id, Action::EditDevice).await?;
    let app_id = key(&app_id, Error::NOTIFICATION_APP_NOT_FOUND)?;
    let deleted = store::notification_apps::delete(&app.db, notification.id, app_id).await?;
    if deleted { Ok(StatusCode::OK) } else { Err(Error::NOTIFICATION_APP_NOT_FOUND) }
}

/// # Errors
/// 422 with all that is wrong.
fn read(body: &Map<String, Value>) -> Result<NotificationApp> {
    let mut form = Form::under_or_bare(body, "notification_app")?;
    let way = recipient::way(&mut form, "app_type");
    let nickname = form.text("nickname", TEXT).map(str::to_owned);
    let mut parameters = form.inner("notification_app_parameters");
    form.check()?;
    let way = way.ok_or(Error::MALFORMED)?;
    let mut text = |field, max| parameters.text(field, max).map(str::to_owned);
    let mut new = NotificationApp {
        app_type: way.as_str().to_owned(),
        nickname,
        username: text("username", TEXT),
        message: text("message", MESSAGE),
        email_subject: text("email_subject", TEXT),
        email_template_id: text("email_template_id", TEXT),
        ..NotificationApp::default()
    };
    match way {
        Channel::Email => new.email = recipient::email(&mut parameters, "email"),
        Channel::Sms => {
            [new.country_code, new.phone_number] = recipient::phone(&mut parameters, "country_code", "phone_number");
        }
    }
    parameters.unsupported(&["email_body_html"]);
    parameters.check()?;
    Ok(new)
}

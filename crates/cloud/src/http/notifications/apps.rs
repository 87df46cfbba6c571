//! Apps of notifications, which name the recipients.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::Value;

use super::{MESSAGE, find};
use crate::app::App;
use crate::domain::policy::Action;
use crate::http::body::Body;
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::http::merge::merged;
use crate::http::path::{Path, key};
use crate::http::recipient;
use crate::records::message::Channel;
use crate::store;
use crate::store::notification_apps::{NotificationApp, NotificationAppRow};
use crate::wire::notification::NotificationAppWrapper;

/// The object with the members of a channel. Clients may give them without it.
const PARAMETERS: &str = "notification_app_parameters";
/// Maximum length of a name or subject, in characters.
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
    let new = read(Form::under_or_bare(&body, "notification_app")?)?;
    let row = app.notifications().create_app(&caller.0, &notification, new).await?;
    Ok((StatusCode::CREATED, Json(row.into())))
}

/// PUT apiv1/notifications/{id}/notification_apps/{app}: missing fields stay.
pub(in crate::http) async fn update(
    State(app): State<App>,
    caller: Caller,
    Path((id, app_id)): Path<(String, String)>,
    Body(body): Body,
) -> Result<Json<NotificationAppWrapper>> {
    let notification = find(&app, &caller, &id, Action::EditDevice).await?;
    let app_id = key(&app_id, Error::NOTIFICATION_APP_NOT_FOUND)?;
    let change = |row: &NotificationAppRow| -> Result<_> {
        let mut members = merged(NotificationAppWrapper::from(row.clone()), &body, "notification_app")?;
        if let Some(Value::Object(parameters)) = members.remove(PARAMETERS) {
            for (name, value) in parameters {
                members.entry(name).or_insert(value);
            }
        }
        read(Form::of(&members))
    };
    let row = app.notifications().update_app(&caller.0, &notification, app_id, change).await?;
    Ok(Json(row.into()))
}

/// DELETE apiv1/notifications/{id}/notification_apps/{app}.
pub(in crate::http) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path((id, app_id)): Path<(String, String)>,
) -> Result<StatusCode> {
    let notification = find(&app, &caller, &id, Action::EditDevice).await?;
    let app_id = key(&app_id, Error::NOTIFICATION_APP_NOT_FOUND)?;
    app.notifications().delete_app(&notification, app_id).await?;
    Ok(StatusCode::OK)
}

/// Reads an app.
///
/// # Errors
/// 422 with all invalid fields.
fn read(mut form: Form<'_>) -> Result<NotificationApp> {
    let channel = recipient::channel(&mut form, "app_type");
    let nickname = form.text("nickname", TEXT).map(str::to_owned);
    let mut parameters = form.inner(PARAMETERS);
    form.check()?;
    let channel = channel.ok_or(Error::MALFORMED)?;
    let mut text = |field, max| parameters.text(field, max).map(str::to_owned);
    let mut new = NotificationApp {
        app_type: channel.as_str().to_owned(),
        nickname,
        username: text("username", TEXT),
        message: text("message", MESSAGE),
        email_subject: text("email_subject", TEXT),
        email_template_id: text("email_template_id", TEXT),
        ..NotificationApp::default()
    };
    match channel {
        Channel::Email => new.email = recipient::email(&mut parameters, "email"),
        Channel::Sms => {
            [new.country_code, new.phone_number] = recipient::phone(&mut parameters, "country_code", "phone_number");
        }
    }
    parameters.unsupported(&["email_body_html"]);
    parameters.check()?;
    Ok(new)
}

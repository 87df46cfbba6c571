//! Sign-in, sign-out, session renewal, and password reset and confirmation without a session.

mod confirmation;
mod dto;
mod email_change;
mod jwt;
mod mail_token;
mod password;
mod refusal;
mod routes;
mod second_factor;
pub(crate) mod sign_in_rules;
mod welcome;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) use dto::SessionView;
pub(crate) use second_factor::PasskeyRequest;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(routes::create_session, routes::get_session, routes::delete_session))
        .routes(routes!(second_factor::check_second_factor))
        .routes(routes!(second_factor::begin_passkey_check, second_factor::check_passkey))
        .routes(routes!(jwt::update_jwt))
        .routes(routes!(jwt::ping_jwt))
        .routes(routes!(password::request_password_reset))
        .routes(routes!(password::set_password))
        .routes(routes!(confirmation::confirm_account))
        .routes(routes!(email_change::confirm_email_change))
        .routes(routes!(email_change::cancel_email_change))
}

//! The caller's own profile, password, second factor, sessions, access tokens and display preferences.

mod dto;
mod passkeys;
mod password;
mod profile;
mod routes;
mod second_factor;
mod sessions;
mod tokens;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(routes::get_account, routes::update_account))
        .routes(routes!(routes::update_account_password))
        .routes(routes!(second_factor::get_second_factor))
        .routes(routes!(second_factor::begin_totp, second_factor::confirm_totp))
        .routes(routes!(second_factor::remove_totp))
        .routes(routes!(second_factor::create_recovery_codes))
        .routes(routes!(passkeys::begin_passkey, passkeys::add_passkey))
        .routes(routes!(passkeys::begin_passkey_proof))
        .routes(routes!(passkeys::rename_passkey))
        .routes(routes!(passkeys::remove_passkey))
        .routes(routes!(routes::get_preferences, routes::update_preferences))
        .routes(routes!(routes::update_list_preferences))
        .routes(routes!(routes::list_account_sessions, routes::delete_other_account_sessions))
        .routes(routes!(routes::delete_account_session))
        .routes(routes!(routes::list_account_tokens, routes::create_account_token))
        .routes(routes!(routes::delete_account_token))
}

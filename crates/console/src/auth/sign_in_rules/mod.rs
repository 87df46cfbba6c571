//! The rules of sign-ins that an administrator sets: the roles whose people need a second factor.

mod routes;
mod store;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(routes::get_sign_in_rules, routes::update_sign_in_rules))
}

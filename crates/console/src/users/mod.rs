//! People: the manufacturer's users, with their roles in the console.

mod company;
mod confirmation;
mod directory;
mod disabling;
mod dto;
mod factor_reset;
mod form;
mod index;
mod list;
mod pass;
mod password_reset;
mod query;
mod record;
mod removal;
mod report;
mod routes;
mod row;
mod service;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) use index::id_of_address;
pub(crate) use pass::run_pass;
pub(crate) use query::UserSort;
pub(crate) use service::{current_access, refresh_own_record};

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(routes::list_users, routes::invite_user))
        .routes(routes!(report::report_users))
        .routes(routes!(routes::get_user, routes::update_user, routes::remove_user, routes::refresh_user))
        .routes(routes!(routes::resend_confirmation))
        .routes(routes!(routes::send_password_reset))
        .routes(routes!(routes::reset_second_factor))
        .routes(routes!(routes::disable_user, routes::enable_user))
}

//! The audit: who changed what through the console, and how it ended.
//!
//! A change is written down as started before the cloud hears of it, and as done or failed afterwards. What stays started was
//! cut off: nobody knows how it ended. Every write to a device ends in `devices::writes::settle`, which asks for the [`Entry`] that
//! [`begin`] gives; a test over api/openapi.json finds the operation that goes another way.

mod change;
mod device_changes;
mod device_filter;
mod dto;
mod entry;
mod list_query;
mod operation;
mod retention;
mod routes;
mod store;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::core_state::CoreState;

pub(crate) use change::{Change, FieldChange, Target};
pub(crate) use device_changes::{DeviceChange, changes_of_device};
pub(crate) use entry::{Entry, begin, begin_for_session, begin_in_job, record_mail_token_change, record_sign_in};
pub(crate) use operation::Operation;
pub(crate) use retention::run_retention;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(routes::list_audit))
}

//! The audit: who changed what through the console, with the outcome.
//!
//! A change is recorded as started before the cloud is called, and as done or failed afterwards. A change that stays started
//! was interrupted, and its outcome is unknown. Every write to a device ends in `devices::writes::finish_write`, which requires the
//! [`Entry`] of [`begin`]; a test over api/openapi.json finds operations that bypass it.

mod change;
pub(crate) mod concurrent_changes;
mod device_changes;
mod device_filter;
mod dto;
mod entry;
mod list_query;
mod operation;
mod refused_sign_in;
mod retention;
mod routes;
mod scan;
mod store;
mod writers;
mod written_records;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) use change::{AuditTarget, Change, FieldChange};
pub(crate) use device_changes::{DeviceChange, changes_of_device, changes_of_job};
pub(crate) use dto::{AuditChange, AuditEntry, AuditResult};
pub(crate) use entry::{Entry, begin, begin_for_session, begin_in_job, record_mail_token_change, record_sign_in};
pub(crate) use list_query::{AuditFilterParams, read_search};
pub(crate) use operation::Operation;
pub(crate) use refused_sign_in::{RefusedSignIn, SignInRefusal, record_refused_sign_in};
pub(crate) use retention::delete_old_changes;
pub(crate) use scan::AuditScan;
pub(crate) use writers::last_changes;
pub(crate) use written_records::{WrittenRecord, collect_written, have_changed};

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(routes::list_audit))
}

//! The part of the application state that features use. [`AppState`](crate::state::AppState) adds what depends on features.

mod actor;

use std::ops::Deref;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use url::Url;

use crate::base::Base;
use crate::hub::Hub;
use crate::index::CountsCache;
use crate::limit::Limiters;
use crate::maintenance::MaintenanceBanner;
use crate::opaque::OpaqueIds;
use crate::report_slots::ReportSlots;
use crate::service::{CloudCheck, ServiceSession};
use crate::session::{SessionCookie, Sessions};

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct CoreState(Arc<CoreParts>);

/// The parts of the state.
pub(crate) struct CoreParts {
    pub(crate) base: Base,
    pub(crate) sessions: Sessions,
    /// The machine account's session, for what no user may do.
    pub(crate) service: Arc<ServiceSession>,
    pub(crate) cloud_check: Arc<CloudCheck>,
    /// Who follows what.
    pub(crate) hub: Hub,
    pub(crate) counts: CountsCache,
    pub(crate) cookie: SessionCookie,
    pub(crate) limiters: Limiters,
    /// Who is being told a report.
    pub(crate) reports: ReportSlots,
    pub(crate) opaque_ids: OpaqueIds,
    /// Whether lists come from the cloud also when there is an index.
    pub(crate) lists_from_cloud: bool,
    pub(crate) maintenance: MaintenanceBanner,
    /// Linked from the sign-in page.
    pub(crate) demo_mailbox: Option<Url>,
    /// Cancelled when the server stops: streams must not keep it waiting.
    pub(crate) stopping: CancellationToken,
}

impl CoreState {
    pub(crate) fn new(parts: CoreParts) -> Self {
        Self(Arc::new(parts))
    }
}

impl Deref for CoreState {
    type Target = CoreParts;

    fn deref(&self) -> &CoreParts {
        &self.0
    }
}

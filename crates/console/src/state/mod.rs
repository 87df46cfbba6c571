//! The part of the application state that features use, and the authentication of requests. [`AppState`](crate::server::app_state::AppState) adds what depends on features.

mod authentication;
pub(crate) mod maintenance;

use std::ops::Deref;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use url::Url;

use self::maintenance::MaintenanceBanner;
use crate::base::Base;
use crate::events::hub::Hub;
use crate::events::own_commands::Echoes;
use crate::index::DeviceLists;
use crate::limits::report_slots::ReportSlots;
use crate::limits::request_rates::Limiters;
use crate::limits::stream_slots::StreamSlots;
use crate::mail::Mailer;
use crate::secrets::opaque_ids::OpaqueIds;
use crate::secrets::token_key::TokenKeyCheck;
use crate::sessions::second_factor::SecondFactors;
use crate::sessions::service_account::{CloudCheck, ServiceSession};
use crate::sessions::session::{SessionCookie, Sessions};
use crate::shared_work::read_cache::ReadCache;

pub(crate) use authentication::{Authentication, EnrollingActor, authenticate};

/// State that handlers and background tasks share. Cheap to clone.
#[derive(Clone)]
pub(crate) struct CoreState(Arc<CoreParts>);

/// The members of [`CoreState`].
pub(crate) struct CoreParts {
    pub(crate) base: Base,
    pub(crate) sessions: Sessions,
    pub(crate) token_key: TokenKeyCheck,
    pub(crate) second_factors: SecondFactors,
    pub(crate) mailer: Mailer,
    /// The address that links in mails begin with, if it is known.
    pub(crate) link_url: Option<Url>,
    /// The session of the service account, for operations that users may not do.
    pub(crate) service: Arc<ServiceSession>,
    pub(crate) cloud_check: Arc<CloudCheck>,
    /// Dispatches bus notices to this node's readers.
    pub(crate) hub: Hub,
    pub(crate) echoes: Echoes,
    pub(crate) device_lists: DeviceLists,
    /// New items of attention by CSP, or of all CSPs: their number, and how many of them are urgent.
    pub(crate) attention_counts: ReadCache<Option<String>, (i64, i64)>,
    pub(crate) cookie: SessionCookie,
    pub(crate) limiters: Limiters,
    /// The running reports by session.
    pub(crate) reports: ReportSlots,
    /// The event streams by user.
    pub(crate) streams: StreamSlots,
    pub(crate) opaque_ids: OpaqueIds,
    /// Whether lists always come from the cloud, even if the index is filled.
    pub(crate) lists_from_cloud: bool,
    /// The version that the About page shows.
    pub(crate) version: &'static str,
    pub(crate) maintenance: MaintenanceBanner,
    /// Link on the sign-in page.
    pub(crate) demo_mailbox: Option<Url>,
    /// Cancelled when the server stops, so that open streams do not delay it.
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

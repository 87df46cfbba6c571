//! All changes that match the filters, for the report.

use platform::db::{Db, Result};
use uuid::Uuid;

use super::dto::AuditEntry;
use super::list_query::AuditSearch;
use super::store::AuditFilter;
use super::{device_filter, store};
use crate::http::error::ApiResult;
use crate::policy::Actor;
use crate::state::CoreState;

/// Returns the changes that its reader may see, newest first, in pages. Changes that begin meanwhile are not among them.
pub(crate) struct AuditScan {
    db: Db,
    reader: Actor,
    filter: AuditFilter,
}

impl AuditScan {
    /// # Errors
    /// 422 when too many devices match.
    pub(crate) async fn new(state: &CoreState, reader: &Actor, search: AuditSearch) -> ApiResult<Self> {
        let filter = device_filter::resolve(&state.device_lists, reader, search).await?;
        Ok(Self { db: state.base.db.clone(), reader: reader.clone(), filter })
    }

    /// Returns the next changes, at most `limit`. Fewer than `limit` means that these are the last.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn next(&mut self, limit: u64) -> Result<Vec<AuditEntry>> {
        let found = store::list(&self.db, &self.reader, &self.filter, limit).await?;
        if let Some(last) = found.last() {
            self.filter.before = Uuid::try_parse(&last.id).ok();
        }
        Ok(found.into_iter().map(|it| AuditEntry::of(it, &self.reader)).collect())
    }

    /// The number of changes, of which some may have been returned.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn count(&self) -> Result<u64> {
        store::count(&self.db, &self.reader, &AuditFilter { before: None, ..self.filter.clone() }).await
    }
}

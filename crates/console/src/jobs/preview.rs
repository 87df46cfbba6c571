//! The dry run of a job: what it would change, before it starts.

use futures::future::BoxFuture;
use futures::{StreamExt, TryStreamExt, stream};
use serde::Serialize;
use utoipa::ToSchema;

use super::dto::JobChange;
use super::work::Work;
use crate::audit::FieldChange;
use crate::http::error::{ApiError, ApiResult, CloudFailure};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::policy::Actor;
use crate::state::CoreState;

/// Maximum number of targets in one response: each is read from the device cloud.
const TARGETS_PER_PAGE: usize = 25;
/// Maximum number of targets that one request reads at once.
const MAX_CONCURRENT_READS: usize = 4;

/// Work that can say what it would change.
pub(crate) trait Preview: Work {
    /// The changes that the work would make to one device; empty if there are none. Changes nothing.
    ///
    /// # Errors
    /// As [`perform`](Work::perform), as far as they are known without a write.
    fn preview<'a>(
        &'a self,
        state: &'a CoreState,
        actor: &'a Actor,
        dsn: &'a str,
    ) -> BoxFuture<'a, ApiResult<Vec<FieldChange>>>;
}

/// What a job would change if it started now.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct JobPreview {
    /// Number of targets.
    total: usize,
    /// A page of the targets, in order.
    targets: Vec<PreviewTarget>,
    /// The value of `from` for the next targets; null if there are none.
    #[schema(required)]
    next: Option<usize>,
}

/// What a job would change at one target.
#[derive(Debug, Serialize, ToSchema)]
struct PreviewTarget {
    dsn: String,
    /// Empty if the job would change nothing.
    changes: Vec<JobChange>,
    /// Why the target would fail, as one sentence for the user.
    #[schema(required)]
    refusal: Option<String>,
}

/// Parses the first target of the page.
///
/// # Errors
/// 422 if it is repeated or no number.
pub(crate) fn parse_from(query: &QueryPairs) -> ApiResult<usize> {
    let mut reader = QueryReader::new(query);
    let from = reader.value("from", "must be a whole number from 0", |text| text.parse().ok());
    reader.end(from.unwrap_or_default())
}

/// Says what `work` would change at a page of these targets, which starts at `from`.
///
/// # Errors
/// 403 if the actor may not do this work; errors of the cloud that do not concern a single target.
pub(crate) async fn preview(
    state: &CoreState,
    actor: &Actor,
    work: &impl Preview,
    dsns: &[String],
    from: usize,
) -> ApiResult<JobPreview> {
    if !work.is_permitted_to(actor) {
        return Err(ApiError::Forbidden);
    }
    let end = from.saturating_add(TARGETS_PER_PAGE).min(dsns.len());
    let page = dsns.get(from..end).unwrap_or_default().to_vec();
    let targets = stream::iter(page)
        .map(|dsn| async move {
            let planned = work.preview(state, actor, &dsn).await;
            PreviewTarget::of(dsn, planned)
        })
        .buffered(MAX_CONCURRENT_READS)
        .try_collect()
        .await?;
    Ok(JobPreview { total: dsns.len(), targets, next: Some(end).filter(|end| *end < dsns.len()) })
}

impl PreviewTarget {
    fn of(dsn: String, planned: ApiResult<Vec<FieldChange>>) -> ApiResult<Self> {
        let (changes, refusal) = match planned {
            Ok(changes) => (changes.into_iter().map(JobChange::from).collect(), None),
            Err(
                refusal @ (ApiError::NotFound
                | ApiError::Forbidden
                | ApiError::Conflict(_)
                | ApiError::Cloud(CloudFailure::Refused(_))),
            ) => (Vec::new(), Some(refusal.to_string())),
            Err(error) => return Err(error),
        };
        Ok(Self { dsn, changes, refusal })
    }
}

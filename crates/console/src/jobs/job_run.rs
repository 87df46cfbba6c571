//! One run of a job: from the claim until the job has ended, or the claim is lost or given back.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use platform::db::Result;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::order::Order;
use super::runner::CLAIM;
use super::states::JobState;
use super::store::{self, Kept, Waiting};
use crate::error::{ApiError, ApiResult};
use crate::notice;
use crate::state::AppState;

/// So many targets of one job are worked on at once: a device cloud serves others, too.
const AT_ONCE: usize = 4;
/// Between two looks at the claim, and between two notices of how far the job has come.
const BEAT: Duration = Duration::from_secs(1);

/// A job that this node works on.
pub(super) struct Run {
    state: AppState,
    job: Kept,
    /// The name that the claim stands in.
    name: String,
    /// Shared by all jobs of this node.
    turns: Arc<Semaphore>,
    /// Cancelled when no other target is to be begun: the console stops, the job has ended, or another run has taken it over.
    halt: CancellationToken,
    /// Whether there are results that nobody was told of.
    news: AtomicBool,
}

impl Run {
    pub(super) fn new(state: AppState, job: Kept, name: String, turns: Arc<Semaphore>) -> Self {
        let halt = state.stopping.child_token();
        Self { state, job, name, turns, halt, news: AtomicBool::new(false) }
    }

    /// Works on the job. What the database refuses stays as it is until the claim has run out; then some run tries again.
    pub(super) async fn run(&self) {
        let worked = tokio::select! {
            worked = self.work() => worked,
            () = self.beat() => Ok(()),
        };
        if let Err(error) = worked {
            tracing::warn!(job.id = %self.job.id, %error, "a job stopped half way");
        }
        if let Err(error) = store::forget_work(&self.state.base.db, self.job.id).await {
            tracing::warn!(job.id = %self.job.id, %error, "a job that is done still says what it was");
        }
        self.tell();
    }

    async fn work(&self) -> Result<()> {
        let db = &self.state.base.db;
        let Ok(order) = self.job.order() else {
            // Of a later version that somebody went back from.
            tracing::error!(job.id = %self.job.id, "a job is of no known kind");
            return self.end(JobState::Interrupted).await;
        };
        let waiting = store::waiting(db, self.job.id).await?;
        stream::iter(waiting)
            .take_until(self.halt.cancelled())
            .map(Ok)
            .try_for_each_concurrent(AT_ONCE, |target| self.take_turn(&order, target))
            .await?;
        if self.state.stopping.is_cancelled() {
            store::give_back(db, self.job.id, &self.name).await
        } else if self.halt.is_cancelled() {
            Ok(())
        } else {
            self.end(JobState::Done).await
        }
    }

    async fn take_turn(&self, order: &Order, target: Waiting) -> Result<()> {
        let Ok(_turn) = self.turns.acquire().await else { return Ok(()) };
        if self.halt.is_cancelled() || !self.keep_claim().await? {
            return Ok(());
        }
        let Some(outcome) = self.perform(order, &target.dsn).await else {
            self.halt.cancel();
            return self.end(JobState::Interrupted).await;
        };
        let failure = outcome.err().map(|error| reason(&error));
        store::record(&self.state.base.db, self.job.id, target.position, failure).await?;
        self.news.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// `None` when nothing can be done for anybody any more: the session or the right has ended.
    async fn perform(&self, order: &Order, dsn: &str) -> Option<ApiResult<()>> {
        let outcome = match self.state.sessions.fresh_by_hash(&self.job.session).await {
            Ok(session) if !order.may_be_given_by(&session.actor()) => return None,
            Ok(session) => caught(order.perform(&self.state, &session.actor(), self.job.id, dsn)).await,
            Err(error) => Err(error),
        };
        let signed_out = outcome.as_ref().is_err_and(|error| error.cause().is_signed_out());
        (!signed_out).then_some(outcome)
    }

    /// Keeps the claim and tells of news, for as long as there is work.
    async fn beat(&self) {
        loop {
            tokio::time::sleep(BEAT).await;
            if self.news.swap(false, Ordering::Relaxed) {
                self.tell();
            }
            if let Err(error) = self.keep_claim().await {
                tracing::warn!(job.id = %self.job.id, %error, "the claim to a job could not be kept");
            }
        }
    }

    /// Answers whether this run still has the job.
    async fn keep_claim(&self) -> Result<bool> {
        let until = self.state.base.clock.now() + CLAIM;
        let kept = store::keep_claim(&self.state.base.db, self.job.id, &self.name, until).await?;
        if !kept {
            self.halt.cancel();
        }
        Ok(kept)
    }

    async fn end(&self, state: JobState) -> Result<()> {
        let base = &self.state.base;
        store::end(&base.db, self.job.id, &self.name, state, base.clock.now()).await
    }

    fn tell(&self) {
        notice::job(&self.state.base.bus, self.job.user, self.job.id);
    }
}

/// A panic fails the target: left to end the run, it would come again with every run that takes the job over.
async fn caught<T>(work: impl Future<Output = ApiResult<T>>) -> ApiResult<T> {
    let done = AssertUnwindSafe(work).catch_unwind().await;
    done.unwrap_or_else(|_| Err(ApiError::internal("the work on a target panicked")))
}

/// Why a target was not done, for people.
fn reason(error: &ApiError) -> String {
    if let ApiError::Internal(source) = error.cause() {
        tracing::error!(error = %source, "a target of a job failed");
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_panics_is_a_failure_with_a_plain_reason() {
        let failed = caught::<()>(async { panic!("a defect that names somebody") }).await;
        assert_eq!(reason(&failed.unwrap_err()), "Something went wrong.");
        assert_eq!(caught(async { Ok(7) }).await.unwrap(), 7);
        assert!(matches!(caught(async { Err::<(), _>(ApiError::NotFound) }).await, Err(ApiError::NotFound)));
    }
}

//! One run of a job: from the claim until the job ends or the claim is lost or released.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::{StreamExt, TryStreamExt, stream};
use jiff::SignedDuration;
use metrics::Counter;
use platform::db::Result;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::service::Jobs;
use super::states::{JobState, TargetState};
use super::store::{self, StoredJob, WaitingTarget};
use super::work::{JobActors, TargetOutcome, Work};
use super::writes;
use crate::events::notices;
use crate::http::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::records::device_panic;
use crate::users;

/// How long a claim is valid without extension. A node that loses the database for longer may lose the job to another
/// node.
pub(super) const CLAIM_DURATION: SignedDuration = SignedDuration::from_secs(30);
/// Maximum number of targets of one job in progress: the device cloud has other clients too.
const MAX_CONCURRENT_TARGETS: usize = 4;
/// How long a job waits after the device cloud failed at a target. Doubled with each pause without progress in between.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(5);
const MAX_PAUSE: SignedDuration = SignedDuration::from_secs(60);
/// Maximum length of a pause that the device cloud asks for.
const MAX_RETRY_AFTER: SignedDuration = SignedDuration::from_mins(10);
/// A target at which the device cloud fails this often has failed: its device may be the cause.
const MAX_ATTEMPTS: i64 = 10;
/// Interval between extensions of the claim and between progress notices.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// Makes the counter of an alarm exist: Prometheus does not notice the increase with which a counter appears.
pub(crate) fn register_metrics() {
    let outcomes = [TargetState::Done, TargetState::Left, TargetState::Failed];
    outcomes.map(processed_targets).into_iter().for_each(|counter| counter.increment(0));
}

fn processed_targets(outcome: TargetState) -> Counter {
    metrics::counter!("sillage_job_targets_total", "outcome" => outcome.name())
}

/// What came of an attempt to process a target.
enum Attempt {
    Ended(ApiResult<TargetOutcome>),
    /// The session has ended or lost the permission: no further target can be processed.
    Interrupted,
    /// The role of the session needs a second factor that is not set up: the job goes on when it is.
    LacksFactor,
}

/// A claimed job.
pub(super) struct JobRun {
    jobs: Jobs,
    job: StoredJob,
    /// The name that holds the claim.
    claim_name: String,
    /// Limits concurrent targets over all jobs of this node.
    target_permits: Arc<Semaphore>,
    /// Cancelled when no further target may start: the console stops, the job has ended or is to be paused, or another run has
    /// claimed it.
    stop: CancellationToken,
    /// Set when the job is to be paused: the minimum length of the pause.
    pause: Mutex<Option<SignedDuration>>,
    /// Whether the job was paused and has made no progress since.
    is_probing: AtomicBool,
    /// Whether there are results without a notice.
    has_new_results: AtomicBool,
}

impl JobRun {
    pub(super) fn new(jobs: Jobs, job: StoredJob, claim_name: String, target_permits: Arc<Semaphore>) -> Self {
        let stop = jobs.core().stopping.child_token();
        let is_probing = AtomicBool::new(job.pauses > 0);
        let (pause, has_new_results) = (Mutex::new(None), AtomicBool::new(false));
        Self { jobs, job, claim_name, target_permits, stop, pause, is_probing, has_new_results }
    }

    /// Processes the job. After a database error the job stays claimed until the claim expires; then another run
    /// continues.
    pub(super) async fn run(&self) {
        let worked = tokio::select! {
            worked = self.work() => worked,
            () = self.keep_alive() => Ok(()),
        };
        if let Err(error) = worked {
            tracing::warn!(job.id = %self.job.id, %error, "a job run was aborted");
        }
        if let Err(error) = self.forget_work().await {
            tracing::warn!(job.id = %self.job.id, %error, "the work of a completed job was not cleared");
        }
        self.notify_owner();
    }

    async fn work(&self) -> Result<()> {
        let db = &self.jobs.core().base.db;
        let Ok(work) = self.jobs.parse_work(&self.job) else {
            // Stored by a newer version, whose nodes run beside this one during an update.
            tracing::warn!(job.id = %self.job.id, "a job of an unknown kind is left to nodes of a newer version");
            return self.pause(SignedDuration::ZERO).await;
        };
        let mut waiting = store::waiting_targets(db, self.job.id).await?.into_iter();
        // After a pause one target shows whether the device cloud works again.
        if self.is_probing.load(Ordering::Relaxed)
            && let Some(probe) = waiting.next()
        {
            self.process_target(&*work, probe).await?;
        }
        stream::iter(waiting)
            .take_until(self.stop.cancelled())
            .map(Ok)
            .try_for_each_concurrent(MAX_CONCURRENT_TARGETS, |target| self.process_target(&*work, target))
            .await?;
        let pause = *self.pause.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at_least) = pause {
            self.pause(at_least).await
        } else if self.jobs.core().stopping.is_cancelled() {
            store::release_claim(db, self.job.id, &self.claim_name).await
        } else if self.stop.is_cancelled() {
            Ok(())
        } else {
            self.end(JobState::Done).await
        }
    }

    /// Clears what is not needed any more once nothing is left to retry.
    async fn forget_work(&self) -> Result<()> {
        let db = &self.jobs.core().base.db;
        store::clear_work(db, self.job.id).await?;
        writes::clear_undone(db, self.job.id).await
    }

    async fn process_target(&self, work: &dyn Work, target: WaitingTarget) -> Result<()> {
        let Ok(_permit) = self.target_permits.acquire().await else { return Ok(()) };
        if self.stop.is_cancelled() || !self.extend_claim().await? {
            return Ok(());
        }
        let outcome = match self.perform(work, &target.dsn).await {
            Attempt::Ended(outcome) => outcome,
            Attempt::Interrupted => {
                self.stop.cancel();
                return self.end(JobState::Interrupted).await;
            }
            Attempt::LacksFactor => {
                self.request_pause(SignedDuration::ZERO);
                return Ok(());
            }
        };
        let db = &self.jobs.core().base.db;
        if let Err(error) = &outcome
            && error.is_transient()
            && target.attempts + 1 < MAX_ATTEMPTS
        {
            self.request_pause(required_pause(error));
            return store::record_attempt(db, self.job.id, target.position).await;
        }
        let (state, reason) = match outcome {
            Ok(TargetOutcome::Done) => (TargetState::Done, None),
            Ok(TargetOutcome::Left(reason)) => (TargetState::Left, Some(reason)),
            Err(error) => (TargetState::Failed, Some(failure_reason(&error))),
        };
        store::record_result(db, self.job.id, target.position, state, reason).await?;
        processed_targets(state).increment(1);
        self.has_new_results.store(true, Ordering::Relaxed);
        if self.is_probing.swap(false, Ordering::Relaxed) {
            store::forget_pauses(db, self.job.id).await?;
        }
        Ok(())
    }

    /// No further target starts. Those in progress are completed.
    fn request_pause(&self, at_least: SignedDuration) {
        let mut pause = self.pause.lock().unwrap_or_else(PoisonError::into_inner);
        *pause = (*pause).max(Some(at_least));
        self.stop.cancel();
    }

    async fn pause(&self, at_least: SignedDuration) -> Result<()> {
        // The progress of this run has reset the number of pauses.
        let pauses = if self.is_probing.load(Ordering::Relaxed) { self.job.pauses } else { 0 };
        let length = FIRST_PAUSE * 2_i32.pow(pauses.min(4));
        let base = &self.jobs.core().base;
        let resumes_at = base.clock.now() + length.min(MAX_PAUSE).max(at_least);
        store::pause(&base.db, self.job.id, &self.claim_name, resumes_at).await
    }

    async fn perform(&self, work: &dyn Work, dsn: &str) -> Attempt {
        let state = self.jobs.core();
        let outcome = match state.sessions.fresh_by_hash(&self.job.session).await {
            Ok(session) if !work.is_permitted_to(&session.actor()) => return Attempt::Interrupted,
            Ok(session) if session.lacks_factor => return Attempt::LacksFactor,
            Ok(session) => match self.actors(session.actor()).await {
                Ok(actors) => catch_panic(dsn, work.perform(state, &actors, self.job.id, dsn)).await,
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        let signed_out = outcome.as_ref().is_err_and(|error| error.cause().is_signed_out());
        if signed_out { Attempt::Interrupted } else { Attempt::Ended(outcome) }
    }

    /// The actors of the next target. The owner's rights are read from the cloud if somebody else has retried the job.
    async fn actors(&self, session: Actor) -> ApiResult<JobActors> {
        let owner = match session.user == self.job.user {
            true => None,
            false => {
                let (role, csp) = users::current_access(self.jobs.core(), self.job.user).await?;
                Some(Actor { session: self.job.session.clone(), user: self.job.user, role, csp })
            }
        };
        Ok(JobActors { session, owner })
    }

    /// Extends the claim and sends progress notices while there is work.
    async fn keep_alive(&self) {
        loop {
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
            if self.has_new_results.swap(false, Ordering::Relaxed) {
                self.notify_owner();
            }
            if let Err(error) = self.extend_claim().await {
                tracing::warn!(job.id = %self.job.id, %error, "the claim of a job could not be extended");
            }
        }
    }

    /// Extends the claim; returns whether this run still holds it.
    async fn extend_claim(&self) -> Result<bool> {
        let until = self.jobs.core().base.clock.now() + CLAIM_DURATION;
        let is_held = store::extend_claim(&self.jobs.core().base.db, self.job.id, &self.claim_name, until).await?;
        if !is_held {
            self.stop.cancel();
        }
        Ok(is_held)
    }

    async fn end(&self, state: JobState) -> Result<()> {
        let base = &self.jobs.core().base;
        store::end(&base.db, self.job.id, &self.claim_name, state, base.clock.now()).await
    }

    fn notify_owner(&self) {
        notices::job(&self.jobs.core().base.bus, self.job.user, self.job.id);
    }
}

/// How long the device cloud asks to wait after this error.
fn required_pause(error: &ApiError) -> SignedDuration {
    let seconds = match error.cause() {
        ApiError::TooManyRequests { retry_after_secs } => i64::try_from(*retry_after_secs).unwrap_or(i64::MAX),
        _ => 0,
    };
    SignedDuration::from_secs(seconds).min(MAX_RETRY_AFTER)
}

/// Turns a panic into a failure of the target. Otherwise the panic would end every run that claims the job.
async fn catch_panic<T>(dsn: &str, work: impl Future<Output = ApiResult<T>>) -> ApiResult<T> {
    let done = device_panic::catch_async("job", dsn, work).await;
    done.unwrap_or_else(|| Err(ApiError::internal("the work on a target panicked")))
}

/// The failure reason for users.
fn failure_reason(error: &ApiError) -> String {
    if let ApiError::Internal(source) = error.cause() {
        tracing::error!(error = %source, "a target of a job failed");
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panicking_work_fails_with_a_generic_reason() {
        let failed = catch_panic::<()>("A", async { panic!("a defect with personal data") }).await;
        assert_eq!(failure_reason(&failed.unwrap_err()), "Something went wrong.");
        assert_eq!(catch_panic("A", async { Ok(7) }).await.unwrap(), 7);
        assert!(matches!(catch_panic("A", async { Err::<(), _>(ApiError::NotFound) }).await, Err(ApiError::NotFound)));
    }
}

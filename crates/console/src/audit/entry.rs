//! Records that a change starts, and its outcome.

use jiff::Timestamp;
use uuid::Uuid;

use super::store::{self, Author};
use super::written_records::{note_change, note_id};
use super::{AuditTarget, Change, FieldChange, Operation};
use crate::base::Base;
use crate::http::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::sessions::session::{ClientOrigin, Session};
use crate::state::CoreState;

/// A change that is recorded as started. It remains started if dropped without [`end`](Self::end).
#[must_use = "the change stays recorded as started"]
pub(crate) struct Entry {
    base: Base,
    id: String,
    author: Author,
    began_at: Timestamp,
    has_consequences: bool,
}

/// Records that `actor` starts a change. Call it after all checks, immediately before the call to the cloud.
///
/// # Errors
/// 401 when the session has ended. Database errors: a change that cannot be recorded must not be made.
pub(crate) async fn begin(state: &CoreState, actor: &Actor, change: &Change) -> ApiResult<Entry> {
    begin_in_job(state, actor, None, change).await
}

/// As [`begin`], for a change that a job makes to one of its targets.
///
/// # Errors
/// As [`begin`].
pub(crate) async fn begin_in_job(
    state: &CoreState,
    actor: &Actor,
    job: Option<Uuid>,
    change: &Change,
) -> ApiResult<Entry> {
    let session = state.sessions.find_by_hash(&actor.session).await?.ok_or(ApiError::NotSignedIn)?;
    begin_as(&state.base, Author::of(&session), change, job).await
}

/// As [`begin`], for a session that is already loaded.
///
/// # Errors
/// Database errors.
pub(crate) async fn begin_for_session(base: &Base, session: &Session, change: &Change) -> ApiResult<Entry> {
    begin_as(base, Author::of(session), change, None).await
}

async fn begin_as(base: &Base, author: Author, change: &Change, job: Option<Uuid>) -> ApiResult<Entry> {
    let now = base.clock.now();
    if !change.operation.is_sign_in_or_out() {
        note_change(&base.db, &change.target, now).await?;
    }
    let id = base.random.uuid_at(now).to_string();
    store::start(&base.db, &id, &author, change, job.or_else(|| change.target.as_job())).await?;
    Ok(Entry { base: base.clone(), id, author, began_at: now, has_consequences: false })
}

/// Records a sign-in after it succeeded, because the user is unknown before. `factor` is the kind of the second factor, if there
/// was one.
///
/// # Errors
/// Database errors.
pub(crate) async fn record_sign_in(base: &Base, session: &Session, factor: Option<&str>) -> ApiResult<()> {
    let target = AuditTarget::user(session.user.id, session.csp.as_deref());
    let fields = factor.map(|factor| FieldChange::new("secondFactor", None::<String>, factor)).into_iter().collect();
    let change = Change { operation: Operation::CreateSession, target, fields };
    begin_for_session(base, session, &change).await?.end(&Ok(())).await;
    Ok(())
}

/// Records a change that was made with the token of a mail, to the token's `user` if the cloud named it. The author is unknown:
/// the request has no session. A failure to record it is only logged, because the change has already been made.
pub(crate) async fn record_mail_token_change(
    base: &Base,
    origin: &ClientOrigin,
    operation: Operation,
    user: Option<Uuid>,
) {
    let target = user.map_or_else(|| AuditTarget::new_user(None), |user| AuditTarget::user(user, None));
    let change = Change { operation, target, fields: Vec::new() };
    match begin_as(base, Author::anonymous(origin), &change, None).await {
        Ok(entry) => entry.end(&Ok(())).await,
        Err(error) => tracing::warn!(%error, audit.operation = operation.id(), "a change could not be recorded"),
    }
}

impl Entry {
    /// Records the id of the created record. A failure is only logged.
    pub(crate) async fn set_target(&self, target_id: &str) {
        note_id(target_id);
        if let Err(error) = store::set_target(&self.base.db, &self.id, target_id).await {
            tracing::warn!(%error, audit.id = self.id, "the target of a change could not be recorded");
        }
    }

    /// Records changes of other records that follow from this one. They end with it. Call it before the change is made, with some
    /// hundred changes at a time.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn record_consequences(&mut self, changes: Vec<Change>) -> ApiResult<()> {
        self.has_consequences |= !changes.is_empty();
        let with_id = |change| (self.base.random.uuid_at(self.began_at).to_string(), change);
        let changes: Vec<(String, Change)> = changes.into_iter().map(with_id).collect();
        Ok(store::start_consequences(&self.base.db, &self.id, &self.author, &changes).await?)
    }

    /// Records the outcome. A failure is only logged, because the change has already been made.
    pub(crate) async fn end<T>(self, outcome: &ApiResult<T>) {
        let (db, failure, now) = (&self.base.db, outcome.as_ref().err(), self.base.clock.now());
        let ended = async {
            if self.has_consequences {
                store::end_consequences(db, &self.id, failure, now).await?;
            }
            store::end(db, &self.id, failure, now).await
        };
        if let Err(error) = ended.await {
            tracing::warn!(%error, audit.id = self.id, "a change stays recorded as started");
        }
    }
}

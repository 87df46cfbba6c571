//! Writing a change down: that it begins, and how it ends.

use platform::clock::Clock;
use platform::db::Db;
use uuid::Uuid;

use super::store::{self, Author};
use super::{Change, Operation, Target};
use crate::base::Base;
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::Actor;
use crate::session::{ClientOrigin, Session};

/// A change that is written down as started. Dropped without [`end`](Self::end) it stays so.
#[must_use = "it is not known how the change ended"]
pub(crate) struct Entry {
    db: Db,
    clock: Clock,
    id: String,
}

/// Writes down that `actor` begins a change. Called when nothing but the cloud can refuse it any more.
///
/// # Errors
/// 401 when the session has ended meanwhile. Of the database: what cannot be written down must not happen.
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
    begin_as(&state.base, &Author::of(&session), change, job).await
}

/// As [`begin`], for a session at hand.
///
/// # Errors
/// Of the database.
pub(crate) async fn begin_for_session(base: &Base, session: &Session, change: &Change) -> ApiResult<Entry> {
    begin_as(base, &Author::of(session), change, None).await
}

async fn begin_as(base: &Base, author: &Author, change: &Change, job: Option<Uuid>) -> ApiResult<Entry> {
    let id = base.random.uuid_at(base.clock.now()).to_string();
    store::start(&base.db, &id, author, change, job.or_else(|| change.target.as_job())).await?;
    Ok(Entry { db: base.db.clone(), clock: base.clock.clone(), id })
}

/// Writes down that somebody signed in. Before that nobody knows who it is, so this is never only started.
///
/// # Errors
/// Of the database.
pub(crate) async fn record_sign_in(base: &Base, session: &Session) -> ApiResult<()> {
    let target = Target::user(session.user.id, session.csp.as_deref());
    let change = Change { operation: Operation::CreateSession, target, fields: Vec::new() };
    begin_for_session(base, session, &change).await?.end(&Ok(())).await;
    Ok(())
}

/// Writes down what somebody did with the token of a mail. Nobody is signed in then, and the cloud does not say whose it was:
/// before it succeeds there is nothing to write, and that it cannot be written undoes nothing.
pub(crate) async fn record_mail_token_change(base: &Base, origin: &ClientOrigin, operation: Operation) {
    let change = Change { operation, target: Target::new_user(None), fields: Vec::new() };
    match begin_as(base, &Author::anonymous(origin), &change, None).await {
        Ok(entry) => entry.end(&Ok(())).await,
        Err(error) => tracing::warn!(%error, audit.operation = operation.id(), "a change is not written down"),
    }
}

impl Entry {
    /// Writes down what was made. A failure to do so fails nothing.
    pub(crate) async fn set_target(&self, target_id: &str) {
        if let Err(error) = store::set_target(&self.db, &self.id, target_id).await {
            tracing::warn!(%error, audit.id = self.id, "a change does not say what was made");
        }
    }

    /// Writes down how the change ended. A failure to do so changes nothing about what has happened, and fails nothing.
    pub(crate) async fn end<T>(self, outcome: &ApiResult<T>) {
        let failure = outcome.as_ref().err();
        if let Err(error) = store::end(&self.db, &self.id, failure, self.clock.now()).await {
            tracing::warn!(%error, audit.id = self.id, "a change stays recorded as started");
        }
    }
}

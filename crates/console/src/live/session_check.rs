//! Checks in memory that the session of a stream is valid and has not changed.

use jiff::Timestamp;

use crate::events::notices::EndReason;
use crate::http::error::ApiError;
use crate::policy::Actor;
use crate::state::CoreState;

/// The session of one stream.
pub(super) struct SessionCheck {
    state: CoreState,
    pub(super) actor: Actor,
    /// The last successful check; `None` before the first, and while the session cannot be checked.
    checked: Option<CheckedSession>,
}

/// A session that was valid and had the stream's access.
struct CheckedSession {
    /// The version of all sessions before the check.
    version: i64,
    /// When the actor's role was last read from the cloud.
    access_read_at: Timestamp,
    expires_at: Timestamp,
}

/// What a reader may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Valid,
    /// The session cannot be checked now: nothing is sent until it can.
    Unknown,
    /// The stream must end.
    Ended(EndReason),
}

impl SessionCheck {
    pub(super) fn new(state: CoreState, actor: Actor) -> Self {
        Self { state, actor, checked: None }
    }

    /// Whether the last check was successful.
    pub(super) fn is_known(&self) -> bool {
        self.checked.is_some()
    }

    /// Checks that the session is valid and its role at most a minute old, from memory while the version of all sessions has
    /// not grown to `version` since the last check: every node changes it when a session ends or its access changes.
    pub(super) async fn check(&mut self, version: i64) -> Verdict {
        let is_valid = self.checked.as_ref().is_some_and(|checked| {
            checked.version >= version
                && self.state.sessions.is_fresh(checked.access_read_at)
                && checked.expires_at > self.state.base.clock.now()
        });
        if is_valid { Verdict::Valid } else { self.check_now().await }
    }

    /// As [`check`](Self::check), with the present version of all sessions.
    pub(super) async fn check_version(&mut self) -> Verdict {
        match self.state.sessions.version().await {
            Ok(version) => self.check(version).await,
            Err(error) => self.fail(&error),
        }
    }

    /// As [`check`](Self::check), from the database, and from the cloud if the role is older.
    pub(super) async fn check_now(&mut self) -> Verdict {
        let sessions = &self.state.sessions;
        // The version is read first: a change after that is noticed at the next event.
        let read = async { Ok((sessions.version().await?, sessions.fresh_by_hash(&self.actor.session).await?)) };
        match read.await {
            Ok((_, session)) if session.actor() != self.actor || session.lacks_factor => {
                Verdict::Ended(EndReason::AccessChanged)
            }
            Ok((version, session)) => {
                let (access_read_at, expires_at) = (session.access_read_at, sessions.expires_at(&session));
                self.checked = Some(CheckedSession { version, access_read_at, expires_at });
                Verdict::Valid
            }
            Err(ApiError::NotSignedIn) => Verdict::Ended(EndReason::SignedOut),
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &ApiError) -> Verdict {
        tracing::warn!(%error, "a stream is paused: its role cannot be checked");
        self.checked = None;
        Verdict::Unknown
    }
}

use std::sync::Arc;

use tokio::task::AbortHandle;

use crate::session::{Session, SessionEvent, refresh};

/// Renews the tokens 12 hours before they expire, at least every 30 s when they live shorter. Ends when it is dropped.
#[derive(Debug)]
#[must_use = "the timer ends when it is dropped"]
pub struct RefreshTimer(AbortHandle);

impl RefreshTimer {
    pub(crate) fn start(session: Arc<Session>) -> Self {
        Self(tokio::spawn(keep_fresh(session)).abort_handle())
    }
}

impl Drop for RefreshTimer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn keep_fresh(session: Arc<Session>) {
    // Before the first look at the store, so that no sign-in falls between.
    let mut events = session.announcer.subscribe();
    loop {
        let now = session.http.clock.now();
        match session.store.load().await {
            Ok(Some(stored)) => {
                tokio::time::sleep(refresh::delay(stored.remaining_secs(now))).await;
                // A failure was logged, and the next turn comes after 30 s; after a denial there is nothing in the store.
                let _ = session.refresh(&stored.access_token).await;
            }
            Ok(None) => while !matches!(events.next().await, Some(SessionEvent::SignedIn | SessionEvent::Lagged)) {},
            Err(error) => {
                tracing::warn!(kind = ?error.kind(), "the token store failed");
                tokio::time::sleep(refresh::delay(0)).await;
            }
        }
    }
}

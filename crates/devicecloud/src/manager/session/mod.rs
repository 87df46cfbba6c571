//! A session that stays signed in, with its devices and their stream.

mod inner;
mod state_machine;

use std::fmt;
use std::sync::Arc;

use crate::client::Client;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::live::LiveStreamManager;
use crate::manager::DeviceManager;
use crate::manager::task::Task;
use crate::model::secret::SecretText;
use crate::session::{Authorization, SessionEvents};

use inner::Inner;
use state_machine::{Event, SessionPhase};

/// The state of a managed session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionManagerState {
    /// Signed in; tokens are refreshed in the background.
    Active,
    /// Tokens are not refreshed and devices are not polled.
    Paused,
    /// Closed: shut down, or a refresh failed.
    Closed,
}

/// The session of one user in one application. It refreshes the tokens 12 hours before they expire (every 30 s if they
/// live shorter than that), and contains the user's devices, and their live data stream if
/// [`allow_dss`](crate::SystemSettings::allow_dss) is on.
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::manager::SessionManager;
///
/// let session = SessionManager::sign_in(&client, "jo@example.com", &"correct horse".into()).await?;
/// session.device_manager().ready().await?;
/// for device in session.device_manager().devices() {
///     println!("{:?}", device.snapshot().product_name);
/// }
/// session.shut_down().await?;
/// # Ok(())
/// # }
/// ```
///
/// A failed refresh **closes this session**, whatever the reason: devices and stream stop, and `Closed` is sent. If the
/// cloud denied the tokens, they are removed from the store; after other failures they stay there, and
/// [`resume_stored`](Self::resume_stored) can start a new session with them. A [`Client`] on its own, as in a server
/// with many users, ends a session only if the cloud denies the refresh.
///
/// Cheap to clone. Dropping the last clone stops everything; the user stays signed in, with the tokens in the store.
#[derive(Clone)]
pub struct SessionManager {
    inner: Arc<Inner>,
    _task: Arc<Task>,
}

impl SessionManager {
    /// Signs a user in and starts a session. `POST users/sign_in.json`
    ///
    /// # Errors
    /// As [`Client::sign_in`].
    pub async fn sign_in(client: &Client, email: &str, password: &SecretText) -> Result<Self> {
        let sign_in = client.sign_in(email, password).await?;
        Ok(Self::begin(client, &sign_in.authorization))
    }

    /// Starts a session with the tokens from the client's store, without a request.
    ///
    /// # Errors
    /// `Precondition` 'No session is active' if there are none.
    pub async fn resume_stored(client: &Client) -> Result<Self> {
        let authorization = client.require_session(messages::NO_SESSION_ACTIVE).await?;
        Ok(Self::begin(client, &authorization))
    }

    fn begin(client: &Client, authorization: &Authorization) -> Self {
        // Subscribed before anything is started, so that no `Closed` event is missed.
        let events = client.session_events();
        let inner = Inner::new(client, authorization);
        let task = Task::spawn(inner::run(Arc::clone(&inner), events));
        Self { inner, _task: Arc::new(task) }
    }

    /// The devices of the user. They are released when the session is closed.
    #[must_use]
    pub fn device_manager(&self) -> &DeviceManager {
        &self.inner.devices
    }

    /// The live data stream, which can be stopped separately; `None` if [`allow_dss`](crate::SystemSettings::allow_dss)
    /// is off.
    #[must_use]
    pub fn live_stream(&self) -> Option<&LiveStreamManager> {
        self.inner.stream.as_ref()
    }

    /// The current state.
    #[must_use]
    pub fn state(&self) -> SessionManagerState {
        match self.inner.phase() {
            SessionPhase::Active | SessionPhase::Refreshing => SessionManagerState::Active,
            SessionPhase::Paused | SessionPhase::Resuming => SessionManagerState::Paused,
            SessionPhase::Closed => SessionManagerState::Closed,
        }
    }

    /// Subscribes to the events of this session from now on: `Refreshed`, and finally `Closed`.
    #[must_use]
    pub fn events(&self) -> SessionEvents {
        self.inner.publisher.subscribe()
    }

    /// Stops the refresh timer and pauses the devices and the stream, for example while the application is in the
    /// background.
    pub fn pause(&self) {
        self.inner.apply(Event::Pause);
    }

    /// Resumes after a pause: refreshes the tokens if they expire within 12 hours, then resumes the devices. Has no
    /// effect if the session is not paused.
    ///
    /// Runs to completion even if the future is dropped.
    ///
    /// # Errors
    /// As [`refresh`](Self::refresh).
    pub async fn resume(&self) -> Result<()> {
        self.active()?;
        let stored = self.inner.client.require_session(messages::NO_SESSION_ACTIVE).await;
        if stored.as_ref().is_err_and(|error| error.kind() == ErrorKind::Precondition) {
            self.inner.apply(Event::Ended);
        }
        if self.inner.resume(&stored?) { self.inner.refresh().await } else { Ok(()) }
    }

    /// Refreshes the tokens now. `POST users/refresh_token.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active' if the session is closed. Any other error closes it: `Auth` or `Server` if
    /// the cloud responded, `General` 'Fail to refresh token' if there was no readable response.
    pub async fn refresh(&self) -> Result<()> {
        self.active()?;
        self.inner.refresh().await
    }

    /// Closes the session: stops devices and stream, signs out and clears the store, even if the cloud returns an error
    /// or the future is dropped. `POST users/sign_out.json`
    ///
    /// # Errors
    /// `Auth` with the status text if the cloud returns an error, `Network` or `Timeout` if it could not be reached,
    /// `Json` if the response is not JSON.
    pub async fn shut_down(&self) -> Result<()> {
        self.inner.apply(Event::ShutDown);
        self.inner.sign_out().await
    }

    fn active(&self) -> Result<()> {
        if self.state() == SessionManagerState::Closed {
            return Err(Error::new(ErrorKind::Precondition, messages::NO_SESSION_ACTIVE));
        }
        Ok(())
    }
}

impl fmt::Debug for SessionManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionManager").field("state", &self.state()).finish_non_exhaustive()
    }
}

//! A session that keeps itself signed in, with its devices and their stream.

mod inner;
mod standing;

use std::fmt;
use std::sync::Arc;

use crate::client::Client;
use crate::error::{Error, ErrorKind, Result};
use crate::live::LiveStreamManager;
use crate::manager::DeviceManager;
use crate::manager::task::Task;
use crate::messages;
use crate::secret::SecretText;
use crate::session::{Authorization, SessionEvents};

use inner::Inner;
use standing::{Event, Standing};

/// Where a managed session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionManagerState {
    /// Signed in, and kept so.
    Active,
    /// Tokens are not renewed in the background, and devices ask for nothing.
    Paused,
    /// Over: shut down, or a refresh failed.
    Closed,
}

/// The session of one user in one application: renews the tokens 12 hours before they expire (every 30 s when they live shorter
/// than that), and has the user's devices, and their stream when [`allow_dss`](crate::SystemSettings::allow_dss) is on.
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
/// A refresh that fails **closes this session**, whatever the reason: devices and stream stop, and the listeners are told. When
/// the cloud denied the tokens they are gone from the store; when it could not be reached, or was broken, they stay there, and
/// [`resume_stored`](Self::resume_stored) may begin again with them. A [`Client`] by itself, as a server with many users has
/// it, ends a session only when the cloud denies it.
///
/// Cheap to clone. When the last clone is dropped everything stops; the user stays signed in, with the tokens in the store.
#[derive(Clone)]
pub struct SessionManager {
    inner: Arc<Inner>,
    _task: Arc<Task>,
}

impl SessionManager {
    /// Signs a user in and begins a session. `POST users/sign_in.json`
    ///
    /// # Errors
    /// As [`Client::sign_in`].
    pub async fn sign_in(client: &Client, email: &str, password: &SecretText) -> Result<Self> {
        let sign_in = client.sign_in(email, password).await?;
        Ok(Self::begin(client, &sign_in.authorization))
    }

    /// Begins a session with the tokens that are in the client's store. Nothing is sent for that.
    ///
    /// # Errors
    /// `Precondition` 'No session is active' when there are none.
    pub async fn resume_stored(client: &Client) -> Result<Self> {
        let authorization = client.require_session(messages::NO_SESSION_ACTIVE).await?;
        Ok(Self::begin(client, &authorization))
    }

    fn begin(client: &Client, authorization: &Authorization) -> Self {
        // Before anything is started, so that no end of the session is missed.
        let events = client.session_events();
        let inner = Inner::new(client, authorization);
        let task = Task::spawn(inner::run(Arc::clone(&inner), events));
        Self { inner, _task: Arc::new(task) }
    }

    /// The devices of the user. They are let go of when the session is closed.
    #[must_use]
    pub fn device_manager(&self) -> &DeviceManager {
        &self.inner.devices
    }

    /// The stream of live data, which can be stopped by itself; `None` when [`allow_dss`](crate::SystemSettings::allow_dss) is
    /// off.
    #[must_use]
    pub fn live_stream(&self) -> Option<&LiveStreamManager> {
        self.inner.stream.as_ref()
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> SessionManagerState {
        match self.inner.standing() {
            Standing::Active | Standing::Refreshing => SessionManagerState::Active,
            Standing::Paused | Standing::Resuming => SessionManagerState::Paused,
            Standing::Closed => SessionManagerState::Closed,
        }
    }

    /// What happens from now on: `Refreshed`, and at the end `Closed`.
    #[must_use]
    pub fn events(&self) -> SessionEvents {
        self.inner.announcer.subscribe()
    }

    /// Stops the refresh timer and pauses the devices, and with them the stream. For an application that nobody looks at.
    pub fn pause(&self) {
        self.inner.apply(Event::Pause);
    }

    /// Goes on after a pause: renews the tokens when less than 12 hours of their life are left, then resumes the devices.
    /// Without effect when the session is not paused.
    ///
    /// When nobody waits for the result, the refresh is done all the same, and the devices follow.
    ///
    /// # Errors
    /// As [`refresh`](Self::refresh).
    pub async fn resume(&self) -> Result<()> {
        self.active()?;
        let stored = self.inner.client.require_session(messages::NO_SESSION_ACTIVE).await;
        if stored.as_ref().is_err_and(|error| error.kind() == ErrorKind::Precondition) {
            self.inner.apply(Event::Ended);
        }
        if self.inner.resume(&stored?) { self.inner.renew().await } else { Ok(()) }
    }

    /// Renews the tokens now. `POST users/refresh_token.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active' when the session is closed. Any other error closes it: `Auth` or `Server` when
    /// the cloud answered, `General` 'Fail to refresh token' when it did not, or not in a readable way.
    pub async fn refresh(&self) -> Result<()> {
        self.active()?;
        self.inner.renew().await
    }

    /// Closes the session: stops devices and stream, signs out, and empties the store, also when the cloud does not answer well
    /// or nobody waits for the result. `POST users/sign_out.json`
    ///
    /// # Errors
    /// `Auth` with the status text when the cloud refuses the sign-out, `Network` or `Timeout` when it was not reached, `Json`
    /// when the answer is not JSON.
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

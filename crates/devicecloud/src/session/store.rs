use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

use crate::error::Result;
use crate::session::Authorization;

/// A future in a box, as the traits of this library return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where the tokens of a session are kept.
///
/// A store is the one truth about its session: the library reads it before every call. Several clients, in one process or
/// in many, may share a session through stores on the same record; [`lock`](Self::lock) makes sure that only one of them refreshes it.
pub trait TokenStore: Send + Sync + 'static {
    /// The present authorization; `None` = nobody is signed in.
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>>;

    /// Waits until no other change of this session runs, here or in another process. The lock ends with
    /// [`save`](TokenLock::save) or when it is dropped.
    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>>;
}

/// The right to change a session; see [`TokenStore::lock`].
pub trait TokenLock: Send + 'static {
    /// The authorization as it is under the lock.
    fn load(&mut self) -> BoxFuture<'_, Result<Option<Authorization>>>;

    /// Keeps the authorization (`None` = signed out) and releases the lock. It must be durable when this returns.
    fn save<'a>(self: Box<Self>, authorization: Option<&'a Authorization>) -> BoxFuture<'a, Result<()>>;
}

/// A store that forgets when the process ends. Clones share their session.
#[derive(Clone, Debug, Default)]
pub struct MemoryTokenStore {
    authorization: Arc<Mutex<Option<Authorization>>>,
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl MemoryTokenStore {
    /// An empty store: nobody is signed in.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A store with a session that began elsewhere.
    #[must_use]
    pub fn with(authorization: Authorization) -> Self {
        Self { authorization: Arc::new(Mutex::new(Some(authorization))), ..Self::default() }
    }

    fn get(&self) -> Option<Authorization> {
        self.authorization.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, authorization: Option<Authorization>) {
        *self.authorization.lock().unwrap_or_else(PoisonError::into_inner) = authorization;
    }
}

impl TokenStore for MemoryTokenStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        Box::pin(async { Ok(self.get()) })
    }

    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>> {
        Box::pin(async {
            let turn = Arc::clone(&self.turn).lock_owned().await;
            Ok(Box::new(MemoryLock { store: self.clone(), _turn: turn }) as Box<dyn TokenLock>)
        })
    }
}

struct MemoryLock {
    store: MemoryTokenStore,
    _turn: OwnedMutexGuard<()>,
}

impl TokenLock for MemoryLock {
    fn load(&mut self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        Box::pin(async { Ok(self.store.get()) })
    }

    fn save<'a>(self: Box<Self>, authorization: Option<&'a Authorization>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.store.set(authorization.cloned());
            Ok(())
        })
    }
}

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

use crate::error::Result;
use crate::future::BoxFuture;
use crate::session::Authorization;

/// Stores the tokens of a session.
///
/// A store is the source of truth about its session: the library reads it before every call. Several clients, in one
/// process or in several, can share a session through stores of the same record; [`lock`](Self::lock) ensures that only
/// one of them refreshes it.
pub trait TokenStore: Send + Sync + 'static {
    /// The current authorization; `None` if no user is signed in.
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>>;

    /// Acquires the exclusive right to change this session, across processes. It is released by
    /// [`save`](TokenLock::save) or on drop.
    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>>;
}

/// The exclusive right to change a session; see [`TokenStore::lock`].
pub trait TokenLock: Send + 'static {
    /// The current authorization, read under the lock.
    fn load(&mut self) -> BoxFuture<'_, Result<Option<Authorization>>>;

    /// Saves the authorization (`None` means signed out) and releases the lock. The change must be durable on return.
    fn save<'a>(self: Box<Self>, authorization: Option<&'a Authorization>) -> BoxFuture<'a, Result<()>>;
}

/// A store in memory. Clones share their session.
#[derive(Clone, Debug, Default)]
pub struct MemoryTokenStore {
    authorization: Arc<Mutex<Option<Authorization>>>,
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl MemoryTokenStore {
    /// An empty store: no user is signed in.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A store with a session that was started elsewhere.
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

//! The tokens of a session for the client library, in the session's row.

use std::sync::Arc;

use devicecloud::{Authorization, BoxFuture, Error, ErrorKind, Result, TokenLock, TokenStore};
use platform::db::Db;
use tokio::sync::OwnedMutexGuard;

use super::locks::Locks;
use super::{SessionHash, TokenCipher, store};

/// One row's tokens. Cheap to clone.
#[derive(Clone)]
pub(super) struct RowTokenStore {
    pub(super) db: Db,
    pub(super) cipher: TokenCipher,
    pub(super) locks: Arc<Locks>,
    pub(super) hash: SessionHash,
}

impl RowTokenStore {
    /// `None` for a session that is gone, whose tokens were ended, or whose key is no longer configured.
    async fn read(&self) -> Result<Option<Authorization>> {
        let Some(Some(sealed)) = store::tokens(&self.db, &self.hash).await.map_err(broken)? else { return Ok(None) };
        Ok(self.cipher.open(&self.hash, &sealed).ok())
    }

    async fn write(&self, authorization: Option<&Authorization>) -> Result<()> {
        let sealed = authorization.map(|tokens| self.cipher.seal(&self.hash, tokens));
        store::save_tokens(&self.db, &self.hash, sealed).await.map_err(broken)
    }
}

impl TokenStore for RowTokenStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        Box::pin(self.read())
    }

    /// Within this process. Several nodes need the row itself locked as well, here (`SELECT … FOR UPDATE`).
    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>> {
        Box::pin(async {
            let turn = self.locks.lock(&self.hash).await;
            Ok(Box::new(RowLock { store: self.clone(), _turn: turn }) as Box<dyn TokenLock>)
        })
    }
}

struct RowLock {
    store: RowTokenStore,
    _turn: OwnedMutexGuard<()>,
}

impl TokenLock for RowLock {
    fn load(&mut self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        Box::pin(self.store.read())
    }

    fn save<'a>(self: Box<Self>, authorization: Option<&'a Authorization>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { self.store.write(authorization).await })
    }
}

fn broken(error: platform::db::Error) -> Error {
    Error::new(ErrorKind::Internal, "the session's tokens cannot be read or written").with_source(error)
}

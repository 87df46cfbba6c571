//! The tokens of a session for the client library, in the session's row.
//!
//! Within the process the session's one client makes one refresh of many. Between processes a claim in the row does: who
//! holds it may renew, the others look again until it is gone. No connection to the database waits meanwhile (ADR 8).

use std::time::Duration;

use devicecloud::{Authorization, BoxFuture, Error, ErrorKind, Result, TokenLock, TokenStore};
use jiff::SignedDuration;
use tokio::runtime::Handle;

use super::{SessionHash, TokenCipher, store};
use crate::base::Base;

/// How long a claim counts: longer than a refresh, which the library gives up after 30 s, and shorter than the minute for
/// which the cloud honours a refresh token whose successor was lost with its node.
const CLAIM_DURATION: SignedDuration = SignedDuration::from_secs(45);
/// Between two looks at another node's claim. There is one look at a time for each session and node, and the bus does not
/// reach other nodes.
const CLAIM_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// A claim that runs out is taken over well before this.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(60);

/// One row's tokens. Cheap to clone.
#[derive(Clone)]
pub(super) struct RowTokenStore {
    pub(super) base: Base,
    pub(super) cipher: TokenCipher,
    pub(super) hash: SessionHash,
}

impl RowTokenStore {
    /// `None` for a session that is gone, whose tokens were ended, or whose key is no longer configured.
    async fn read(&self) -> Result<Option<Authorization>> {
        let Some(Some(sealed)) = store::tokens(&self.base.db, &self.hash).await.map_err(storage_error)? else {
            return Ok(None);
        };
        Ok(self.cipher.open(&self.hash, &sealed).ok())
    }

    async fn claim(&self) -> Result<Claim> {
        // Made before the row says so: should this be given up at any point, nothing stays claimed.
        let claim = Claim { store: self.clone(), holder: Some(self.base.random.hex(8)) };
        let holder = claim.holder.as_deref().unwrap_or_default();
        loop {
            let now = self.base.clock.now();
            if store::claim(&self.base.db, &self.hash, holder, now, now + CLAIM_DURATION)
                .await
                .map_err(storage_error)?
            {
                return Ok(claim);
            }
            if store::tokens(&self.base.db, &self.hash).await.map_err(storage_error)?.is_none() {
                return Err(session_ended());
            }
            tokio::time::sleep(CLAIM_POLL_INTERVAL).await;
        }
    }
}

impl TokenStore for RowTokenStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        Box::pin(self.read())
    }

    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>> {
        Box::pin(async {
            let claim = tokio::time::timeout(CLAIM_TIMEOUT, self.claim()).await.map_err(|_| claim_lost())??;
            Ok(Box::new(claim) as Box<dyn TokenLock>)
        })
    }
}

/// The right to renew a session's tokens, until it is saved, dropped, or runs out.
struct Claim {
    store: RowTokenStore,
    /// `None` once it is given back.
    holder: Option<String>,
}

impl TokenLock for Claim {
    fn load(&mut self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        Box::pin(self.store.read())
    }

    fn save<'a>(mut self: Box<Self>, authorization: Option<&'a Authorization>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let RowTokenStore { base, cipher, hash } = self.store.clone();
            let holder = self.holder.clone().unwrap_or_default();
            let sealed = authorization.map(|tokens| cipher.seal(&hash, tokens));
            let saved = store::save_tokens(&base.db, &hash, &holder, sealed).await.map_err(storage_error)?;
            self.holder = None;
            match saved {
                true => Ok(()),
                false if store::tokens(&base.db, &hash).await.map_err(storage_error)?.is_some() => Err(claim_lost()),
                false => Err(session_ended()),
            }
        })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Without a runtime the process is ending, and the claim runs out by itself.
        let (Some(holder), Ok(runtime)) = (self.holder.take(), Handle::try_current()) else { return };
        let RowTokenStore { base, hash, .. } = self.store.clone();
        runtime.spawn(async move {
            if let Err(error) = store::release_claim(&base.db, &hash, &holder).await {
                tracing::warn!(%error, "a claim on a session's tokens stays until it runs out");
            }
        });
    }
}

fn storage_error(error: platform::db::Error) -> Error {
    Error::new(ErrorKind::Internal, "the session's tokens cannot be read or written").with_source(error)
}

/// Another node has the claim. Its tokens are good; the next request finds them.
fn claim_lost() -> Error {
    Error::new(ErrorKind::Timeout, "another node is renewing the session's tokens")
}

fn session_ended() -> Error {
    Error::new(ErrorKind::Auth, "the session has ended")
}

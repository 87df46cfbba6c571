//! Stores a session's tokens in its row, for the client library.
//!
//! Within a process, the session's single client deduplicates refreshes. Between processes, a claim in the row does: only its
//! holder may refresh, and the others poll until the claim is released. No database connection is held meanwhile (ADR 8).

use std::time::Duration;

use devicecloud::{Authorization, BoxFuture, Error, ErrorKind, Result, TokenLock, TokenStore};
use jiff::SignedDuration;
use tokio::runtime::Handle;

use super::{SessionHash, store, tokens};
use crate::base::Base;
use crate::secrets::cipher::{Cipher, Undecryptable};

/// Longer than a refresh, which times out after 30 s, and shorter than the minute for which the cloud still accepts a refresh
/// token whose successor was lost with its node.
const CLAIM_DURATION: SignedDuration = SignedDuration::from_secs(45);
/// Nodes poll because the bus only carries hints. Each node polls at most once at a time per session.
const CLAIM_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longer than [`CLAIM_DURATION`], after which another node's claim can be taken over.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(60);

/// One row's tokens. Cheap to clone.
#[derive(Clone)]
pub(super) struct RowTokenStore {
    pub(super) base: Base,
    pub(super) cipher: Cipher,
    pub(super) hash: SessionHash,
}

impl RowTokenStore {
    /// `None` if the session has ended, or its tokens were revoked.
    async fn read(&self) -> Result<Option<Authorization>> {
        let Some(Some(sealed)) = store::tokens(&self.base.db, &self.hash).await.map_err(storage_error)? else {
            return Ok(None);
        };
        tokens::open(&self.cipher, &self.hash, &sealed).map(Some).map_err(undecryptable)
    }

    async fn claim(&self) -> Result<Claim> {
        // Created before the row is written, so that a cancelled future releases the claim.
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

/// The right to replace a session's tokens, until it is saved, dropped or expires.
struct Claim {
    store: RowTokenStore,
    /// `None` once the claim is released.
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
            let sealed = authorization.map(|authorization| tokens::seal(&cipher, &hash, authorization));
            let saved = store::save_tokens(&base.db, &hash, &holder, sealed).await.map_err(storage_error)?;
            self.holder = None;
            let outcome = if authorization.is_some() { "renewed" } else { "ended" };
            metrics::counter!("sillage_token_refreshes_total", "outcome" => outcome).increment(1);
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
        // Without a runtime the process is ending, and the claim expires.
        let (Some(holder), Ok(runtime)) = (self.holder.take(), Handle::try_current()) else { return };
        // The refresh failed, or another node had refreshed the tokens already.
        metrics::counter!("sillage_token_refreshes_total", "outcome" => "given_up").increment(1);
        let RowTokenStore { base, hash, .. } = self.store.clone();
        runtime.spawn(async move {
            if let Err(error) = store::release_claim(&base.db, &hash, &holder).await {
                tracing::warn!(%error, "a claim on a session's tokens could not be released and stays until it expires");
            }
        });
    }
}

fn storage_error(error: platform::db::Error) -> Error {
    Error::new(ErrorKind::Internal, "the session's tokens cannot be read or written").with_source(error)
}

/// The session has not ended: a node with the right key can use it.
fn undecryptable(error: Undecryptable) -> Error {
    Error::new(ErrorKind::Internal, "the session's tokens cannot be decrypted").with_source(error)
}

/// Another node holds the claim. The next request finds its tokens.
fn claim_lost() -> Error {
    Error::new(ErrorKind::Timeout, "another node is renewing the session's tokens")
}

fn session_ended() -> Error {
    Error::new(ErrorKind::Auth, "the session has ended")
}

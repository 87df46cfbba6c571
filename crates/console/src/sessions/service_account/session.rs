//! Signs in the service account, again if necessary.

use std::sync::Arc;

use devicecloud::{Client, MemoryTokenStore, Result, SecretText, TokenStore};
use tokio::sync::Mutex;

/// The session of the service account. Its tokens are only kept in memory.
pub(crate) struct ServiceSession {
    cloud: Client,
    tokens: MemoryTokenStore,
    email: String,
    password: SecretText,
    signing_in: Mutex<()>,
}

impl ServiceSession {
    pub(crate) fn new(cloud: &Client, email: String, password: SecretText) -> Self {
        let tokens = MemoryTokenStore::new();
        let cloud = cloud.with_store(Arc::new(tokens.clone()));
        Self { cloud, tokens, email, password, signing_in: Mutex::default() }
    }

    /// Whether this is the service account's address. The account is hidden from user lists.
    pub(crate) fn is_account(&self, email: &str) -> bool {
        email.eq_ignore_ascii_case(&self.email)
    }

    /// Returns a signed-in client. If the cloud ended the session, its tokens are gone and this signs in again.
    ///
    /// # Errors
    /// Errors of the sign-in.
    pub(crate) async fn cloud(&self) -> Result<Client> {
        let _turn = self.signing_in.lock().await;
        if self.tokens.load().await?.is_none() {
            self.cloud.sign_in(&self.email, &self.password).await?;
        }
        Ok(self.cloud.clone())
    }

    /// Whether the service account is signed in.
    pub(crate) async fn is_open(&self) -> bool {
        matches!(self.tokens.load().await, Ok(Some(_)))
    }

    /// Signs in as a person does, beside this session: its tokens need no secret of the application, and sign-ins do.
    ///
    /// # Errors
    /// Errors of the sign-in.
    pub(crate) async fn try_sign_in(&self) -> Result<()> {
        let another = Self::new(&self.cloud, self.email.clone(), self.password.clone());
        another.cloud().await?;
        another.sign_out().await;
        Ok(())
    }

    /// Ends the session at the cloud, if it is reachable.
    pub(crate) async fn sign_out(&self) {
        if let Err(error) = self.cloud.sign_out().await {
            tracing::debug!(%error, "the cloud did not end the service session");
        }
    }
}

//! The way to the gateway.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use tokio_rustls::rustls::crypto::ring;

use super::answer;
use super::gateway::{self, SmsError, SmsGateway};
use crate::mail::Refusal;
use crate::store::outbox::DueRow;

/// For all that is said about one text.
const LONGEST: Duration = Duration::from_secs(60);
/// The most bytes of an answer that are read: its error code stands at the beginning.
const MOST_READ: usize = 4096;
/// By which a gateway that knows it sees that a text comes again. Twilio does not.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// The way to one gateway.
pub(crate) struct Transport {
    client: Client,
    url: Url,
    account: String,
    token: SecretString,
    sender: String,
}

impl Transport {
    /// # Errors
    /// [`SmsError`]: the settings make no sense. Nothing is sent yet.
    pub(crate) fn new(gateway: &SmsGateway) -> Result<Self, SmsError> {
        let SmsGateway { url, account, token, sender } = gateway;
        if account.is_empty() || token.expose_secret().is_empty() {
            return Err(SmsError::Credentials);
        }
        if !gateway::is_sender(sender) {
            return Err(SmsError::Sender);
        }
        let url = gateway::address(url)?;
        // One provider per process; whichever came first stays.
        let _ = ring::default_provider().install_default();
        // No redirects: the token must not travel to an address that nobody configured.
        let client = Client::builder().redirect(Policy::none()).timeout(LONGEST).build().map_err(|_| SmsError::Tls)?;
        Ok(Self { client, url, account: account.clone(), token: token.clone(), sender: sender.clone() })
    }

    /// Hands a text over; `Ok` = the gateway has taken it upon itself.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) async fn send(&self, row: &DueRow, now: Timestamp) -> Result<(), Refusal> {
        let request = self
            .client
            .post(self.url.clone())
            .basic_auth(&self.account, Some(self.token.expose_secret()))
            .header(IDEMPOTENCY_KEY, &row.id)
            .form(&[("From", &self.sender), ("To", &row.recipient), ("Body", &row.body)]);
        let response = request.send().await.map_err(|error| answer::none(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = beginning(response).await;
        Err(answer::refusal(status, retry_after.as_deref(), &body, now))
    }
}

/// As much of the answer as we care for and as there is.
async fn beginning(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < MOST_READ
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(MOST_READ);
    body
}

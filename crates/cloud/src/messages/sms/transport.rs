//! Sends texts to an SMS gateway.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, HeaderName, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use tokio_rustls::rustls::crypto::ring;

use super::gateway_settings::{self, SmsError, SmsGateway};
use super::response;
use crate::records::message::{DeliveryError, ProbeError};
use crate::store::outbox::DueRow;

/// Time limit for the delivery of one text.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// How many bytes of a response are read: the error code is at its beginning.
const MAX_RESPONSE: usize = 4096;
/// Lets a gateway detect repeated texts. Twilio ignores it.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// Sends texts to one gateway.
pub(crate) struct Transport {
    client: Client,
    url: Url,
    account: String,
    token: SecretString,
    sender: String,
}

impl Transport {
    /// # Errors
    /// [`SmsError`] if the settings are invalid. Does not connect.
    pub(crate) fn new(gateway: &SmsGateway) -> Result<Self, SmsError> {
        let SmsGateway { url, account, token, sender } = gateway;
        if account.is_empty() || token.expose_secret().is_empty() {
            return Err(SmsError::Credentials);
        }
        if !gateway_settings::is_sender(sender) {
            return Err(SmsError::Sender);
        }
        let url = gateway_settings::address(url)?;
        // There is one provider per process; one that is already installed stays.
        let _ = ring::default_provider().install_default();
        // No redirects: the token must not be sent to a URL that nobody configured.
        let client = Client::builder().redirect(Policy::none()).timeout(SEND_TIMEOUT);
        // No proxy either: a proxy for plain http would receive the token unencrypted.
        let client = if url.scheme() == "http" { client.no_proxy() } else { client };
        let client = client.build().map_err(|_| SmsError::Tls)?;
        Ok(Self { client, url, account: account.clone(), token: token.clone(), sender: sender.clone() })
    }

    /// Sends a text. `Ok` means that the gateway has accepted responsibility for it.
    ///
    /// # Errors
    /// [`DeliveryError`].
    pub(crate) async fn send(&self, row: &DueRow, now: Timestamp) -> Result<(), DeliveryError> {
        let request = self
            .client
            .post(self.url.clone())
            .basic_auth(&self.account, Some(self.token.expose_secret()))
            .header(IDEMPOTENCY_KEY, &row.id)
            .form(&[("From", &self.sender), ("To", &row.recipient), ("Body", &row.body)]);
        let response = request.send().await.map_err(|error| response::no_response(&error))?;
        let status = response.status();
        if status.is_success() {
            let may_be_page = header(&response, CONTENT_TYPE).is_some_and(|kind| response::may_be_page(&kind));
            let is_page = may_be_page && response::is_page(&beginning(response).await);
            return if is_page { Err(response::web_page(status)) } else { Ok(()) };
        }
        let retry_after = header(&response, RETRY_AFTER);
        let body = beginning(response).await;
        Err(response::refusal(status, retry_after.as_deref(), &body, now))
    }
}

impl SmsGateway {
    /// Requests the newest text, which Twilio answers, to see whether the gateway accepts the account. Sends no text. A gateway that
    /// knows no such request passes, because it answers.
    ///
    /// # Errors
    /// [`ProbeError`].
    pub async fn probe(&self) -> Result<(), ProbeError> {
        let transport = Transport::new(self).map_err(|error| ProbeError(error.to_string()))?;
        let request = transport.client.get(transport.url).query(&[("PageSize", "1")]).timeout(PROBE_TIMEOUT);
        let request = request.basic_auth(transport.account, Some(transport.token.expose_secret()));
        let status = request.send().await.map_err(|error| response::no_response(&error))?.status();
        match status.as_u16() {
            401 | 403 | 407 => Err(ProbeError(format!("the gateway rejected the account ({status})"))),
            300..=399 | 500.. => Err(ProbeError(format!("the gateway answered {status}"))),
            _ => Ok(()),
        }
    }
}

fn header(response: &Response, name: HeaderName) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// The beginning of the body, up to the limit.
async fn beginning(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < MAX_RESPONSE
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(MAX_RESPONSE);
    body
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use reqwest::Body;

    use super::*;

    #[tokio::test]
    async fn endless_response_is_read_up_to_the_limit() {
        let chunks = stream::repeat_with(|| Ok::<_, std::io::Error>("x".repeat(1000)));
        let response = axum::http::Response::new(Body::wrap_stream(chunks));
        assert_eq!(beginning(response.into()).await.len(), MAX_RESPONSE);
    }
}

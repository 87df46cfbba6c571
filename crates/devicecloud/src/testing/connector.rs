use std::sync::Arc;
use std::time::Duration;

use super::fault::Fault;
use super::mock_cloud::MockCloud;
use super::open_stream::OpenStream;
use super::request::MockRequest;
use super::transport::CUT;
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;
use crate::http::timed_out;
use crate::model::secret::SecretText;
use crate::stream::{Connector, ConnectorFactory, Socket, rejection};

/// Opens streams of a mock cloud with one key.
struct MockConnector {
    cloud: MockCloud,
    key: SecretText,
    /// Timeout of the handshake.
    timeout: Duration,
}

pub(super) fn factory(cloud: MockCloud) -> ConnectorFactory {
    Arc::new(move |key, timeout| Arc::new(MockConnector { cloud: cloud.clone(), key: key.clone(), timeout }))
}

impl Connector for MockConnector {
    fn connect(&self) -> BoxFuture<'_, Result<Socket>> {
        Box::pin(async { tokio::time::timeout(self.timeout, self.open()).await.unwrap_or_else(|_| Err(timed_out())) })
    }
}

impl MockConnector {
    async fn open(&self) -> Result<Socket> {
        let query = vec![format!("stream_key={}", self.key.expose())];
        let fault = self.cloud.record(&MockRequest { call: "GET stream".to_owned(), query, body: None, token: None });
        tokio::task::yield_now().await;
        match fault {
            _ if self.key.is_blank() => return Err(rejection(401, None)),
            None => {}
            Some(Fault::Delay(delay)) => tokio::time::sleep(delay).await,
            Some(Fault::Status(status)) => return Err(rejection(status, None)),
            Some(Fault::RetryAfter(delay)) => return Err(rejection(429, Some(delay))),
            Some(Fault::HtmlPage) => return Err(rejection(200, None)),
            Some(Fault::Cut) => return Err(Error::new(ErrorKind::Network, CUT)),
        }
        let (stream, socket) = OpenStream::new();
        self.cloud.add_stream(stream);
        Ok(socket)
    }
}

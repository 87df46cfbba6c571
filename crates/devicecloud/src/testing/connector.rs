use std::sync::Arc;
use std::time::Duration;

use super::fault::Fault;
use super::mock_cloud::MockCloud;
use super::open_stream::OpenStream;
use super::request::MockRequest;
use crate::future::BoxFuture;
use crate::secret::SecretText;
use crate::stream::{Connector, ConnectorFactory, Disconnect, Socket};

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
    fn connect(&self) -> BoxFuture<'_, Result<Socket, Disconnect>> {
        Box::pin(async { tokio::time::timeout(self.timeout, self.open()).await.unwrap_or(Err(Disconnect::Failed)) })
    }
}

impl MockConnector {
    async fn open(&self) -> Result<Socket, Disconnect> {
        let query = vec![format!("stream_key={}", self.key.expose())];
        let fault = self.cloud.record(&MockRequest { call: "GET stream".to_owned(), query, body: None, token: None });
        tokio::task::yield_now().await;
        match fault {
            _ if self.key.is_blank() => return Err(Disconnect::Rejected(401)),
            None => {}
            Some(Fault::Delay(delay)) => tokio::time::sleep(delay).await,
            Some(Fault::Status(status)) => return Err(Disconnect::Rejected(status)),
            Some(Fault::RetryAfter(_)) => return Err(Disconnect::Rejected(429)),
            Some(Fault::HtmlPage) => return Err(Disconnect::Rejected(200)),
            Some(Fault::Cut) => return Err(Disconnect::Failed),
        }
        let (stream, socket) = OpenStream::new();
        self.cloud.add_stream(stream);
        Ok(socket)
    }
}

//! The WebSocket below a connection; replaced in tests.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{Sink, SinkExt, Stream, StreamExt};
use http::{HeaderMap, Method};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use url::Url;

use crate::endpoints::Service;
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;
use crate::http::{Connection, Http, HttpRequest};
use crate::messages;
use crate::secret::SecretText;
use crate::stream::handshake::Key;
use crate::stream::reconnect::Disconnect;

const MAX_FRAME_SIZE: usize = 1 << 20;

/// An open connection. It has ended if `incoming` ends or sending to `outgoing` fails.
pub(crate) struct Socket {
    pub(crate) incoming: Pin<Box<dyn Stream<Item = String> + Send>>,
    pub(crate) outgoing: Pin<Box<dyn Sink<String, Error = ()> + Send>>,
}

pub(crate) trait Connector: Send + Sync + 'static {
    fn connect(&self) -> BoxFuture<'_, std::result::Result<Socket, Disconnect>>;
}

/// Creates a connector for a stream key and a timeout of the handshake.
pub(crate) type ConnectorFactory = Arc<dyn Fn(&SecretText, Duration) -> Arc<dyn Connector> + Send + Sync>;

/// Connects to the stream service, over the network of the calls. The URL contains the stream key and must not be
/// logged.
pub(super) struct WebSocketConnector {
    http: Arc<Http>,
    url: Url,
}

impl WebSocketConnector {
    pub(super) fn new(http: &Arc<Http>, stream_key: &SecretText) -> Result<Self> {
        let invalid = || Error::new(ErrorKind::InvalidArgument, messages::STREAM_KEY_REQUIRED);
        if stream_key.is_blank() {
            return Err(invalid());
        }
        let mut url =
            http.config.base(Service::Stream)?.join("stream").map_err(|error| invalid().with_source(error))?;
        // The handshake is an HTTP request.
        let scheme = if url.scheme() == "wss" { "https" } else { "http" };
        url.set_scheme(scheme).map_err(|()| invalid())?;
        url.query_pairs_mut().append_pair("stream_key", stream_key.expose());
        Ok(Self { http: Arc::clone(http), url })
    }

    async fn open(&self) -> std::result::Result<Socket, Disconnect> {
        let opened = tokio::time::timeout(self.http.timeout, self.handshake()).await.unwrap_or(Err(Disconnect::Failed));
        let counters = &self.http.counters;
        match opened {
            Ok(connection) => {
                counters.stream_connects.add(1);
                Ok(socket(connection).await)
            }
            Err(end) => {
                counters.failed_stream_connects.add(1);
                Err(end)
            }
        }
    }

    async fn handshake(&self) -> std::result::Result<Box<dyn Connection>, Disconnect> {
        let key = Key::random();
        let mut headers: HeaderMap = self.http.headers.iter().cloned().collect();
        key.add_headers(&mut headers);
        let request = HttpRequest { method: Method::GET, url: self.url.clone(), headers, body: None };
        let response = self.http.transport.upgrade(request).await.map_err(|error| {
            tracing::debug!(error = error.message(), "the stream was not reached");
            Disconnect::Failed
        })?;
        match response.connection {
            Some(connection) if key.is_accepted_by(&response.headers) => Ok(connection),
            Some(_) => Err(Disconnect::Failed),
            None => Err(Disconnect::Rejected(response.status)),
        }
    }
}

async fn socket(connection: Box<dyn Connection>) -> Socket {
    let limits = WebSocketConfig::default().max_message_size(Some(MAX_FRAME_SIZE)).max_frame_size(Some(MAX_FRAME_SIZE));
    let (sink, stream) = WebSocketStream::from_raw_socket(connection, Role::Client, Some(limits)).await.split();
    let incoming = stream
        .take_while(|message| std::future::ready(!matches!(message, Err(_) | Ok(Message::Close(_)))))
        .filter_map(|message| std::future::ready(message.ok().and_then(text)));
    let outgoing = sink.sink_map_err(|_| ()).with(|text: String| std::future::ready(Ok(Message::text(text))));
    Socket { incoming: Box::pin(incoming), outgoing: Box::pin(outgoing) }
}

impl Connector for WebSocketConnector {
    fn connect(&self) -> BoxFuture<'_, std::result::Result<Socket, Disconnect>> {
        Box::pin(self.open())
    }
}

/// The frame of a data message. A binary message becomes an unreadable frame, so that its loss is noticed.
fn text(message: Message) -> Option<String> {
    match message {
        Message::Text(text) => Some(text.as_str().to_owned()),
        Message::Binary(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;
    use crate::config::Config;
    use crate::session::MemoryTokenStore;

    #[tokio::test(start_paused = true)]
    async fn handshake_times_out_with_the_request_timeout() {
        // Accepts connections but never responds.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let config = Config::local(&base, "app", "secret").unwrap();
        let allowed = Duration::from_secs(2);
        let client =
            Client::builder(config, Arc::new(MemoryTokenStore::new())).request_timeout(allowed).build().unwrap();
        let socket = WebSocketConnector::new(client.http(), &"key".into()).unwrap();
        let started = tokio::time::Instant::now();
        assert!(matches!(socket.open().await, Err(Disconnect::Failed)));
        assert_eq!(started.elapsed(), allowed);
    }
}

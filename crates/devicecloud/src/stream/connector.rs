//! The WebSocket below a connection; replaced in tests.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{Sink, SinkExt, Stream, StreamExt};
use http::header::RETRY_AFTER;
use http::{HeaderMap, Method};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use url::Url;

use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;
use crate::http::{Connection, Http, HttpRequest, read_retry_after, status_text, timed_out};
use crate::model::secret::SecretText;
use crate::stream::handshake::Key;

const MAX_FRAME_SIZE: usize = 1 << 20;

/// An open connection. It has ended if `incoming` ends or sending to `outgoing` fails.
pub(crate) struct Socket {
    pub(crate) incoming: Pin<Box<dyn Stream<Item = String> + Send>>,
    pub(crate) outgoing: Pin<Box<dyn Sink<String, Error = ()> + Send>>,
}

pub(crate) trait Connector: Send + Sync + 'static {
    fn connect(&self) -> BoxFuture<'_, Result<Socket>>;
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

    async fn open(&self) -> Result<Socket> {
        let opened =
            tokio::time::timeout(self.http.timeout, self.handshake()).await.unwrap_or_else(|_| Err(timed_out()));
        let counters = &self.http.counters;
        match opened {
            Ok(connection) => {
                counters.stream_connects.add(1);
                Ok(socket(connection).await)
            }
            Err(error) => {
                counters.failed_stream_connects.add(1);
                Err(error)
            }
        }
    }

    async fn handshake(&self) -> Result<Box<dyn Connection>> {
        let key = Key::random();
        let mut headers: HeaderMap = self.http.headers.iter().cloned().collect();
        key.add_headers(&mut headers);
        let request = HttpRequest { method: Method::GET, url: self.url.clone(), headers, body: None };
        let response = self.http.transport.upgrade(request).await?;
        match response.connection {
            Some(connection) if key.is_accepted_by(&response.headers) => Ok(connection),
            Some(_) => Err(Error::new(ErrorKind::Network, messages::HANDSHAKE_FAILED)),
            None => {
                let retry_after = response.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
                let retry_after = retry_after.and_then(|text| read_retry_after(text, self.http.clock.now()));
                Err(rejection(response.status, retry_after))
            }
        }
    }
}

/// The error of a handshake that the cloud answered with a status instead of a connection.
pub(crate) fn rejection(status: u16, retry_after: Option<Duration>) -> Error {
    Error::new(ErrorKind::Server, status_text(status)).with_status(status).with_retry_after(retry_after)
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
    fn connect(&self) -> BoxFuture<'_, Result<Socket>> {
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
    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::client::Client;
    use crate::clock::Clock;
    use crate::config::Config;
    use crate::session::MemoryTokenStore;

    const TIMEOUT: Duration = Duration::from_secs(2);

    /// The error of a handshake with this server, a Wednesday at 07:27:30.
    async fn error_of(address: SocketAddr) -> Error {
        let config = Config::local(&format!("http://{address}"), "app", "secret").unwrap();
        let clock = Clock::mock("2015-10-21T07:27:30Z".parse().unwrap());
        let client = Client::builder(config, Arc::new(MemoryTokenStore::new())).request_timeout(TIMEOUT).clock(clock);
        let socket = WebSocketConnector::new(client.build().unwrap().http(), &"the-key".into()).unwrap();
        let error = socket.open().await.err().expect("an error");
        assert!(!format!("{error:?}").contains("the-key"), "{error:?}");
        error
    }

    #[tokio::test(start_paused = true)]
    async fn handshake_times_out_with_the_request_timeout() {
        // Accepts connections but never responds.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let started = tokio::time::Instant::now();
        let error = error_of(listener.local_addr().unwrap()).await;
        assert_eq!((error.kind(), started.elapsed()), (ErrorKind::Timeout, TIMEOUT));
    }

    #[tokio::test]
    async fn failed_handshake_has_the_reason_of_the_cloud_and_its_retry_after() {
        let table = [
            ("429 Too Many Requests", "Retry-After: 7", Some(7), "Too Many Requests"),
            ("503 Service Unavailable", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT", Some(30), "Service Unavailable"),
            ("401 Unauthorized", "X-Other: 1", None, "Unauthorized"),
            ("502 Bad Gateway", "Retry-After: soon", None, "Bad Gateway"),
        ];
        for (status, header, retry_after, message) in table {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let response = format!("HTTP/1.1 {status}\r\n{header}\r\nContent-Length: 0\r\n\r\n");
            let server = async {
                let mut socket = listener.accept().await.unwrap().0;
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    request.push(socket.read_u8().await.unwrap());
                }
                socket.write_all(response.as_bytes()).await.unwrap();
                socket
            };
            let (error, _socket) = tokio::join!(error_of(address), server);
            assert_eq!((error.kind(), error.status()), (ErrorKind::Server, status[..3].parse().ok()));
            assert_eq!((error.message(), error.retry_after()), (message, retry_after.map(Duration::from_secs)));
        }
    }

    #[tokio::test]
    async fn unreachable_and_confused_servers_are_network_errors() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let confused = async { listener.accept().await.unwrap().0.write_all(b"hello\r\n\r\n").await.unwrap() };
        let (error, ()) = tokio::join!(error_of(address), confused);
        assert_eq!((error.kind(), error.message().is_empty()), (ErrorKind::Network, false));
        drop(listener);
        let error = error_of(address).await;
        assert_eq!((error.kind(), error.status()), (ErrorKind::Network, None));
        assert!(error.message().contains("refused"), "{error}");
    }
}

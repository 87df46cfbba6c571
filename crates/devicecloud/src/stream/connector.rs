//! The WebSocket below a connection; replaced in tests.

use std::pin::Pin;
use std::time::Duration;

use futures::{Sink, SinkExt, Stream, StreamExt};
use tokio_tungstenite::tungstenite::{self, Message, protocol::WebSocketConfig};
use url::Url;

use crate::config::Config;
use crate::endpoints::Service;
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;
use crate::http::{error_chain, install_tls};
use crate::messages;
use crate::secret::SecretText;
use crate::stream::reconnect::Disconnect;

const MAX_FRAME_SIZE: usize = 1 << 20;

/// An open connection. It has ended if `incoming` ends or sending to `outgoing` fails.
pub(super) struct Socket {
    pub(super) incoming: Pin<Box<dyn Stream<Item = String> + Send>>,
    pub(super) outgoing: Pin<Box<dyn Sink<String, Error = ()> + Send>>,
}

pub(super) trait Connector: Send + Sync + 'static {
    fn connect(&self) -> BoxFuture<'_, std::result::Result<Socket, Disconnect>>;
}

/// Connects to the stream service. The URL contains the stream key and must not be logged.
pub(super) struct WebSocketConnector {
    url: Url,
    /// Timeout of the handshake.
    timeout: Duration,
}

impl WebSocketConnector {
    pub(super) fn new(config: &Config, stream_key: &SecretText, timeout: Duration) -> Result<Self> {
        let invalid = || Error::new(ErrorKind::InvalidArgument, messages::STREAM_KEY_REQUIRED);
        if stream_key.is_blank() {
            return Err(invalid());
        }
        let mut url = config.base(Service::Stream)?.join("stream").map_err(|error| invalid().with_source(error))?;
        url.query_pairs_mut().append_pair("stream_key", stream_key.expose());
        Ok(Self { url, timeout })
    }

    async fn open(&self) -> std::result::Result<Socket, Disconnect> {
        install_tls();
        let limits =
            WebSocketConfig::default().max_message_size(Some(MAX_FRAME_SIZE)).max_frame_size(Some(MAX_FRAME_SIZE));
        let connecting = tokio_tungstenite::connect_async_with_config(self.url.as_str(), Some(limits), true);
        let socket = match tokio::time::timeout(self.timeout, connecting).await {
            Ok(Ok((socket, _))) => socket,
            Ok(Err(error)) => return Err(end(&error)),
            Err(_) => return Err(Disconnect::Failed),
        };
        let (sink, stream) = socket.split();
        let incoming = stream
            .take_while(|message| std::future::ready(!matches!(message, Err(_) | Ok(Message::Close(_)))))
            .filter_map(|message| std::future::ready(message.ok().and_then(text)));
        let outgoing = sink.sink_map_err(|_| ()).with(|text: String| std::future::ready(Ok(Message::text(text))));
        Ok(Socket { incoming: Box::pin(incoming), outgoing: Box::pin(outgoing) })
    }
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

fn end(error: &tungstenite::Error) -> Disconnect {
    match error {
        tungstenite::Error::Http(response) => Disconnect::Rejected(response.status().as_u16()),
        tungstenite::Error::Io(error) => {
            tracing::debug!(error = error_chain(error), "the stream was not reached");
            Disconnect::Failed
        }
        // Other errors may contain the URL.
        _ => Disconnect::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn handshake_times_out_with_the_request_timeout() {
        // Accepts connections but never responds.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let config = Config::local(&base, "app", "secret").unwrap();
        let allowed = Duration::from_secs(2);
        let socket = WebSocketConnector::new(&config, &"key".into(), allowed).unwrap();
        let started = tokio::time::Instant::now();
        assert!(matches!(socket.open().await, Err(Disconnect::Failed)));
        assert_eq!(started.elapsed(), allowed);
    }
}

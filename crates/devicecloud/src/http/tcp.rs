//! Opens the connections below TLS and proxies: with TCP, or as the application does.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{self, Connected, HttpConnector};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tower_service::Service;

use crate::future::BoxFuture;

/// Idle TCP connections are probed this often.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) type ConnectError = Box<dyn std::error::Error + Send + Sync>;

/// Opens connections in place of TCP: over SSH, over a Unix socket, in memory, or from a certain address. TLS and the
/// proxy, which is also reached through it, are the library's part.
///
/// ```
/// use devicecloud::{BoxFuture, Connect, Connection};
/// use std::io;
///
/// struct Gateway;
///
/// impl Connect for Gateway {
///     fn connect(&self, host: String, port: u16) -> BoxFuture<'static, io::Result<Box<dyn Connection>>> {
///         Box::pin(async move { Ok(Box::new(tokio::net::TcpStream::connect((host, port)).await?) as _) })
///     }
/// }
/// ```
pub trait Connect: Send + Sync + 'static {
    /// Connects to a name or an IP address.
    fn connect(&self, host: String, port: u16) -> BoxFuture<'static, io::Result<Box<dyn Connection>>>;
}

/// A connection of a [`Connect`]: any byte stream of tokio.
pub trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

#[derive(Clone)]
pub(crate) enum Tcp {
    System(HttpConnector),
    Application(Arc<dyn Connect>),
}

impl Tcp {
    /// `limit`: the time for TCP, which is divided among the addresses of a name.
    pub(crate) fn new(application: Option<Arc<dyn Connect>>, limit: Duration) -> Self {
        if let Some(connect) = application {
            return Self::Application(connect);
        }
        let mut system = HttpConnector::new();
        system.enforce_http(false);
        system.set_nodelay(true);
        system.set_connect_timeout(Some(limit));
        system.set_keepalive(Some(KEEP_ALIVE));
        Self::System(system)
    }
}

impl Service<Uri> for Tcp {
    type Response = TcpConnection;
    type Error = ConnectError;
    type Future = BoxFuture<'static, Result<TcpConnection, ConnectError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        match self {
            Self::System(system) => system.poll_ready(context).map_err(Into::into),
            Self::Application(_) => Poll::Ready(Ok(())),
        }
    }

    fn call(&mut self, destination: Uri) -> Self::Future {
        match self {
            Self::System(system) => {
                let connecting = system.call(destination);
                Box::pin(async move { Ok(TcpConnection::new(Box::new(connecting.await?.into_inner()))) })
            }
            Self::Application(connect) => {
                let host = destination.host().unwrap_or_default();
                let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
                let connecting = connect.connect(host, port(&destination));
                Box::pin(async move { Ok(TcpConnection::new(connecting.await?)) })
            }
        }
    }
}

/// The port, or the default of the scheme.
pub(crate) fn port(uri: &Uri) -> u16 {
    uri.port_u16().unwrap_or(if uri.scheme() == Some(&Scheme::HTTP) { 80 } else { 443 })
}

pub(crate) struct TcpConnection(TokioIo<Box<dyn Connection>>);

impl TcpConnection {
    fn new(connection: Box<dyn Connection>) -> Self {
        Self(TokioIo::new(connection))
    }
}

impl connect::Connection for TcpConnection {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for TcpConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl Write for TcpConnection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, parts)
    }
}

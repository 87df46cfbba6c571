//! Opens connections, for calls and streams alike: TCP, through a proxy if there is one, then TLS.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use http::header::{HeaderMap, HeaderValue, USER_AGENT};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use rustls::ClientConfig;
use tower_service::Service;

use super::tcp::{ConnectError, Tcp, TcpConnection, port};
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;

/// Default of [`connect_timeout`](crate::ClientBuilder::connect_timeout): the time for opening a connection.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Opens connections within a time limit.
#[derive(Clone)]
pub(crate) struct Connector {
    https: HttpsConnector<ProxyConnector>,
    limit: Duration,
}

impl Connector {
    pub(crate) fn new(tcp: ProxyConnector, tls: ClientConfig, limit: Duration) -> Self {
        Self { https: HttpsConnector::from((tcp, tls)), limit }
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Connection>;
    type Error = ConnectError;
    type Future = BoxFuture<'static, std::result::Result<Self::Response, ConnectError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<std::result::Result<(), ConnectError>> {
        self.https.poll_ready(context)
    }

    fn call(&mut self, destination: Uri) -> Self::Future {
        let connecting = tokio::time::timeout(self.limit, self.https.call(destination));
        Box::pin(async move {
            let timed_out = || Err(io::Error::new(io::ErrorKind::TimedOut, messages::CONNECT_TIMED_OUT).into());
            connecting.await.unwrap_or_else(|_| timed_out())
        })
    }
}

type Connection = MaybeHttpsStream<TcpConnection>;

/// Which proxy is used for which address.
#[derive(Clone)]
pub(crate) struct Proxy(Arc<Matcher>);

impl Proxy {
    /// The proxies that the environment variables name.
    pub(crate) fn from_environment() -> Self {
        Self(Arc::new(Matcher::from_env()))
    }

    pub(crate) fn none() -> Self {
        Self(Arc::new(Matcher::builder().build()))
    }

    /// This proxy for everything. The address may contain a user name and a password, so errors do not contain it.
    pub(crate) fn at(address: &str) -> Result<Self> {
        let invalid = || Error::new(ErrorKind::InvalidArgument, messages::INVALID_PROXY);
        let parsed = url::Url::parse(address.trim()).map_err(|_| invalid())?;
        if !matches!(parsed.scheme(), "http" | "https") || !parsed.has_host() {
            return Err(invalid());
        }
        let matcher = Matcher::builder().all(parsed.as_str().to_owned()).build();
        match matcher.intercept(&Uri::from_static("https://cloud.invalid")) {
            Some(_) => Ok(Self(Arc::new(matcher))),
            None => Err(invalid()),
        }
    }

    /// A proxy cannot reach this host's own addresses.
    fn of(&self, destination: &Uri) -> Option<Intercept> {
        if is_own(destination.host()?) { None } else { self.0.intercept(destination) }
    }
}

/// Whether the host is this machine: a loopback address, or the unspecified one, on which a server may listen.
pub(super) fn is_own(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let is_own = |address: IpAddr| address.is_loopback() || address.is_unspecified();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| is_own(address.to_canonical()))
}

/// TCP, directly or through a tunnel of the proxy (`CONNECT`).
#[derive(Clone)]
pub(crate) struct ProxyConnector {
    /// To the proxy itself, which may have an https address.
    https: HttpsConnector<Tcp>,
    tcp: Tcp,
    proxy: Proxy,
    user_agent: HeaderValue,
}

impl ProxyConnector {
    pub(crate) fn new(tcp: Tcp, proxy: Proxy, tls: ClientConfig, user_agent: HeaderValue) -> Self {
        Self { https: HttpsConnector::from((tcp.clone(), tls)), tcp, proxy, user_agent }
    }

    fn tunnel(&self, proxy: &Intercept) -> Tunnel<HttpsConnector<Tcp>> {
        let headers = HeaderMap::from_iter([(USER_AGENT, self.user_agent.clone())]);
        let tunnel = Tunnel::new(proxy.uri().clone(), self.https.clone()).with_headers(headers);
        match proxy.basic_auth() {
            Some(credentials) => tunnel.with_auth(credentials.clone()),
            None => tunnel,
        }
    }
}

impl Service<Uri> for ProxyConnector {
    type Response = Connection;
    type Error = ConnectError;
    type Future = BoxFuture<'static, std::result::Result<Connection, ConnectError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<std::result::Result<(), ConnectError>> {
        self.tcp.poll_ready(context)
    }

    fn call(&mut self, destination: Uri) -> Self::Future {
        match self.proxy.of(&destination) {
            Some(proxy) => {
                let mut tunnel = self.tunnel(&proxy);
                Box::pin(async move { Ok(tunnel.call(with_port(destination)?).await?) })
            }
            None => {
                let connecting = self.tcp.call(destination);
                Box::pin(async move { Ok(MaybeHttpsStream::Http(connecting.await?)) })
            }
        }
    }
}

/// The tunnel does not know the default port of http.
fn with_port(destination: Uri) -> std::result::Result<Uri, ConnectError> {
    let authority = format!("{}:{}", destination.host().unwrap_or_default(), port(&destination));
    let mut parts = destination.into_parts();
    parts.authority = Some(authority.parse()?);
    Ok(Uri::from_parts(parts)?)
}

//! Opens connections, for calls and streams alike: TCP, through a proxy if there is one, then TLS.

use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{HeaderMap, HeaderValue, USER_AGENT};
use http::uri::Scheme;
use http::{Uri, uri};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tower_service::Service;

use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;
use crate::messages;

/// Idle TCP connections are probed this often.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) type Connector = HttpsConnector<ProxyConnector>;

type Connection = MaybeHttpsStream<TokioIo<TcpStream>>;

type ConnectError = Box<dyn std::error::Error + Send + Sync>;

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

    /// A proxy cannot reach this host's own loopback addresses.
    fn of(&self, destination: &Uri) -> Option<Intercept> {
        if is_loopback(destination.host()?) { None } else { self.0.intercept(destination) }
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

/// TCP, directly or through a tunnel of the proxy (`CONNECT`).
#[derive(Clone)]
pub(crate) struct ProxyConnector {
    /// To the proxy itself, which may have an https address.
    https: HttpsConnector<HttpConnector>,
    tcp: HttpConnector,
    proxy: Proxy,
    user_agent: HeaderValue,
}

impl ProxyConnector {
    pub(crate) fn new(proxy: Proxy, tls: ClientConfig, user_agent: HeaderValue) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(KEEP_ALIVE));
        Self { https: HttpsConnector::from((tcp.clone(), tls)), tcp, proxy, user_agent }
    }

    fn tunnel(&self, proxy: &Intercept) -> Tunnel<HttpsConnector<HttpConnector>> {
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
        self.tcp.poll_ready(context).map_err(Into::into)
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
    if destination.port().is_some() || destination.scheme() != Some(&Scheme::HTTP) {
        return Ok(destination);
    }
    let authority: uri::Authority = format!("{}:80", destination.host().unwrap_or_default()).parse()?;
    let mut parts = destination.into_parts();
    parts.authority = Some(authority);
    Ok(Uri::from_parts(parts)?)
}

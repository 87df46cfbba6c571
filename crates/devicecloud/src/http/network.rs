//! The network of a client: HTTP with hyper. Calls, file transfers and streams all use its connector.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use http::header::{CONTENT_LENGTH, HeaderValue, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, Response, Uri};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyDataStream, BodyExt, Collected, Full, LengthLimitError, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use url::Url;

use super::connector::{Connector, DEFAULT_CONNECT_TIMEOUT, Proxy, ProxyConnector};
use super::tcp::{Connect, Tcp};
use super::tls::{Roots, client_config};
use super::transport::{Chunks, HttpRequest, HttpResponse, Transfer, Transport};
use super::{DEFAULT_RESPONSE_LIMIT, error_chain};
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::future::BoxFuture;
use crate::model::secret::SecretText;

type Body = UnsyncBoxBody<Bytes, Error>;
type Client = legacy::Client<Connector, Body>;

const HTTP_1: &[u8] = b"http/1.1";
#[cfg(feature = "http2")]
const HTTP_2: &[u8] = b"h2";

/// How the network is reached, as the application set it.
#[derive(Default)]
pub(crate) struct NetworkSettings {
    /// In place of TCP.
    pub(crate) connect: Option<Arc<dyn Connect>>,
    pub(crate) connect_timeout: Option<Duration>,
    /// In bytes.
    pub(crate) response_limit: Option<usize>,
    pub(crate) proxy: ProxySetting,
    /// PEM files with certificates of additional authorities.
    pub(crate) root_certificates: Vec<Vec<u8>>,
    pub(crate) no_platform_roots: bool,
    pub(crate) user_agent: Option<String>,
}

#[derive(Default)]
pub(crate) enum ProxySetting {
    #[default]
    Environment,
    None,
    At(SecretText),
}

pub(crate) struct Network {
    client: Client,
    /// An upgrade to a WebSocket needs HTTP/1.1.
    #[cfg(feature = "stream")]
    upgrades: Client,
    user_agent: HeaderValue,
    response_limit: usize,
}

impl Network {
    pub(crate) fn new(settings: &NetworkSettings) -> Result<Self> {
        let proxy = match &settings.proxy {
            ProxySetting::Environment => Proxy::from_environment(),
            ProxySetting::None => Proxy::none(),
            ProxySetting::At(address) => Proxy::at(address.expose())?,
        };
        let mut roots = Roots::new(settings.no_platform_roots);
        settings.root_certificates.iter().try_for_each(|pem| roots.add(pem))?;
        let user_agent = settings.user_agent.as_deref().unwrap_or(concat!("devicecloud/", env!("CARGO_PKG_VERSION")));
        let user_agent = HeaderValue::from_str(user_agent)
            .map_err(|error| Error::new(ErrorKind::InvalidArgument, messages::INVALID_HEADER).with_source(error))?;
        let tls = client_config(roots)?;
        let limit = settings.connect_timeout.unwrap_or(DEFAULT_CONNECT_TIMEOUT);
        let tcp =
            ProxyConnector::new(Tcp::new(settings.connect.clone(), limit), proxy, tls.clone(), user_agent.clone());
        let client = |protocols: &[&[u8]]| client(tcp.clone(), tls.clone(), limit, protocols);
        Ok(Self {
            client: client(&[
                #[cfg(feature = "http2")]
                HTTP_2,
                HTTP_1,
            ]),
            #[cfg(feature = "stream")]
            upgrades: client(&[HTTP_1]),
            user_agent,
            response_limit: settings.response_limit.unwrap_or(DEFAULT_RESPONSE_LIMIT),
        })
    }

    async fn exchange(
        &self,
        client: &Client,
        method: http::Method,
        url: &Url,
        mut headers: HeaderMap,
        body: Body,
    ) -> Result<Response<Incoming>> {
        let uri: Uri =
            url.as_str().parse().map_err(|_| Error::new(ErrorKind::InvalidArgument, messages::INVALID_URL))?;
        headers.entry(USER_AGENT).or_insert_with(|| self.user_agent.clone());
        let mut request = http::Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        // Without a connection nothing was sent.
        client.request(request).await.map_err(|error| match error.is_connect() {
            true => network(error).not_sent(),
            false => network(error),
        })
    }
}

/// A client that offers these protocols (ALPN).
fn client(tcp: ProxyConnector, mut tls: ClientConfig, limit: Duration, protocols: &[&[u8]]) -> Client {
    tls.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .build(Connector::new(tcp, tls, limit))
}

/// Redirects are not followed: a token must not be sent to an address that is not configured.
impl Transport for Network {
    fn send(&self, outgoing: HttpRequest) -> BoxFuture<'_, Result<HttpResponse>> {
        Box::pin(async move {
            let HttpRequest { method, url, headers, body } = outgoing;
            let body = Full::new(Bytes::from(body.unwrap_or_default()));
            let response = self.exchange(&self.client, method, &url, headers, whole(body)).await?;
            let status = response.status().as_u16();
            let retry_after =
                response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
            let body = Limited::new(response.into_body(), self.response_limit).collect().await;
            let body = body.map(Collected::to_bytes).map_err(|error| {
                if error.is::<LengthLimitError>() {
                    Error::new(ErrorKind::Json, messages::RESPONSE_TOO_LARGE).with_source(error)
                } else {
                    Error::new(ErrorKind::Network, error_chain(&*error)).with_source(error)
                }
            });
            Ok(HttpResponse { status, retry_after, body })
        })
    }

    fn transfer(&self, transfer: Transfer<Option<Chunks>>) -> BoxFuture<'_, Result<(u16, Chunks)>> {
        Box::pin(async move {
            let headers = transfer.size.map(|size| (CONTENT_LENGTH, HeaderValue::from(size))).into_iter().collect();
            let body = match transfer.body {
                Some(chunks) => StreamBody::new(chunks.map_ok(|chunk| Frame::data(Bytes::from(chunk)))).boxed_unsync(),
                None => whole(Full::default()),
            };
            let response = self.exchange(&self.client, transfer.method, &transfer.url, headers, body).await?;
            let status = response.status().as_u16();
            let chunks = BodyDataStream::new(response.into_body()).map_ok(Vec::from).map_err(network);
            Ok((status, chunks.boxed()))
        })
    }

    #[cfg(feature = "stream")]
    fn upgrade(&self, outgoing: HttpRequest) -> BoxFuture<'_, Result<super::Upgrade>> {
        Box::pin(async move {
            let HttpRequest { method, url, headers, .. } = outgoing;
            let mut response = self.exchange(&self.upgrades, method, &url, headers, whole(Full::default())).await?;
            let connection = match response.status() {
                http::StatusCode::SWITCHING_PROTOCOLS => {
                    let upgraded = hyper::upgrade::on(&mut response).await.map_err(network)?;
                    Some(Box::new(hyper_util::rt::TokioIo::new(upgraded)) as Box<dyn super::Connection>)
                }
                _ => None,
            };
            let (parts, _) = response.into_parts();
            Ok(super::Upgrade { status: parts.status.as_u16(), headers: parts.headers, connection })
        })
    }
}

fn whole(body: Full<Bytes>) -> Body {
    body.map_err(|never| match never {}).boxed_unsync()
}

fn network(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(ErrorKind::Network, error_chain(&error)).with_source(error)
}

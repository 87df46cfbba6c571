//! Adds the security headers to every response.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use platform::run::random::Random;

use super::assets::{self, Nonce};

/// Browsers that came by https once come by https for a year, even if a link says http; also to subdomains.
const STRICT_TRANSPORT_SECURITY: HeaderValue = HeaderValue::from_static("max-age=31536000; includeSubDomains");

/// What the headers depend on.
#[derive(Clone)]
pub(crate) struct Headers {
    pub(crate) random: Random,
    /// Whether browsers come by https.
    pub(crate) is_https: bool,
}

/// Adds the nonce to the request and the headers to the response.
pub(crate) async fn add_headers(State(settings): State<Headers>, mut request: Request, next: Next) -> Response {
    let nonce = Nonce(settings.random.hex(16));
    let is_api = request.uri().path().starts_with("/api/");
    request.extensions_mut().insert(nonce.clone());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&content_security_policy(&nonce)) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    if settings.is_https {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT_SECURITY);
    }
    if let Ok(version) = HeaderValue::from_str(assets::version()) {
        headers.insert(HeaderName::from_static("x-app-version"), version);
    }
    if is_api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

fn content_security_policy(Nonce(nonce): &Nonce) -> String {
    format!(
        "default-src 'self'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
    )
}

//! Refuses writes from pages of other sites, in addition to the cookie's `SameSite=Lax`.

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use url::Url;

use super::has_bearer;
use crate::http::error::{ApiError, ApiResult};

/// The origin under which browsers know the console.
#[derive(Clone, Debug)]
pub(crate) enum OwnOrigin {
    /// Configured: the public address.
    Public(String),
    /// The host of the request.
    HostOfRequest {
        /// Of the listener: `http://` or `https://`.
        scheme: &'static str,
    },
}

impl OwnOrigin {
    /// The origin of the public address, or else the host of each request. `has_certificate`: whether the listener serves https.
    pub(crate) fn new(public_url: Option<&Url>, has_certificate: bool) -> Self {
        let scheme = if has_certificate { "https://" } else { "http://" };
        public_url.map_or(Self::HostOfRequest { scheme }, |url| Self::Public(url.origin().ascii_serialization()))
    }

    fn is(&self, origin: &str, host: Option<&str>) -> bool {
        match self {
            Self::Public(own) => origin == own,
            Self::HostOfRequest { scheme } => {
                let named = origin.strip_prefix(scheme);
                named.zip(host).is_some_and(|(named, host)| named.eq_ignore_ascii_case(host))
            }
        }
    }
}

/// Refuses state-changing requests of other sites.
///
/// # Errors
/// 403 with the code `foreign_origin`.
pub(crate) async fn refuse_foreign_origin(
    State(own): State<OwnOrigin>,
    request: Request,
    next: Next,
) -> ApiResult<Response> {
    if is_foreign(request.method(), host(&request), request.headers(), &own) {
        return Err(ApiError::ForeignOrigin);
    }
    Ok(next.run(request).await)
}

/// The host that the client named: HTTP/2 has it in the address, HTTP/1.1 in a header.
fn host(request: &Request) -> Option<&str> {
    let header = || request.headers().get(header::HOST)?.to_str().ok();
    request.uri().authority().map(Authority::as_str).or_else(header)
}

fn is_foreign(method: &Method, host: Option<&str>, headers: &HeaderMap, own: &OwnOrigin) -> bool {
    // A page of another site cannot add an access token, and beside one no cookie counts.
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) || has_bearer(headers) {
        return false;
    }
    let site_is_foreign =
        headers.get_all("sec-fetch-site").iter().any(|site| !matches!(site.as_bytes(), b"same-origin" | b"none"));
    let origin_is_foreign =
        headers.get_all(header::ORIGIN).iter().any(|origin| !origin.to_str().is_ok_and(|origin| own.is(origin, host)));
    site_is_foreign || origin_is_foreign
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    const HOST: Option<&str> = Some("127.0.0.1:8080");

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn writes_are_accepted_only_from_own_pages_and_non_browsers() {
        let own = OwnOrigin::new(None, false);
        let rows: [(&[(&str, &str)], bool); 11] = [
            (&[], false),
            (&[("origin", "http://127.0.0.1:8080")], false),
            (&[("origin", "http://127.0.0.1:8080"), ("sec-fetch-site", "same-origin")], false),
            (&[("origin", "http://127.0.0.1:8081")], true),
            (&[("origin", "https://127.0.0.1:8080")], true),
            (&[("origin", "http://evil.example")], true),
            (&[("origin", "null")], true),
            (&[("origin", "")], true),
            (&[("origin", "http://127.0.0.1:8080"), ("origin", "http://evil.example")], true),
            (&[("sec-fetch-site", "cross-site")], true),
            (&[("sec-fetch-site", "same-site")], true),
        ];
        for (pairs, foreign) in rows {
            assert_eq!(is_foreign(&Method::POST, HOST, &headers(pairs), &own), foreign, "{pairs:?}");
            assert!(!is_foreign(&Method::GET, HOST, &headers(pairs), &own), "reads are not looked at: {pairs:?}");
        }
    }

    #[test]
    fn program_with_an_access_token_needs_no_origin() {
        let own = OwnOrigin::new(None, false);
        for (authorization, foreign) in [("Bearer x", false), ("Basic eDp5", true)] {
            let headers = headers(&[("origin", "http://evil.example"), ("authorization", authorization)]);
            assert_eq!(is_foreign(&Method::POST, HOST, &headers, &own), foreign, "{authorization}");
        }
    }

    #[test]
    fn public_address_is_the_only_own_origin() {
        let own = OwnOrigin::new(Some(&"https://console.example/".parse().unwrap()), false);
        let rows = [
            ("https://console.example", false),
            ("http://127.0.0.1:8080", true),
            ("https://console.example:444", true),
        ];
        for (origin, foreign) in rows {
            assert_eq!(is_foreign(&Method::DELETE, HOST, &headers(&[("origin", origin)]), &own), foreign, "{origin}");
        }
    }

    #[test]
    fn own_origin_of_a_listener_with_a_certificate_is_https() {
        let own = OwnOrigin::new(None, true);
        for (origin, foreign) in [("https://127.0.0.1:8080", false), ("http://127.0.0.1:8080", true)] {
            assert_eq!(is_foreign(&Method::PUT, HOST, &headers(&[("origin", origin)]), &own), foreign, "{origin}");
            assert!(is_foreign(&Method::PUT, None, &headers(&[("origin", origin)]), &own), "without a host: {origin}");
        }
    }

    #[test]
    fn host_is_read_from_the_address_or_the_header() {
        let request = |uri: &str, name: &str| Request::get(uri).header(name, "a.example").body(Body::empty()).unwrap();
        assert_eq!(host(&request("/api", "host")), Some("a.example"));
        assert_eq!(host(&request("https://b.example:8443/api", "x-other")), Some("b.example:8443"));
        assert_eq!(host(&request("/api", "x-other")), None);
    }
}

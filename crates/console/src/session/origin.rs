//! Refuses writes from pages of other sites, in addition to the cookie's `SameSite=Lax`.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use url::Url;

use crate::error::{ApiError, ApiResult};

/// The origin under which browsers know the console.
#[derive(Clone, Debug)]
pub(crate) enum OwnOrigin {
    /// Configured: the public address.
    Public(String),
    /// The host of the request, by plain http.
    HostOfRequest,
}

impl OwnOrigin {
    /// The origin of the public address, if there is one.
    pub(crate) fn new(public_url: Option<&Url>) -> Self {
        public_url.map_or(Self::HostOfRequest, |url| Self::Public(url.origin().ascii_serialization()))
    }

    fn is(&self, origin: &str, headers: &HeaderMap) -> bool {
        match self {
            Self::Public(own) => origin == own,
            Self::HostOfRequest => {
                let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
                host.is_some_and(|host| {
                    origin.strip_prefix("http://").is_some_and(|named| named.eq_ignore_ascii_case(host))
                })
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
    if is_foreign(request.method(), request.headers(), &own) {
        return Err(ApiError::ForeignOrigin);
    }
    Ok(next.run(request).await)
}

fn is_foreign(method: &Method, headers: &HeaderMap, own: &OwnOrigin) -> bool {
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return false;
    }
    let site_is_foreign =
        headers.get_all("sec-fetch-site").iter().any(|site| !matches!(site.as_bytes(), b"same-origin" | b"none"));
    let origin_is_foreign = headers
        .get_all(header::ORIGIN)
        .iter()
        .any(|origin| !origin.to_str().is_ok_and(|origin| own.is(origin, headers)));
    site_is_foreign || origin_is_foreign
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, "127.0.0.1:8080".parse().unwrap());
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn writes_are_accepted_only_from_own_pages_and_non_browsers() {
        let own = OwnOrigin::new(None);
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
            assert_eq!(is_foreign(&Method::POST, &headers(pairs), &own), foreign, "{pairs:?}");
            assert!(!is_foreign(&Method::GET, &headers(pairs), &own), "reads are not looked at: {pairs:?}");
        }
    }

    #[test]
    fn public_address_is_the_only_own_origin() {
        let own = OwnOrigin::new(Some(&"https://console.example/".parse().unwrap()));
        let rows = [
            ("https://console.example", false),
            ("http://127.0.0.1:8080", true),
            ("https://console.example:444", true),
        ];
        for (origin, foreign) in rows {
            assert_eq!(is_foreign(&Method::DELETE, &headers(&[("origin", origin)]), &own), foreign, "{origin}");
        }
    }
}

//! Every path works below its service's prefix, with `.json` and with a trailing slash (docs/wire.md#requests, A-86, A-94).

use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::middleware::Next;
use axum::response::Response;

use super::error::{Error, Result};

const SERVICES: [&str; 5] = ["/user", "/device", "/rules", "/subscription", "/stream"];

/// Rewrites the path as in the route table.
pub(super) fn normalise(mut request: Request) -> Request {
    if let Some(uri) = normalised(request.uri()) {
        *request.uri_mut() = uri;
    }
    request
}

/// Rejects NUL in path and query: no name contains it, and PostgreSQL does not accept it in texts.
pub(super) async fn refuse_nul(request: Request, next: Next) -> Result<Response> {
    let nul = |text: &str| text.contains("%00");
    if nul(request.uri().path()) || request.uri().query().is_some_and(nul) {
        return Err(Error::MALFORMED);
    }
    Ok(next.run(request).await)
}

fn normalised(uri: &Uri) -> Option<Uri> {
    let path = canonical(uri.path());
    if path == uri.path() {
        return None;
    }
    let path = uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path).ok()?);
    Uri::from_parts(parts).ok()
}

fn canonical(path: &str) -> &str {
    let path = path.strip_suffix('/').unwrap_or(path);
    let path = path.strip_suffix(".json").unwrap_or(path);
    let below = SERVICES.iter().find_map(|service| path.strip_prefix(service).filter(|rest| rest.starts_with('/')));
    let path = below.unwrap_or(path);
    if path.is_empty() { "/" } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_of_a_path_lead_to_the_same_route() {
        let table = [
            ("/users/sign_in", "/users/sign_in"),
            ("/users/sign_in.json", "/users/sign_in"),
            ("/users/sign_in/", "/users/sign_in"),
            ("/users/sign_in.json/", "/users/sign_in"),
            ("/user/users/sign_in.json", "/users/sign_in"),
            ("/device/apiv1/dsns/A.json", "/apiv1/dsns/A"),
            ("/device/apiv1/dsns/A.json.json", "/apiv1/dsns/A.json"),
            ("/subscription/api/v1/subscriptions/7", "/api/v1/subscriptions/7"),
            ("/rules/rulesservice/v1/rules.json", "/rulesservice/v1/rules"),
            ("/stream", "/stream"),
            ("/stream/", "/stream"),
            ("/stream/stream", "/stream"),
            ("/users", "/users"),
            ("/", "/"),
            ("", "/"),
        ];
        for (path, expected) in table {
            assert_eq!(canonical(path), expected, "{path}");
        }
    }

    #[test]
    fn query_is_kept() {
        let uri: Uri = "/stream/stream?stream_key=a%2Fb".parse().unwrap();
        assert_eq!(normalised(&uri).unwrap(), "/stream?stream_key=a%2Fb");
    }
}

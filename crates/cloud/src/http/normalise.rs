//! Every path works below its service's prefix, with `.json` and with a trailing slash (docs/wire.md#requests, A-86, A-94).

use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::middleware::Next;
use axum::response::Response;
use percent_encoding::percent_decode_str;

use super::error::{Error, Result};

const SERVICES: [&str; 5] = ["/user", "/device", "/rules", "/subscription", "/stream"];

/// Rewrites the path as in the route table.
pub(super) fn normalise(mut request: Request) -> Request {
    if let Some(uri) = normalised(request.uri()) {
        *request.uri_mut() = uri;
    }
    request
}

/// Rejects paths and queries that are not UTF-8, or contain control characters: no name contains them, and PostgreSQL does not accept
/// NUL in texts.
pub(super) async fn refuse_unreadable(request: Request, next: Next) -> Result<Response> {
    if [request.uri().path(), request.uri().query().unwrap_or_default()].into_iter().all(is_readable) {
        Ok(next.run(request).await)
    } else {
        Err(Error::MALFORMED)
    }
}

/// A percent sign that encodes nothing stands for itself: clients send it as a wildcard.
fn is_readable(encoded: &str) -> bool {
    percent_decode_str(encoded).decode_utf8().is_ok_and(|text| !text.contains(char::is_control))
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
    fn control_characters_and_bytes_that_are_not_utf_8_are_rejected() {
        for (encoded, expected) in [
            ("/apiv1/dsns/A", true),
            ("names[]=%C3%A9&value=fan%", true),
            ("%zz%", true),
            ("a%00b", false),
            ("a%1B%5B31m", false),
            ("a%0D%0Ab", false),
            ("a%C2%85b", false),
            ("%ff%fe", false),
            ("%ED%A0%80", false),
        ] {
            assert_eq!(is_readable(encoded), expected, "{encoded}");
        }
    }

    #[test]
    fn query_is_kept() {
        let uri: Uri = "/stream/stream?stream_key=a%2Fb".parse().unwrap();
        assert_eq!(normalised(&uri).unwrap(), "/stream?stream_key=a%2Fb");
    }
}

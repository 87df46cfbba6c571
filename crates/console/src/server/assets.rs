//! The web application, built into the binary (development builds read web/dist from disk).

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};
use sha2::{Digest, Sha256};
use url::Url;

use super::preloads;
use crate::http::error::ApiError;
use crate::state::CoreState;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Web;

const INDEX: &str = "index.html";
const PRELOADS: &str = "preloads.json";
/// Files in this folder have a content hash in their names, so they can be cached forever.
const HASHED: &str = "assets/";
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
const REVALIDATE: &str = "no-cache";
const NONCE: &str = "__CSP_NONCE__";
/// Placeholder for the mailbox that the sign-in page of a demo links to; replaced by an empty text elsewhere.
const DEMO_MAILBOX: &str = "__DEMO_MAILBOX__";
/// Placeholder for the version of the web application.
const APP_VERSION: &str = "__APP_VERSION__";
/// Placeholder for the version of the program, which the About page shows.
const PROGRAM_VERSION: &str = "__PROGRAM_VERSION__";
/// The content encodings of the precompressed files, with their file extensions. Best first.
const ENCODINGS: [(&str, &str); 2] = [("br", "br"), ("gzip", "gz")];

/// The nonce of a response. Browsers apply only inline styles that carry it.
#[derive(Clone)]
pub(crate) struct Nonce(pub(crate) String);

/// The version of the web application. A page that sees a different one offers a reload.
pub(crate) fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let index = Web::get(INDEX).map_or(Cow::Borrowed([].as_slice()), |file| file.data);
        format!("{}-{}", env!("CARGO_PKG_VERSION"), &hex::encode(Sha256::digest(index))[..8])
    });
    &VERSION
}

/// Serves paths outside /api: a file of the application if there is one, otherwise its page, which has its own router.
pub(crate) async fn serve(
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    State(state): State<CoreState>,
    Extension(nonce): Extension<Nonce>,
) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) {
        return ApiError::MethodNotAllowed.into_response();
    }
    let path = uri.path().trim_start_matches('/');
    match Web::get(path) {
        Some(file) if path != INDEX => asset(path, &file, &headers),
        // A missing chunk gets 404, because a browser cannot use a page as a script.
        None if path.starts_with(HASHED) => ApiError::NotFound.into_response(),
        _ => {
            let mut response = page(&nonce, &state);
            if let Some(build) = Web::get(PRELOADS)
                && let Some(links) = preloads::header(&state, &uri, &headers, &build.data).await
            {
                response.headers_mut().insert(header::LINK, links);
            }
            response
        }
    }
}

fn page(Nonce(nonce): &Nonce, state: &CoreState) -> Response {
    match Web::get(INDEX) {
        Some(file) => {
            // URLs encode quotes and angle brackets, so this cannot end the attribute.
            let mailbox = state.demo_mailbox.as_ref().map_or("", Url::as_str);
            let html = String::from_utf8_lossy(&file.data)
                .replace(NONCE, nonce)
                .replace(DEMO_MAILBOX, mailbox)
                .replace(APP_VERSION, version())
                .replace(PROGRAM_VERSION, state.version);
            let html = state.maintenance.write_into(&html);
            let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
            (headers, html).into_response()
        }
        None => (StatusCode::SERVICE_UNAVAILABLE, "The web application has not been built.\n").into_response(),
    }
}

fn asset(path: &str, file: &EmbeddedFile, headers: &HeaderMap) -> Response {
    let cache = if path.starts_with(HASHED) { IMMUTABLE } else { REVALIDATE };
    let etag = format!("\"{}\"", hex::encode(&file.metadata.sha256_hash()[..16]));
    let mut answer = HeaderMap::new();
    for (name, value) in [(header::CACHE_CONTROL, cache), (header::VARY, "accept-encoding"), (header::ETAG, &etag)] {
        if let Ok(value) = value.parse() {
            answer.insert(name, value);
        }
    }
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, answer).into_response();
    }
    if let Ok(kind) = file.metadata.mimetype().parse() {
        answer.insert(header::CONTENT_TYPE, kind);
    }
    let twin = ENCODINGS.iter().filter(|(encoding, _)| accepts(headers, encoding)).find_map(|(encoding, ending)| {
        Web::get(&format!("{path}.{ending}")).map(|file| (HeaderValue::from_static(encoding), file.data))
    });
    match twin {
        Some((encoding, data)) => {
            answer.insert(header::CONTENT_ENCODING, encoding);
            (answer, data).into_response()
        }
        None => (answer, file.data.clone()).into_response(),
    }
}

fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|offer| {
            let mut parts = offer.split(';').map(str::trim);
            let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
            named
                && !parts.any(|parameter| {
                    matches!(parameter.replace(' ', "").as_str(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
                })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_file_is_sent_only_to_clients_that_accept_it() {
        let rows = [
            ("gzip, deflate, br", true),
            ("br;q=0.5", true),
            ("gzip", false),
            ("br;q=0", false),
            ("", false),
            ("brx", false),
        ];
        for (value, expected) in rows {
            let headers: HeaderMap = [(header::ACCEPT_ENCODING, value.parse().unwrap())].into_iter().collect();
            assert_eq!(accepts(&headers, "br"), expected, "{value:?}");
        }
    }
}

//! Address and browser of a request, as shown to people.

use std::convert::Infallible;
use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};

/// Address and browser from which a session is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientOrigin {
    /// The client's IP address, or that of an untrusted proxy before it.
    pub(crate) address: Option<String>,
    /// A recognised browser. Never the raw user agent, which may contain any text.
    pub(crate) browser: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for ClientOrigin {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Ok(Self {
            address: peer.map(|ConnectInfo(peer)| peer.ip().to_canonical().to_string()),
            browser: user_agent(&parts.headers).and_then(browser),
        })
    }
}

fn user_agent(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::USER_AGENT)?.to_str().ok()
}

/// The token and name of each browser. The order matters: a user agent contains the tokens of browsers further down.
const BROWSERS: [(&str, &str); 10] = [
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// The token and name of each system, in the same way.
const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// 'Chrome on Windows'; `None` for an unknown browser.
fn browser(user_agent: &str) -> Option<String> {
    let named = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    let browser = named(&BROWSERS)?;
    Some(match named(&SYSTEMS) {
        Some(system) => format!("{browser} on {system}"),
        None => browser.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browser_is_recognised_by_its_distinctive_token() {
        let windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)";
        let iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
        let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";
        let android = "Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 (KHTML, like Gecko)";
        let rows = [
            (format!("{windows} Chrome/143.0 Safari/537.36"), Some("Chrome on Windows")),
            (format!("{windows} Chrome/143.0 Safari/537.36 Edg/143.0"), Some("Edge on Windows")),
            (format!("{windows} Chrome/143.0 Safari/537.36 OPR/120.0"), Some("Opera on Windows")),
            (format!("{iphone} Version/19.0 Mobile/15E148 Safari/604.1"), Some("Safari on iPhone")),
            (format!("{iphone} CriOS/143.0 Mobile/15E148 Safari/604.1"), Some("Chrome on iPhone")),
            (format!("{mac} Version/19.0 Safari/605.1.15"), Some("Safari on macOS")),
            (
                format!("{android} SamsungBrowser/28.0 Chrome/143.0 Mobile Safari/537.36"),
                Some("Samsung Internet on Android"),
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0".to_owned(),
                Some("Firefox on Linux"),
            ),
            ("Firefox/145.0".to_owned(), Some("Firefox")),
            ("curl/8.17.0".to_owned(), None),
            ("<script>alert(1)</script>".to_owned(), None),
            (String::new(), None),
        ];
        for (user_agent, expected) in rows {
            assert_eq!(browser(&user_agent).as_deref(), expected, "{user_agent}");
        }
    }
}

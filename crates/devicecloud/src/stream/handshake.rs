//! The opening handshake of a WebSocket (RFC 6455, section 4.1).

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use http::header::{
    CONNECTION, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_EXTENSIONS, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use sha1_smol::Sha1;

use crate::clock::random;

const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// A random `Sec-WebSocket-Key`.
pub(super) struct Key(String);

impl Key {
    pub(super) fn random() -> Self {
        Self(BASE64_STANDARD.encode([random().to_le_bytes(), random().to_le_bytes()].concat()))
    }

    /// Adds the headers of the request.
    pub(super) fn add_headers(&self, headers: &mut HeaderMap) {
        let key = HeaderValue::from_str(&self.0).unwrap_or_else(|_| HeaderValue::from_static(""));
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        headers.insert(SEC_WEBSOCKET_KEY, key);
    }

    /// Whether these are the headers of a server that accepts this handshake, which offered no extension and no
    /// subprotocol.
    pub(super) fn is_accepted_by(&self, headers: &HeaderMap) -> bool {
        let lists = |name, token: &str| {
            let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
            values.flat_map(|value| value.split(',')).any(|listed| listed.trim().eq_ignore_ascii_case(token))
        };
        lists(CONNECTION, "upgrade")
            && lists(UPGRADE, "websocket")
            && headers.get(SEC_WEBSOCKET_ACCEPT).is_some_and(|accept| accept.as_bytes() == self.accept().as_bytes())
            && !headers.contains_key(SEC_WEBSOCKET_EXTENSIONS)
            && !headers.contains_key(SEC_WEBSOCKET_PROTOCOL)
    }

    fn accept(&self) -> String {
        BASE64_STANDARD.encode(Sha1::from(format!("{}{GUID}", self.0)).digest().bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the RFC.
    fn key() -> Key {
        Key("dGhlIHNhbXBsZSBub25jZQ==".to_owned())
    }

    fn response(headers: &[(&'static str, &'static str)]) -> HeaderMap {
        headers.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    const ACCEPT: (&str, &str) = ("sec-websocket-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");

    #[test]
    fn only_the_response_to_the_key_is_accepted() {
        let table: [(&[_], bool); 9] = [
            (&[("connection", "Upgrade"), ("upgrade", "websocket"), ACCEPT], true),
            (&[("connection", "keep-alive, upgrade"), ("upgrade", "WebSocket"), ACCEPT], true),
            (&[("upgrade", "websocket"), ACCEPT], false),
            (&[("connection", "Upgrade"), ACCEPT], false),
            (&[("connection", "Upgrade"), ("upgrade", "h2c"), ACCEPT], false),
            (&[("connection", "Upgrade"), ("upgrade", "websocket")], false),
            (&[("connection", "Upgrade"), ("upgrade", "websocket"), ("sec-websocket-accept", "AAAA")], false),
            (&[("connection", "Upgrade"), ("upgrade", "websocket"), ACCEPT, ("sec-websocket-extensions", "x")], false),
            (&[("connection", "Upgrade"), ("upgrade", "websocket"), ACCEPT, ("sec-websocket-protocol", "x")], false),
        ];
        for (headers, expected) in table {
            assert_eq!(key().is_accepted_by(&response(headers)), expected, "{headers:?}");
        }
    }

    #[test]
    fn every_key_is_16_new_bytes() {
        let (first, second) = (Key::random(), Key::random());
        assert_ne!(first.0, second.0);
        assert_eq!(BASE64_STANDARD.decode(first.0).unwrap().len(), 16);
    }
}

//! Addresses to listen on, as options give them.

use std::net::{SocketAddr, ToSocketAddrs};

/// `HOST:PORT` with an address or a name. Of a name's addresses the first IPv4 one is taken, as `127.0.0.1` of `localhost`,
/// otherwise the first.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let resolved = text.to_socket_addrs().map_err(|error| format!("not an address such as 127.0.0.1:8080: {error}"))?;
    let addresses: Vec<SocketAddr> = resolved.collect();
    let address = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    address.copied().ok_or_else(|| "the name has no address".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_host_names_are_parsed() {
        for (text, expected) in [
            ("127.0.0.1:8081", "127.0.0.1:8081"),
            ("[::1]:0", "[::1]:0"),
            ("0.0.0.0:80", "0.0.0.0:80"),
            ("localhost:8081", "127.0.0.1:8081"),
        ] {
            assert_eq!(address(text), Ok(expected.parse().unwrap()), "{text}");
        }
        for text in ["", "8081", "localhost", "localhost:", "localhost:65536", "127.0.0.1"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}

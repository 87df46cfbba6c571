//! Parses listen addresses from command line options.

use std::net::{SocketAddr, ToSocketAddrs};

/// Resolves `HOST:PORT`, where the host is an address or a name. Prefers a name's first IPv4 address, as `127.0.0.1` for
/// `localhost`.
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

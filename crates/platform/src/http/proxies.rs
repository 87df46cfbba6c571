//! Finds the client's address behind trusted proxies, for limits, sessions and the audit.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::Response;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The header that continues a trace (W3C Trace Context).
pub(crate) const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// One proxy or a network of them, such as `10.0.0.7` or `10.0.0.0/8`. Its forwarding header is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedProxy(IpNet);

/// The text is neither an address nor a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an IP address such as 10.0.0.7, or a network such as 10.0.0.0/8")]
pub struct NoNetwork;

impl FromStr for TrustedProxy {
    type Err = NoNetwork;

    fn from_str(text: &str) -> Result<Self, NoNetwork> {
        let network = text.parse::<IpNet>().ok();
        network.or_else(|| Some(IpNet::from(text.parse::<IpAddr>().ok()?.to_canonical()))).map(Self).ok_or(NoNetwork)
    }
}

impl TrustedProxy {
    /// The machine itself.
    pub const LOOPBACK: [Self; 2] = [
        Self(IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8))),
        Self(IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128))),
    ];
}

/// Whether this is the address of a trusted proxy.
#[must_use]
pub fn is_trusted(trusted: &[TrustedProxy], address: IpAddr) -> bool {
    let address = address.to_canonical();
    trusted.iter().any(|TrustedProxy(network)| network.contains(&address))
}

/// Middleware that replaces the proxy's address with the client's, and drops the trace of clients: only a proxy may continue its own.
pub async fn see_through(State(trusted): State<Arc<[TrustedProxy]>>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer);
    if !peer.is_some_and(|peer| is_trusted(&trusted, peer.ip())) {
        request.headers_mut().remove(TRACE_PARENT);
    }
    if let Some(peer) = peer {
        let address = client(&trusted, peer.ip(), request.headers());
        if address != peer.ip() {
            // The client's port is unknown.
            request.extensions_mut().insert(ConnectInfo(SocketAddr::new(address, 0)));
        }
    }
    next.run(request).await
}

/// The last address in the chain that is not a trusted proxy. Earlier entries of the header may be forged.
fn client(trusted: &[TrustedProxy], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    // From the end, and only as long as entries come from trusted proxies.
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    let mut hops = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
    let mut address = peer.to_canonical();
    while is_trusted(trusted, address) {
        // An invalid entry ends the chain at the proxy that added it.
        let Some(before) = hops.next().and_then(read) else { break };
        address = before;
    }
    address
}

/// Some proxies add the port, some put IPv6 into brackets even without one.
fn read(hop: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(hop).ok()?.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn seen(trusted: &[&str], peer: &str, lines: &[&str]) -> String {
        let trusted: Vec<TrustedProxy> = trusted.iter().map(|text| text.parse().unwrap()).collect();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        client(&trusted, peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn client_is_the_last_hop_that_is_not_a_trusted_proxy() {
        let (proxy, client) = ("10.0.0.7", "203.0.113.9");
        let rows: [(&[&str], &str, &[&str], &str); 14] = [
            (&[], proxy, &["203.0.113.9"], proxy),
            (&["10.0.0.7"], proxy, &[], proxy),
            (&["10.0.0.7"], proxy, &["203.0.113.9"], client),
            (&["10.0.0.7"], "10.0.0.8", &["203.0.113.9"], "10.0.0.8"),
            // Entries that a client forges come before the entry that the proxy adds.
            (&["10.0.0.0/8"], proxy, &["198.51.100.1, 203.0.113.9, 10.1.2.3"], client),
            (&["10.0.0.0/8"], proxy, &["198.51.100.1", "203.0.113.9"], client),
            (&["10.0.0.0/8"], proxy, &["203.0.113.9:4711"], client),
            (&["10.0.0.0/8"], proxy, &["10.9.9.9"], "10.9.9.9"),
            (&["10.0.0.0/8"], "::ffff:10.0.0.7", &["::ffff:203.0.113.9"], client),
            (&["::ffff:10.0.0.7"], proxy, &["203.0.113.9"], client),
            (&["10.0.0.0/8"], proxy, &["198.51.100.1", "", "203.0.113.9"], client),
            (&["fd00::/8", "10.0.0.7"], "fd00::1", &["[2001:db8::5]:443, 10.0.0.7"], "2001:db8::5"),
            (&["fd00::/8"], "fd00::1", &["[2001:db8::5]"], "2001:db8::5"),
            (&["fd00::/8"], "fd00::1", &["2001:db8::5"], "2001:db8::5"),
        ];
        for (trusted, peer, lines, expected) in rows {
            assert_eq!(seen(trusted, peer, lines), expected, "{trusted:?} {peer} {lines:?}");
        }
    }

    #[test]
    fn invalid_forwarded_address_ends_the_chain() {
        let long = "9".repeat(10_000);
        let hops =
            ["", " ", "unknown", "_hidden", "203.0.113", "203.0.113.9:", "203.0.113.9:99999", "[", "[]", "[::1", "é"];
        for hop in hops.into_iter().chain([long.as_str()]) {
            let line = format!("198.51.100.1, {hop}");
            assert_eq!(seen(&["10.0.0.0/8"], "10.0.0.7", &[&line]), "10.0.0.7", "{hop}");
        }
        let invented = format!("{}203.0.113.9", "10.1.1.1, ".repeat(5_000));
        assert_eq!(seen(&["10.0.0.0/8"], "10.0.0.7", &[&invented]), "203.0.113.9");
        assert_eq!(seen(&["10.0.0.0/8"], "192.0.2.1", &[&invented]), "192.0.2.1");
    }

    #[test]
    fn only_addresses_and_networks_are_proxies() {
        for text in ["", "proxy.example", "10.0.0.0/33", "10.0.0", "10.0.0.7/", "*"] {
            assert_eq!(text.parse::<TrustedProxy>(), Err(NoNetwork), "{text}");
        }
    }
}

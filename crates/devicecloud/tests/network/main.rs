//! Calls, file transfers and streams use the same network: proxy, certificate authorities, user agent and headers.
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

mod authority;
mod cloud;
mod environment;
mod http2;
mod proxy;

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use authority::Authority;
use cloud::Cloud;
use devicecloud::{
    Authorization, BoxFuture, Client, ClientBuilder, Clock, Config, Connect, Connection, ErrorKind, Jitter,
    MemoryTokenStore, Outcome,
};
use futures::TryStreamExt;
use proxy::Proxy;
use rustls::crypto::CryptoProvider;
use tokio::net::{TcpListener, TcpStream};

/// Only the proxy resolves this name.
const CLOUD: &str = "https://cloud.test";
const AGENT: &str = "measuring-van/7";
/// `jo:5ec2e7`, as a proxy gets it.
const CREDENTIALS: &str = "proxy-authorization: basic am86nwvjmmu3";

fn builder(base: &str) -> ClientBuilder {
    let store = MemoryTokenStore::with(Authorization {
        access_token: "token".into(),
        refresh_token: "refresh".into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: Clock::system().now(),
    });
    Client::builder(Config::local(base, "app", "secret").unwrap(), Arc::new(store))
}

async fn loopback() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

/// Reads a profile and a file, and connects a stream.
async fn use_everything(client: &Client) {
    client.users().profile().await.unwrap();
    let chunks = client.files().download("/apiv1/datapoints/7.json").await.unwrap();
    assert_eq!(chunks.try_collect::<Vec<_>>().await.unwrap().concat(), b"content");
    #[cfg(feature = "stream")]
    {
        let mut subscription = devicecloud::Subscription::default();
        subscription.stream_key = "key".into();
        let mut stream = client.stream(&subscription);
        assert!(matches!(stream.next().await, Some(devicecloud::StreamEvent::Connected)));
    }
}

/// The paths, with whether the application's header is sent.
fn expected_requests() -> Vec<(&'static str, bool)> {
    let mut expected = vec![
        ("/user/users/get_user_profile.json", true),
        ("/device/apiv1/datapoints/7.json", true),
        // The URL of a file may belong to another host.
        ("/files/7", false),
        ("/device/apiv1/datapoints/7.json", true),
    ];
    if cfg!(feature = "stream") {
        expected.push(("/stream/stream", true));
    }
    expected
}

#[tokio::test]
async fn everything_goes_through_the_proxy_with_the_set_roots_agent_and_headers() {
    let authority = Authority::new();
    for scheme in ["http", "https"] {
        let (cloud, address) = Cloud::start(authority.listen("cloud.test").await).await;
        let (proxy, port) = match scheme {
            "http" => Proxy::start(loopback().await, Ok(address)),
            _ => Proxy::start(authority.listen("localhost").await, Ok(address)),
        };
        let client = builder(CLOUD)
            .proxy(format!("{scheme}://jo:5ec2e7@localhost:{port}"))
            .root_certificates(authority.pem())
            .no_platform_roots()
            .user_agent(AGENT)
            .header("x-tenant", "blue")
            .build()
            .unwrap();
        use_everything(&client).await;

        let seen = cloud.seen();
        let paths: Vec<_> = seen.iter().map(|seen| (&*seen.path, seen.headers.contains_key("x-tenant"))).collect();
        assert_eq!(paths, expected_requests(), "{scheme}");
        assert!(seen.iter().all(|seen| seen.headers["user-agent"] == AGENT), "{seen:?}");
        let tunnels = proxy.seen();
        assert!(tunnels.len() >= if cfg!(feature = "stream") { 2 } else { 1 }, "{tunnels:?}");
        for head in tunnels {
            assert!(head.starts_with("connect cloud.test:443 "), "{head}");
            assert!(head.contains(CREDENTIALS) && head.contains(&format!("user-agent: {AGENT}\r\n")), "{head}");
        }
    }
    assert!(CryptoProvider::get_default().is_none(), "the library installs nothing for the process");
}

/// Ignores the address and connects to this one.
struct Detour {
    to: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Connect for Detour {
    fn connect(&self, host: String, port: u16) -> BoxFuture<'static, io::Result<Box<dyn Connection>>> {
        self.asked.lock().unwrap().push(format!("{host}:{port}"));
        let to = self.to;
        Box::pin(async move { Ok(Box::new(TcpStream::connect(to).await?) as Box<dyn Connection>) })
    }
}

#[tokio::test]
async fn everything_uses_the_connector_of_the_application() {
    let authority = Authority::new();
    let (cloud, address) = Cloud::start(authority.listen("cloud.test").await).await;
    let (proxy, port) = Proxy::start(loopback().await, Ok(address));
    let proxy_address = SocketAddr::from(([127, 0, 0, 1], port));
    for (to, by_proxy, expected) in [(address, false, "cloud.test:443"), (proxy_address, true, "proxy.test:3128")] {
        let asked = Arc::<Mutex<Vec<_>>>::default();
        let builder = builder(CLOUD).connector(Detour { to, asked: Arc::clone(&asked) });
        let builder = if by_proxy { builder.proxy("http://proxy.test:3128") } else { builder.no_proxy() };
        use_everything(&builder.root_certificates(authority.pem()).no_platform_roots().build().unwrap()).await;
        let asked = asked.lock().unwrap();
        assert!(asked.len() >= if cfg!(feature = "stream") { 2 } else { 1 }, "{asked:?}");
        assert!(asked.iter().all(|asked| asked == expected), "{asked:?}");
    }
    assert_eq!(cloud.seen().len(), 2 * expected_requests().len());
    assert!(!proxy.seen().is_empty());
}

#[tokio::test]
async fn unknown_authority_is_a_network_error() {
    let (trusted, unknown) = (Authority::new(), Authority::new());
    let (cloud, address) = Cloud::start(unknown.listen("cloud.test").await).await;
    let (proxy, port) = Proxy::start(loopback().await, Ok(address));
    let builder = builder(CLOUD).proxy(format!("http://localhost:{port}")).root_certificates(trusted.pem());
    let client = builder.no_platform_roots().build().unwrap();
    let error = client.users().without_retry().profile().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert!(error.message().contains("certificate"), "{error}");
    assert_eq!((cloud.seen().len(), proxy.seen().len()), (0, 1));
}

#[tokio::test]
async fn refusal_by_the_proxy_is_a_network_error_without_its_credentials() {
    let authority = Authority::new();
    for status in ["407 Proxy Authentication Required", "403 Forbidden"] {
        let (_, port) = Proxy::start(loopback().await, Err(status));
        let builder = builder(CLOUD).proxy(format!("http://jo:5ec2e7@localhost:{port}"));
        let client = builder.root_certificates(authority.pem()).no_platform_roots().build().unwrap();
        let error = client.users().without_retry().profile().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Network, "{status}");
        let text = format!("{error} {error:?}");
        assert!(text.contains("tunnel") && !text.contains("5ec2e7"), "{text}");
    }
}

#[tokio::test]
async fn loopback_hosts_are_reached_directly() {
    let authority = Authority::new();
    let (cloud, address) = Cloud::start(loopback().await).await;
    let (proxy, port) = Proxy::start(loopback().await, Err("500 Unused"));
    for host in ["127.0.0.1", "localhost"] {
        let base = format!("http://{host}:{}", address.port());
        let builder = builder(&base).proxy(format!("http://localhost:{port}")).root_certificates(authority.pem());
        builder.no_platform_roots().build().unwrap().users().profile().await.unwrap();
    }
    assert_eq!((cloud.seen().len(), proxy.seen().len()), (2, 0));
    assert_eq!(cloud.seen()[0].headers["user-agent"], concat!("devicecloud/", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn headers_per_request_are_read_per_attempt_and_do_not_override_library_headers() {
    let (cloud, address) = Cloud::start(loopback().await).await;
    let base = format!("http://{address}");
    let numbers = AtomicU32::new(0);
    let numbered = builder(&base).headers_per_request(move || {
        let number = numbers.fetch_add(1, Ordering::Relaxed).to_string();
        vec![("x-number".to_owned(), number), ("Accept".to_owned(), "text/html".to_owned())]
    });
    let client = numbered.build().unwrap();
    for number in ["0", "1"] {
        client.users().profile().await.unwrap();
        let headers = cloud.seen().last().unwrap().headers.clone();
        assert_eq!(headers["x-number"], number);
        assert_eq!(headers["accept"], "application/json");
    }
    let invalid = builder(&base).headers_per_request(|| vec![("two words".to_owned(), "x".to_owned())]);
    let error = invalid.build().unwrap().users().profile().await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, "Invalid header"));
    assert_eq!(cloud.seen().len(), 2);
}

#[test]
fn invalid_network_settings_are_rejected() {
    let garbled = "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n";
    let table: [(&str, ClientBuilder); 11] = [
        ("Invalid proxy address", builder(CLOUD).proxy("")),
        ("Invalid proxy address", builder(CLOUD).proxy("proxy.example.com:3128")),
        ("Invalid proxy address", builder(CLOUD).proxy("socks5://proxy.example.com")),
        ("Invalid proxy address", builder(CLOUD).proxy("http://")),
        ("Invalid proxy address", builder(CLOUD).proxy(format!("http://{}", "x".repeat(100_000)))),
        ("Invalid root certificates", builder(CLOUD).root_certificates("")),
        ("Invalid root certificates", builder(CLOUD).root_certificates("no certificate")),
        ("Invalid root certificates", builder(CLOUD).root_certificates(garbled)),
        ("Invalid root certificates", builder(CLOUD).root_certificates(vec![0xff; 100_000])),
        ("Invalid header", builder(CLOUD).user_agent("two\nlines")),
        ("Invalid header", builder(CLOUD).header("two words", "x")),
    ];
    for (message, builder) in table {
        let error = builder.build().unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, message));
    }
}

/// A host that does not answer at all, or accepts connections and is silent then.
#[derive(Clone, Default)]
struct Silent {
    accepts: bool,
    accepted: Arc<Mutex<Vec<tokio::io::DuplexStream>>>,
}

impl Connect for Silent {
    fn connect(&self, _: String, _: u16) -> BoxFuture<'static, io::Result<Box<dyn Connection>>> {
        if !self.accepts {
            return Box::pin(std::future::pending());
        }
        let (near, far) = tokio::io::duplex(65_536);
        self.accepted.lock().unwrap().push(far);
        Box::pin(async { Ok(Box::new(near) as Box<dyn Connection>) })
    }
}

#[tokio::test(start_paused = true)]
async fn connection_that_is_not_opened_in_time_has_sent_nothing() {
    // TCP does not connect, then TLS does not.
    for accepts in [false, true] {
        for (limit, expected) in [(None, 5), (Some(2), 2)] {
            let silent = Silent { accepts, ..Silent::default() };
            let client = builder(CLOUD).connector(silent).no_proxy().jitter(Jitter::fixed(0.0));
            let client = match limit {
                Some(seconds) => client.connect_timeout(Duration::from_secs(seconds)).build().unwrap(),
                None => client.build().unwrap(),
            };
            let started_at = tokio::time::Instant::now();
            let error = client.datapoints().create("DEV-1", "intensity", 30).send().await.unwrap_err();
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Network, Outcome::NotSent), "{error}");
            assert!(error.is_retryable() && error.message().contains("could not be opened in time"), "{error}");
            assert_eq!(started_at.elapsed().as_secs(), expected, "a write is not repeated");
            let error = client.users().profile().await.unwrap_err();
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Network, Outcome::NotSent), "{error}");
            assert_eq!(started_at.elapsed().as_secs(), expected * 4, "a read is attempted three times");
        }
    }
}

//! Proxies that environment variables name. They apply to the whole process, so that each case is a process of its own.

use std::process::Command;

use super::*;

const PROXY: &str = "http://jo:5ec2e7@proxy.test:3128";
const BY_PROXY: &str = "proxy.test:3128";
const DIRECT: &str = "cloud.test:443";
/// The variable by which this test tells its processes where they must connect to for calls, and for a file of
/// this machine, which no proxy can reach.
const EXPECTED: &str = "EXPECTED_CONNECTIONS";
const TEST: &str = "environment::variables_name_the_proxy_and_exceptions";

type Variables = &'static [(&'static str, &'static str)];

#[tokio::test]
async fn variables_name_the_proxy_and_exceptions() {
    if let Ok(expected) = std::env::var(EXPECTED) {
        let (calls, file) = expected.split_once(' ').unwrap();
        return assert_connections(calls, file).await;
    }
    let plain = "0.0.0.0:80";
    let table: [(Variables, &str, &str); 11] = [
        (&[], DIRECT, plain),
        (&[("HTTPS_PROXY", PROXY)], BY_PROXY, plain),
        (&[("https_proxy", PROXY)], BY_PROXY, plain),
        (&[("HTTP_PROXY", PROXY)], DIRECT, plain),
        (&[("http_proxy", PROXY)], DIRECT, plain),
        (&[("ALL_PROXY", PROXY)], BY_PROXY, plain),
        (&[("all_proxy", PROXY), ("NO_PROXY", "cloud.test")], DIRECT, plain),
        (&[("ALL_PROXY", PROXY), ("no_proxy", "10.0.0.0/8,.test")], DIRECT, plain),
        (&[("ALL_PROXY", PROXY), ("NO_PROXY", "*")], DIRECT, plain),
        (&[("ALL_PROXY", PROXY), ("NO_PROXY", "other.test, example.com")], BY_PROXY, plain),
        (&[("HTTPS_PROXY", ""), ("HTTP_PROXY", "no address")], DIRECT, plain),
    ];
    for (variables, calls, file) in table {
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args(["--exact", TEST]).env_clear().envs(variables.iter().copied());
        let output = process.env(EXPECTED, format!("{calls} {file}")).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{variables:?}: {text}");
    }
}

/// Whatever the variables say, settings of the client take precedence.
async fn assert_connections(calls: &str, file: &str) {
    let authority = Authority::new();
    let (_, address) = Cloud::start(authority.listen("cloud.test").await).await;
    let (proxy, port) = Proxy::start(loopback().await, Ok(address));
    let proxy_address = SocketAddr::from(([127, 0, 0, 1], port));
    let connect = |set: fn(ClientBuilder) -> ClientBuilder, to| {
        let asked = Arc::<Mutex<Vec<_>>>::default();
        let builder = set(builder(CLOUD)).connector(Detour { to, asked: Arc::clone(&asked) });
        (builder.root_certificates(authority.pem()).no_platform_roots().build().unwrap(), asked)
    };
    let to = |expected| if expected == BY_PROXY { proxy_address } else { address };

    let (client, asked) = connect(|builder| builder, to(calls));
    use_everything(&client).await;
    assert!(asked.lock().unwrap().iter().all(|asked| asked == calls), "{asked:?}");
    assert_eq!(!proxy.seen().is_empty(), calls == BY_PROXY);
    assert!(proxy.seen().iter().all(|head| head.contains(CREDENTIALS)), "{:?}", proxy.seen());

    // No server for files is there: what counts is the address.
    drop(client.files().download("/apiv1/datapoints/8.json").await);
    assert_eq!(asked.lock().unwrap().last().unwrap(), file);

    let (client, asked) = connect(ClientBuilder::no_proxy, address);
    use_everything(&client).await;
    assert!(asked.lock().unwrap().iter().all(|asked| asked == DIRECT), "{asked:?}");
    let (client, asked) = connect(|builder| builder.proxy("http://set.test:8080"), proxy_address);
    use_everything(&client).await;
    assert!(asked.lock().unwrap().iter().all(|asked| asked == "set.test:8080"), "{asked:?}");
}

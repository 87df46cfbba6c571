//! Cloud and console with certificates: every listener serves TLS, and takes up renewed files while it runs.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

#[path = "support/console.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod console;
#[path = "setup/process.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod process;
#[expect(dead_code, reason = "shared with other tests")]
mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use console::{ANY, Access, Secrets};
use process::{Process, field};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use reqwest::Version;
use reqwest::header::{COOKIE, ORIGIN, SET_COOKIE, STRICT_TRANSPORT_SECURITY};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use support::Demo;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A certificate authority, and the files of the certificate that it issued last.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    root: PathBuf,
    certificate: PathBuf,
    key: PathBuf,
}

impl Authority {
    fn new(folder: &Path) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "An authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let [root, certificate, key] = ["ca.pem", "node.pem", "node.key"].map(|name| folder.join(name));
        std::fs::write(&root, issuer.pem()).unwrap();
        let authority = Self { issuer, root, certificate, key };
        authority.issue();
        authority
    }

    /// Replaces the certificate and its key.
    fn issue(&self) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["127.0.0.1".into()]).unwrap();
        std::fs::write(&self.certificate, params.signed_by(&key, &self.issuer).unwrap().pem()).unwrap();
        std::fs::write(&self.key, key.serialize_pem()).unwrap();
    }

    fn options<'a>(&'a self, [certificate, key]: [&'a str; 2]) -> [&'a str; 4] {
        [certificate, self.certificate.to_str().unwrap(), key, self.key.to_str().unwrap()]
    }

    /// The certificate that a listener presents now.
    async fn presented(&self, url: &str) -> Vec<u8> {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).unwrap();
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let tcp = TcpStream::connect(url.split("://").nth(1).unwrap()).await.unwrap();
        let tls = TlsConnector::from(Arc::new(config)).connect("127.0.0.1".try_into().unwrap(), tcp).await.unwrap();
        tls.get_ref().1.peer_certificates().unwrap()[0].to_vec()
    }

    fn client(&self) -> reqwest::Client {
        let root = reqwest::Certificate::from_pem(&std::fs::read(&self.root).unwrap()).unwrap();
        reqwest::Client::builder().tls_certs_only([root]).build().unwrap()
    }
}

fn sqlite(folder: &Path, name: &str) -> String {
    format!("sqlite:{}", folder.join(name).display())
}

fn start_cloud(folder: &Path, authority: &Authority) -> Process {
    let database = sqlite(folder, "cloud.db");
    let listeners = ["cloud", "--database", &database, "--listen", ANY, "--no-plain-mqtt", "--mqtts-listen", ANY];
    let certificates = [["--tls-cert", "--tls-key"], ["--mqtts-cert", "--mqtts-key"]].map(|it| authority.options(it));
    Process::start(&[&listeners[..], certificates.as_flattened()].concat(), &[])
}

fn start_console(folder: &Path, authority: &Authority, cloud: &str, access: &Access) -> Process {
    let secrets = Secrets::write(folder, &access.app_secret, &access.password, &access.token_key);
    let secrets: Vec<String> = secrets.arguments().flatten().collect();
    let database = sqlite(folder, "console.db");
    // The address is public without --insecure-http.
    let mut arguments = vec!["console", "--database", &database, "--listen", "0.0.0.0:0", "--cloud", cloud];
    arguments.extend(["--app-id", &access.app_id, "--service-email", &access.email]);
    arguments.extend(secrets.iter().map(String::as_str));
    arguments.extend(authority.options(["--tls-cert", "--tls-key"]));
    Process::start(&arguments, &[("SSL_CERT_FILE", authority.root.to_str().unwrap())])
}

#[tokio::test]
async fn listeners_serve_tls_and_take_up_renewed_certificates() {
    ring::default_provider().install_default().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let demo = Demo::start(folder.path(), &[]);
    let admin = demo.ready()["accounts"][0].clone();
    let access = Access::of_demo(folder.path());
    assert!(demo.stop().success());

    let authority = Authority::new(folder.path());
    let cloud = start_cloud(folder.path(), &authority);
    let ready = cloud.line(&["the cloud is ready"]);
    let (cloud_url, link) = (field(&ready, "cloud"), field(&ready, "mqtts"));
    assert!(cloud_url.starts_with("https://127.0.0.1:"), "{ready}");
    let console = start_console(folder.path(), &authority, cloud_url, &access);
    let console_url = field(&console.line(&["the console is listening"]), "console").replace("0.0.0.0", "127.0.0.1");
    assert!(console_url.starts_with("https://127.0.0.1:"), "{console_url}");
    // The index is filled by calls to the cloud, over its TLS.
    console.line(&["the console is ready"]);

    let sign_in = async || {
        let call = authority.client().post(format!("{console_url}/api/session")).header(ORIGIN, &console_url);
        let answer = call.json(&json!({"email": admin["email"], "password": admin["password"]})).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.version()), (200, Version::HTTP_2));
        assert!(answer.headers().contains_key(STRICT_TRANSPORT_SECURITY));
        answer.headers()[SET_COOKIE].to_str().unwrap().to_owned()
    };
    let cookie = sign_in().await;
    assert!(cookie.starts_with("__Host-sillage=") && cookie.contains("; Secure"), "{cookie}");
    let list = authority.client().get(format!("{console_url}/api/devices"));
    let list: Value =
        list.header(COOKIE, cookie.split(';').next().unwrap()).send().await.unwrap().json().await.unwrap();
    assert_eq!(list["total"], 12);
    let plain = authority.client().get(console_url.replace("https", "http")).send().await;
    assert!(plain.is_err(), "plain http is not served");
    let stranger = authority.client().post(format!("{console_url}/api/session")).header(ORIGIN, "https://evil.example");
    assert_eq!(stranger.json(&json!({})).send().await.unwrap().status(), 403);

    let listeners = [(&cloud, "https", cloud_url), (&cloud, "mqtts", link), (&console, "https", &*console_url)];
    let first = authority.presented(cloud_url).await;
    authority.issue();
    for (process, listener, url) in listeners {
        process.line(&["INFO", "the certificate was renewed", listener]);
        assert_ne!(authority.presented(url).await, first, "{listener}");
    }

    let second = authority.presented(cloud_url).await;
    std::fs::write(&authority.key, "half a k").unwrap();
    for (process, listener, url) in listeners {
        let warning = process.line(&["ERROR", "keeps its old certificate", listener]);
        assert!(warning.contains("node.key") && !warning.contains("half"), "{warning}");
        assert_eq!(authority.presented(url).await, second, "{listener}");
    }
    sign_in().await;
}

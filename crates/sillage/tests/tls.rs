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

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use console::{ANY, Access, Secrets};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use platform::run::clock::Clock;
use process::{Process, field};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use reqwest::Version;
use reqwest::header::{COOKIE, ORIGIN, SET_COOKIE, STRICT_TRANSPORT_SECURITY};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use support::{Demo, page};
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
        fs::write(&root, issuer.pem()).unwrap();
        let authority = Self { issuer, root, certificate, key };
        authority.issue();
        authority
    }

    /// Replaces the certificate and its key.
    fn issue(&self) {
        self.issue_for(365);
    }

    /// Replaces the certificate and its key by one that ends at the midnight after this many days, and returns its end.
    fn issue_for(&self, days: i64) -> Timestamp {
        let end = (Clock::system().now() + SignedDuration::from_hours(24 * days)).to_zoned(TimeZone::UTC).date();
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["127.0.0.1".into()]).unwrap();
        let [year, month, day] = [i32::from(end.year()), i32::from(end.month()), i32::from(end.day())];
        params.not_after = date_time_ymd(year, u8::try_from(month).unwrap(), u8::try_from(day).unwrap());
        fs::write(&self.certificate, params.signed_by(&key, &self.issuer).unwrap().pem()).unwrap();
        fs::write(&self.key, key.serialize_pem()).unwrap();
        end.to_zoned(TimeZone::UTC).unwrap().timestamp()
    }

    fn issue_expired(&self) {
        self.issue_for(-10);
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
        let root = reqwest::Certificate::from_pem(&fs::read(&self.root).unwrap()).unwrap();
        reqwest::Client::builder().tls_certs_only([root]).build().unwrap()
    }
}

fn sqlite(folder: &Path, name: &str) -> String {
    format!("sqlite:{}", folder.join(name).display())
}

fn start_cloud(folder: &Path, authority: &Authority) -> Process {
    let database = sqlite(folder, "cloud.db");
    let listeners = ["cloud", "--database", &database, "--listen", ANY, "--metrics-listen", ANY, "--no-plain-mqtt"];
    let listeners = [&listeners[..], &["--mqtts-listen", ANY]].concat();
    let certificates = [["--tls-cert", "--tls-key"], ["--mqtts-cert", "--mqtts-key"]].map(|it| authority.options(it));
    Process::start(&[&listeners[..], certificates.as_flattened()].concat(), &[])
}

fn start_console(folder: &Path, authority: &Authority, cloud: &str, access: &Access) -> Process {
    let secrets = Secrets::write(folder, &access.app_secret, &access.password, &access.token_key);
    let secrets: Vec<String> = secrets.arguments().flatten().collect();
    let database = sqlite(folder, "console.db");
    console::init(&database);
    // The address is public without --insecure-http.
    let mut arguments = vec!["console", "--database", &database, "--listen", "0.0.0.0:0", "--cloud", cloud];
    arguments.extend(["--metrics-listen", ANY]);
    arguments.extend(["--app-id", &access.app_id, "--service-email", &access.email]);
    arguments.extend(secrets.iter().map(String::as_str));
    arguments.extend(authority.options(["--tls-cert", "--tls-key"]));
    Process::start(&arguments, &[("SSL_CERT_FILE", authority.root.to_str().unwrap())])
}

#[tokio::test]
async fn listeners_serve_tls_and_take_up_renewed_certificates() {
    let _ = ring::default_provider().install_default();
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
    fs::write(&authority.key, "half a k").unwrap();
    for (process, listener, url) in listeners {
        let error = process.line(&["ERROR", "keeps its old certificate", listener]);
        assert!(error.contains("node.key") && !error.contains("half"), "{error}");
        assert_eq!(authority.presented(url).await, second, "{listener}");
    }
    sign_in().await;
}

/// The metric with the end of a listener's certificate.
async fn end(ready: &str, listener: &str) -> f64 {
    let (_, metrics) = page(field(ready, "metrics")).await;
    let name = format!("sillage_certificate_end_timestamp_seconds{{listener=\"{listener}\"}} ");
    metrics.lines().find_map(|line| line.strip_prefix(&name)).unwrap().parse().unwrap()
}

#[tokio::test]
async fn near_end_of_a_certificate_is_reported_and_an_unusable_pair_replaces_no_valid_one() {
    let _ = ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    assert!(Demo::start(folder.path(), &[]).stop().success());
    let authority = Authority::new(folder.path());
    let ends_soon = authority.issue_for(10);
    let cloud = start_cloud(folder.path(), &authority);
    let ready = cloud.line(&["the cloud is ready"]);
    let console = start_console(folder.path(), &authority, field(&ready, "cloud"), &Access::of_demo(folder.path()));
    let listening = console.line(&["the console is listening"]);
    let console_url = field(&listening, "console").replace("0.0.0.0", "127.0.0.1");
    let listeners = [
        (&cloud, &ready, "https", field(&ready, "cloud")),
        (&cloud, &ready, "mqtts", field(&ready, "mqtts")),
        (&console, &listening, "https", &console_url),
    ];
    for (process, ready, listener, _) in listeners {
        process.line(&["WARN", "the certificate expires soon", listener, &ends_soon.to_string()]);
        assert_eq!(end(ready, listener).await, ends_soon.as_second() as f64, "{listener}");
    }

    let valid = authority.presented(field(&ready, "cloud")).await;
    let another_key = KeyPair::generate().unwrap().serialize_pem();
    for (reason, fault) in [
        ("expired at", Box::new(|| authority.issue_expired()) as Box<dyn Fn()>),
        ("does not belong to", Box::new(|| fs::write(&authority.key, &another_key).unwrap())),
        ("cannot read", Box::new(|| fs::remove_file(&authority.certificate).unwrap())),
    ] {
        fault();
        for (process, ready, listener, url) in listeners {
            process.line(&["ERROR", "keeps its old certificate", listener, reason]);
            assert_eq!(authority.presented(url).await, valid, "{listener}: {reason}");
            assert_eq!(end(ready, listener).await, ends_soon.as_second() as f64, "{listener}: {reason}");
        }
    }

    let renewed = authority.issue_for(90);
    for (process, ready, listener, url) in listeners {
        process.line(&["INFO", "the certificate was renewed", listener]);
        assert_ne!(authority.presented(url).await, valid, "{listener}");
        assert_eq!(end(ready, listener).await, renewed.as_second() as f64, "{listener}");
    }
}

/// Files as certbot stores them: `live` has links to the newest files of `archive`.
struct Certbot<'a> {
    folder: &'a Path,
    authority: &'a Authority,
}

impl Certbot<'_> {
    fn live(&self) -> PathBuf {
        self.folder.join("live/example.com")
    }

    fn renew(&self, number: u32) {
        self.authority.issue();
        let archive = self.folder.join("archive/example.com");
        for folder in [&archive, &self.live()] {
            fs::create_dir_all(folder).unwrap();
        }
        for (name, file) in [("fullchain", &self.authority.certificate), ("privkey", &self.authority.key)] {
            fs::copy(file, archive.join(format!("{name}{number}.pem"))).unwrap();
            let link = self.live().join(format!("{name}.pem"));
            let _ = fs::remove_file(&link);
            symlink(format!("../../archive/example.com/{name}{number}.pem"), &link).unwrap();
        }
    }

    /// Runs the hook of docs/operations.md, with a folder and group of this test.
    fn deploy(&self, target: &Path) {
        let page = include_str!("../../../docs/operations.md");
        let hook = page.split("#!/bin/sh -e\n").nth(1).unwrap().split("```").next().unwrap();
        let hook = hook.replace("/etc/sillage/tls", target.to_str().unwrap()).replace(" -g sillage-cloud", "");
        let mut command = Command::new("sh");
        let status = command.args(["-e", "-c", &hook]).env("RENEWED_LINEAGE", self.live()).status().unwrap();
        assert!(status.success());
    }
}

#[tokio::test]
async fn certificate_that_certbot_renews_is_taken_up_from_its_links_and_from_the_deploy_hook() {
    let _ = ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    assert!(Demo::start(folder.path(), &[]).stop().success());
    let authority = Authority::new(folder.path());
    let certbot = Certbot { folder: folder.path(), authority: &authority };
    let deployed = folder.path().join("tls");
    certbot.renew(1);
    certbot.deploy(&deployed);
    let database = sqlite(folder.path(), "cloud.db");
    let mut cloud = vec!["cloud", "--database", &database, "--listen", ANY, "--no-plain-mqtt", "--mqtts-listen", ANY];
    let files = [certbot.live(), deployed.clone()]
        .map(|folder| ["fullchain.pem", "privkey.pem"].map(|name| folder.join(name).to_str().unwrap().to_owned()));
    let options = [["--tls-cert", "--tls-key"], ["--mqtts-cert", "--mqtts-key"]];
    for (file, option) in files.as_flattened().iter().zip(options.as_flattened()) {
        cloud.extend([option, file.as_str()]);
    }
    let cloud = Process::start(&cloud, &[]);
    let ready = cloud.line(&["the cloud is ready"]);
    let listeners = ["https", "mqtts"].into_iter().zip([field(&ready, "cloud"), field(&ready, "mqtts")]);
    let first = authority.presented(field(&ready, "cloud")).await;
    certbot.renew(2);
    certbot.deploy(&deployed);
    for (listener, url) in listeners {
        cloud.line(&["INFO", "the certificate was renewed", listener]);
        assert_ne!(authority.presented(url).await, first, "{listener}");
    }
}

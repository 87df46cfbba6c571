//! The device link with TLS.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cloud::testing::TestCloud;
use cloud::{CertificateFiles, Cloud, CloudConfig, LinkTls};
use futures::StreamExt;
use platform::run::clock::Clock;
use platform::run::random::Random;
use platform::testing::TestDb;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rumqttc::mqttbytes::v4::ConnectReturnCode;
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConfig, ProtocolVersion, RootCertStore, SupportedProtocolVersion};

use crate::device::{Device, login, own_login};
use crate::log::Log;
use crate::{pass, start_with};
use platform::testing::PATIENCE;

platform::on_both_databases![device_session_works_over_tls];

/// A certificate authority with a folder for its files.
pub(crate) struct Authority {
    folder: TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "An authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        std::fs::write(folder.path().join("ca.pem"), issuer.pem()).unwrap();
        Self { folder, issuer }
    }

    /// The certificate of the authority.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// Issues a new certificate and key for this machine, replacing the files of the last one.
    pub(crate) fn issue(&self) -> LinkTls {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".into(), "127.0.0.1".into()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let files = CertificateFiles {
            certificate: self.folder.path().join("cloud.pem"),
            key: self.folder.path().join("cloud.key"),
        };
        std::fs::write(&files.certificate, certificate.pem()).unwrap();
        std::fs::write(&files.key, key.serialize_pem()).unwrap();
        LinkTls { listen: (Ipv4Addr::LOCALHOST, 0).into(), files }
    }

    async fn connect(&self, cloud: &TestCloud, version: &'static SupportedProtocolVersion) -> TlsStream<TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).unwrap();
        let config = ClientConfig::builder_with_protocol_versions(&[version])
            .with_root_certificates(roots)
            .with_no_client_auth();
        let stream = TcpStream::connect(cloud.link_tls_addr().unwrap()).await.unwrap();
        TlsConnector::from(Arc::new(config)).connect("localhost".try_into().unwrap(), stream).await.unwrap()
    }
}

fn certificate(stream: &TlsStream<TcpStream>) -> Vec<u8> {
    stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

async fn device_session_works_over_tls(database: &TestDb) {
    let authority = Authority::new();
    let (cloud, api) = start_with(database, |config| config.link_tls = Some(authority.issue())).await;
    let mut neighbour = Device::sign_in(&cloud, "DEV-A2").await;
    for (version, expected) in [(&TLS12, ProtocolVersion::TLSv1_2), (&TLS13, ProtocolVersion::TLSv1_3)] {
        let line = authority.connect(&cloud, version).await;
        assert_eq!(line.get_ref().1.protocol_version(), Some(expected));
        let (mut device, code) = Device::over(line, own_login("DEV-A1")).await;
        assert_eq!(code, ConnectReturnCode::Success);
        device.subscribe().await;
        let id = api.write("DEV-A1", "fan", json!(3)).await;
        assert_eq!(device.take_command().await["id"], json!(id));
        device.send_message("ack", &json!({"id": id, "status": 200})).await;
        assert_eq!(api.property("DEV-A1", "fan").await["command"]["state"], "acknowledged");
    }
    let line = authority.connect(&cloud, &TLS13).await;
    let (mut device, code) = Device::over(line, login("DEV-A1", "DEV-A1", "wrong")).await;
    assert_eq!(code, ConnectReturnCode::NotAuthorized);
    // A clean close: TLS treats anything else as a truncation attack.
    assert!(timeout(PATIENCE, device.wire.next()).await.unwrap().is_none());
    neighbour.send_message("report", &json!({"properties": {"fan": 1}})).await;
}

#[tokio::test]
async fn non_tls_connection_is_closed_and_logged() {
    let log = Log::listen();
    let authority = Authority::new();
    let database = TestDb::sqlite().await;
    let (cloud, _api) = start_with(&database, |config| config.link_tls = Some(authority.issue())).await;
    let (mut neighbour, _) = Device::over(authority.connect(&cloud, &TLS13).await, own_login("DEV-A2")).await;

    let mut plain = TcpStream::connect(cloud.link_tls_addr().unwrap()).await.unwrap();
    plain.write_all(b"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00").await.unwrap();
    let mut answer = Vec::new();
    let _ = timeout(PATIENCE, plain.read_to_end(&mut answer)).await.unwrap();
    assert_eq!(log.lines(&["WARN", "no TLS"]).len(), 1);

    // TLS handshake and CONNECT share a limit of five seconds.
    let mut silent = TcpStream::connect(cloud.link_tls_addr().unwrap()).await.unwrap();
    let (mut later, _) = Device::over(authority.connect(&cloud, &TLS13).await, own_login("DEV-A1")).await;
    let mut says_nothing = authority.connect(&cloud, &TLS13).await;
    pass(Duration::from_secs(6)).await;
    assert_eq!(timeout(PATIENCE, silent.read(&mut [0; 8])).await.unwrap().unwrap(), 0);
    let _ = timeout(PATIENCE, says_nothing.read(&mut [0; 8])).await.unwrap();
    assert_eq!(log.lines(&["WARN", "no TLS within 5 seconds"]).len(), 1);
    assert_eq!(log.lines(&["WARN", "no CONNECT within 5 seconds"]).len(), 1);
    later.receives_nothing_else().await;
    neighbour.receives_nothing_else().await;
}

#[tokio::test]
async fn renewed_certificate_is_loaded_without_a_restart_unless_invalid() {
    let log = Log::listen();
    let authority = Authority::new();
    let database = TestDb::sqlite().await;
    let tls = authority.issue();
    let key = tls.files.key.clone();
    let (cloud, _api) = start_with(&database, |config| config.link_tls = Some(tls)).await;
    let line = authority.connect(&cloud, &TLS13).await;
    let first = certificate(&line);
    let (mut device, _) = Device::over(line, own_login("DEV-A1")).await;

    std::fs::write(&key, "half a k").unwrap();
    minutes_until_logged(&log, &["ERROR", "keeps its old certificate", "cloud.key"], &mut device).await;
    for _ in 0..3 {
        assert_eq!(certificate(&authority.connect(&cloud, &TLS13).await), first);
        minute(&mut device).await;
    }
    assert_eq!(log.lines(&["keeps its old certificate"]).len(), 1, "logged once");

    authority.issue();
    minutes_until_logged(&log, &["INFO", "certificate was renewed"], &mut device).await;
    assert_ne!(certificate(&authority.connect(&cloud, &TLS13).await), first);
    device.receives_nothing_else().await;
}

/// Advances a minute while the connected device stays.
async fn minute(device: &mut Device) {
    pass(Duration::from_secs(61)).await;
    device.receives_nothing_else().await;
}

/// The files are read by a separate thread that does not follow the paused clock.
async fn minutes_until_logged(log: &Log, parts: &[&str], device: &mut Device) {
    for _ in 0..10_000 {
        minute(device).await;
        if !log.lines(parts).is_empty() {
            return;
        }
    }
    panic!("{parts:?} was never logged");
}

#[tokio::test]
async fn unusable_certificate_fails_the_start_and_is_named_by_its_file() {
    let authority = Authority::new();
    let other = Authority::new();
    let good = authority.issue().files;
    let not_there = authority.folder.path().join("not-there.pem");
    let folder = authority.folder.path().to_owned();
    let (secret, empty) = (folder.join("secret.pem"), folder.join("empty.pem"));
    std::fs::write(&secret, "-----BEGIN CERTIFICATE-----\nc2VjcmV0\nsecret\n").unwrap();
    std::fs::write(&empty, "").unwrap();
    let rows: [(&Path, &Path, &str); 8] = [
        (&not_there, &good.key, "cannot read {certificate}: No such file"),
        (&good.certificate, &not_there, "cannot read {key}: No such file"),
        (&folder, &good.key, "cannot read {certificate}: Is a directory"),
        (&empty, &good.key, "{certificate} contains no usable certificate in PEM"),
        (&secret, &good.key, "{certificate} contains no usable certificate in PEM"),
        (&good.key, &good.key, "{certificate} contains no usable certificate in PEM"),
        (&good.certificate, &good.certificate, "{key} contains no usable private key in PEM"),
        (
            &good.certificate,
            &other.issue().files.key,
            "the private key in {key} does not belong to the certificate in {certificate}",
        ),
    ];
    for (certificate, key, expected) in rows {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("cloud.db");
        std::fs::write(&database, "").unwrap();
        let mut config = CloudConfig::new(format!("sqlite:{}", database.display()));
        config.link_tls = Some(LinkTls {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            files: CertificateFiles { certificate: certificate.into(), key: key.into() },
        });
        let error = Cloud::start(config, Clock::system(), Random::system()).await.unwrap_err().to_string();
        let expected = expected
            .replace("{certificate}", &certificate.display().to_string())
            .replace("{key}", &key.display().to_string());
        assert!(error.starts_with(&expected), "{error:?} is not {expected:?}");
        assert!(!error.replace("secret.pem", "").contains("secret"), "{error}");
    }
}

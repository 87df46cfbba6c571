//! `sillage cloud`.

use std::net::TcpListener;
use std::path::PathBuf;

use rcgen::CertifiedKey;
use tokio::net::TcpStream;

use crate::process::{Process, fail, field};
use crate::{ANY, sqlite};

/// Files for TLS: a certificate, its key, and the key of another certificate.
struct Tls {
    folder: tempfile::TempDir,
    certificate: PathBuf,
    key: PathBuf,
    other_key: PathBuf,
}

impl Tls {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, content: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            path
        };
        let make = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let CertifiedKey { cert, signing_key } = make();
        let (certificate, key) = (file("cert.pem", &cert.pem()), file("key.pem", &signing_key.serialize_pem()));
        let other_key = file("other.pem", &make().signing_key.serialize_pem());
        Self { folder, certificate, key, other_key }
    }
}

#[test]
fn invalid_setting_is_reported_with_its_option() {
    let tls = Tls::new();
    let folder = tls.folder.path();
    let [certificate, key, other_key] = [&tls.certificate, &tls.key, &tls.other_key].map(|path| path.to_str().unwrap());
    let nowhere = folder.join("nowhere");
    let nowhere = nowhere.to_str().unwrap();
    let taken = TcpListener::bind(ANY).unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let consoles = sqlite(folder, "console.db");
    let reindexed = Process::start(&["console", "reindex", "--database", &consoles], &[]);
    assert!(reindexed.wait().success());

    let tls = |certificate, key| vec!["--mqtts-listen", ANY, "--mqtts-cert", certificate, "--mqtts-key", key];
    let https = |certificate, key| vec!["--tls-cert", certificate, "--tls-key", key];
    let mail = |more: [&'static str; 2]| {
        [&["--smtp-host", "mail.example.com", "--smtp-from", "no-reply@example.com"][..], &more].concat()
    };
    let texts = |more: [&'static str; 4]| [&["--sms-gateway-account", "a"][..], &more].concat();
    let rows = [
        (vec!["--listen", &taken], "(--listen)"),
        (vec!["--mqtt-listen", &taken], "(--mqtt-listen)"),
        ([&["--mqtts-listen", &taken][..], &tls(certificate, key)[2..]].concat(), "(--mqtts-listen)"),
        (tls(nowhere, key), "(--mqtts-cert)"),
        (tls(certificate, nowhere), "(--mqtts-key)"),
        (tls(key, key), "(--mqtts-cert)"),
        (tls(certificate, certificate), "(--mqtts-key)"),
        (tls(certificate, other_key), "(--mqtts-key)"),
        (https(nowhere, key), "(--tls-cert)"),
        (https(certificate, nowhere), "(--tls-key)"),
        (https(certificate, other_key), "(--tls-key)"),
        (https(certificate, key)[..2].to_vec(), "--tls-key"),
        (https(certificate, key)[2..].to_vec(), "--tls-cert"),
        (vec!["--database", &consoles], "(--database): this is the database of the console"),
        (mail(["--smtp-from", "nobody"]), "--smtp-from"),
        (mail(["--smtp-ca", "/dev/null"]), "(--smtp-ca)"),
        (texts(["--sms-gateway-url", "ftp://sms.example.com", "--sms-from", "Sillage"]), "(--sms-gateway-url)"),
        (texts(["--sms-gateway-url", "https://sms.example.com/m", "--sms-from", "?"]), "(--sms-from)"),
        (vec!["--no-plain-mqtt"], "--mqtts-listen"),
        // Values below the minimum.
        (vec!["--file-limit", "0"], "--file-limit"),
        (vec!["--longest-threshold", "0"], "--longest-threshold"),
        (vec!["--smtp-retry", "0"], "--smtp-retry"),
        (vec!["--smtp-give-up", "0"], "--smtp-give-up"),
    ];
    let database = sqlite(folder, "cloud.db");
    for (arguments, expected) in rows {
        let mut all = vec!["cloud"];
        for (flag, value) in [("--database", database.as_str()), ("--listen", ANY), ("--mqtt-listen", ANY)] {
            let plain = flag != "--mqtt-listen" || !arguments.contains(&"--no-plain-mqtt");
            if plain && !arguments.contains(&flag) {
                all.extend([flag, value]);
            }
        }
        all.extend(&arguments);
        let stderr = fail(&all, &[("SILLAGE_SMS_GATEWAY_TOKEN", "hush"), ("SILLAGE_LOG", "error")]);
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

#[tokio::test]
async fn cloud_listens_on_a_host_name_and_only_for_tls() {
    let tls = Tls::new();
    let database = sqlite(tls.folder.path(), "cloud.db");
    let node = Process::start(
        &[
            "cloud",
            "--database",
            &database,
            "--listen",
            "localhost:0",
            "--no-plain-mqtt",
            "--mqtts-listen",
            "localhost:0",
            "--mqtts-cert",
            tls.certificate.to_str().unwrap(),
            "--mqtts-key",
            tls.key.to_str().unwrap(),
        ],
        &[],
    );
    let ready = node.line(&["the cloud is ready"]);
    assert!(!ready.contains("mqtt="), "{ready}");
    assert!(field(&ready, "cloud").starts_with("http://127.0.0.1:"), "{ready}");
    TcpStream::connect(field(&ready, "mqtts").trim_start_matches("mqtts://")).await.unwrap();
}

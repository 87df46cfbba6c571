//! Scopes, sign-in and TLS of NATS.

use std::path::Path;

use platform::bus::{AddressError, BusAddress};
use platform::testing::{NatsServer, TestDb, own_address};
use rcgen::{CertificateParams, KeyPair};

use crate::nodes::{Form, Installation, event, next};

#[tokio::test]
async fn installations_on_one_server_do_not_hear_each_other() {
    let first = Installation::new(Form::Nats).await;
    let server = first.server.as_ref().unwrap();
    let second = Installation::with(TestDb::sqlite().await, &server.url(), None).await;
    let (a, b, other) = (first.node().await, first.node().await, second.node().await);
    let (mut at_b, mut at_other) = (b.listen("device.").await, other.listen("device.").await);
    other.bus.publish("device.A", "of the second");
    a.bus.publish("device.A", "of the first");
    assert_eq!(next(&mut at_b).await, event("device.A", "of the first"));
    assert_eq!(next(&mut at_other).await, event("device.A", "of the second"));
    other.bus.publish("device.A", "of the second again");
    assert_eq!(next(&mut at_other).await, event("device.A", "of the second again"));
}

#[tokio::test]
async fn node_starts_without_a_server_and_connects_later() {
    let mut installation = Installation::new(Form::Nats).await;
    installation.server.as_mut().unwrap().stop();
    let node = installation.node().await;
    let mut listener = node.bus.subscribe("device.");
    assert!(!node.bus.is_connected());
    node.bus.publish("device.A", "own");
    assert_eq!(next(&mut listener).await, event("device.A", "own"), "the node hears itself");
    installation.server.as_mut().unwrap().restart();
    node.until_connected(true).await;
}

/// Whether a node connects.
async fn connects(address: Result<BusAddress, AddressError>) -> bool {
    let installation = Installation::new(Form::Memory).await;
    let node = installation.node_at(&address.unwrap(), &installation.db.db).await;
    node.bus.is_connected()
}

#[tokio::test]
async fn node_signs_in_with_a_token_or_a_password() {
    let server = NatsServer::start_with(|_| vec!["--auth".to_owned(), "s3cret".to_owned()]);
    let at = |sign_in: &str| format!("nats://{sign_in}{}", server.address()).parse::<BusAddress>();
    assert!(connects(at("s3cret@")).await);
    assert!(!connects(at("")).await);
    assert!(!connects(at("wrong@")).await);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "s3cret\n").unwrap();
    assert!(connects(at("").unwrap().with_credentials_file(&file)).await);

    let arguments = ["--user", "ann", "--pass", "p@ss"];
    let server = NatsServer::start_with(|_| arguments.map(str::to_owned).into());
    let at = |sign_in: &str| format!("nats://{sign_in}{}", server.address()).parse::<BusAddress>();
    assert!(connects(at("ann:p%40ss@")).await);
    assert!(!connects(at("ann:wrong@")).await);
    std::fs::write(&file, "ann:p@ss\n").unwrap();
    assert!(connects(at("").unwrap().with_credentials_file(&file)).await);
}

/// Writes a certificate for the servers of this process and its key.
fn write_certificate(folder: &Path) -> Vec<String> {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec![own_address().to_string()]).unwrap().self_signed(&key).unwrap();
    std::fs::write(folder.join("cert.pem"), certificate.pem()).unwrap();
    std::fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
    ["--tls", "--tlscert", "cert.pem", "--tlskey", "key.pem"].map(str::to_owned).into()
}

#[tokio::test]
async fn node_checks_the_certificate_of_the_server() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = NatsServer::start_with(|path| {
        let arguments = write_certificate(path);
        std::fs::copy(path.join("cert.pem"), folder.path().join("ca.pem")).unwrap();
        arguments
    });
    write_certificate(other.path());
    for scheme in ["tls", "nats"] {
        let address: BusAddress = format!("{scheme}://{}", server.address()).parse().unwrap();
        assert!(connects(address.clone().with_ca_file(&folder.path().join("ca.pem"))).await);
        assert!(!connects(address.clone().with_ca_file(&other.path().join("cert.pem"))).await);
        assert!(!connects(Ok(address)).await, "the system does not trust it");
    }
    let plain = NatsServer::start();
    let address: BusAddress = format!("tls://{}", plain.address()).parse().unwrap();
    assert!(!connects(address.with_ca_file(&folder.path().join("ca.pem"))).await, "tls:// is never plain");
}

//! Virtual diffusers on a real cloud.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod fixture;
mod proxy;

use std::fs;

use cloud::{CertificateFiles, LinkTls};
use diffuser::properties::{
    APPLIANCE_LIFE, CARTRIDGE_LIFE, CURRENT_SCHEDULE_RUNNING, CURRENT_STATE, FAN, INTENSITY, SCHEDULE_BLOB,
};
use diffuser::{Mode, SystemConfiguration};
use serde_json::json;
use simulator::{Hours, Link, Roots, State};

use crate::fixture::Fixture;
use crate::proxy::Proxy;

fn aq290() -> State {
    State::new(SystemConfiguration::Aq290)
}

#[tokio::test]
async fn diffuser_reports_and_answers_valid_and_invalid_commands() {
    let fixture = Fixture::new(|_| {}).await;
    // Sent before the diffuser connects for the first time.
    fixture.write(FAN, 4).await;
    let fleet = Fixture::plug_in(fixture.cloud.link_addr().into(), aq290());
    fixture.wait_status("Online").await;
    let fan = fixture.wait_acknowledged(FAN).await;
    assert_eq!((&fan["command"]["state"], &fan["value"]), (&json!("acknowledged"), &json!(4)));

    fixture.write(INTENSITY, 40).await;
    let intensity = fixture.wait_acknowledged(INTENSITY).await;
    assert_eq!((&intensity["command"]["state"], &intensity["reported_value"]), (&json!("acknowledged"), &json!(40)));
    fixture.write(INTENSITY, 41).await;
    let refused = fixture.wait_acknowledged(INTENSITY).await;
    assert_eq!((&refused["command"]["state"], &refused["value"]), (&json!("failed"), &json!(40)));
    assert_eq!(refused["ack_status"], 422);

    fleet.shutdown().await;
    fixture.wait_status("Offline").await;
}

#[tokio::test]
async fn diffuser_reports_its_software_version_and_lan_address() {
    let fixture = Fixture::new(|_| {}).await;
    let device = fixture.device().await;
    assert_eq!([&device["sw_version"], &device["lan_ip"]], ["", ""]);
    let state = State { lan_ip: Some("192.168.1.20".parse().unwrap()), ..aq290() };
    let fleet = Fixture::plug_in(fixture.cloud.link_addr().into(), state);
    fixture.wait_reported(FAN, 0).await;
    let device = fixture.device().await;
    let version = concat!("simulator ", env!("CARGO_PKG_VERSION"));
    assert_eq!([&device["sw_version"], &device["lan_ip"]], [version, "192.168.1.20"]);
    fleet.shutdown().await;
}

#[tokio::test]
async fn schedule_uses_the_time_zone_and_clock_of_the_cloud() {
    let fixture = Fixture::new(|_| {}).await;
    // Runs only in the minute 11:00 in Paris. The cloud's clock stands still at 10:00 UTC.
    let blob = Some("1,0,0,1,0,0,0,0,2,1,5,30,11,0,11,0".to_owned());
    let state = State { mode: Mode::Run, schedule_blob: blob, ..aq290() };
    let fleet = Fixture::plug_in(fixture.cloud.link_addr().into(), state);
    fixture.wait_reported(CURRENT_SCHEDULE_RUNNING, 2).await;
    fixture.write(SCHEDULE_BLOB, "1,1,5,30,10,0,10,0").await;
    fixture.wait_reported(CURRENT_SCHEDULE_RUNNING, 0).await;
    fixture.write(SCHEDULE_BLOB, "1,1,9,30,11,0,11,59").await;
    fixture.wait_reported(CURRENT_SCHEDULE_RUNNING, 1).await;
    fixture.write(CURRENT_STATE, 3).await;
    fixture.wait_reported(CURRENT_SCHEDULE_RUNNING, 0).await;
    fleet.shutdown().await;
}

#[tokio::test]
async fn reconnected_diffuser_keeps_its_state_and_applies_pending_commands() {
    let fixture = Fixture::new(|_| {}).await;
    let mut proxy = Proxy::start(fixture.cloud.link_addr()).await;
    let state = State { cartridge_life: Hours::new(12.34).unwrap(), ..aq290() };
    let fleet = Fixture::plug_in(proxy.address().into(), state);
    fixture.wait_status("Online").await;
    fixture.write(FAN, 2).await;
    fixture.wait_acknowledged(FAN).await;

    proxy.close().await;
    fixture.wait_status("Offline").await;
    fixture.write(INTENSITY, 33).await;
    assert_eq!(fixture.property(INTENSITY).await["command"]["state"], "pending");
    proxy.reopen().await;
    assert_eq!(fixture.wait_acknowledged(INTENSITY).await["command"]["state"], "acknowledged");
    fixture.wait_status("Online").await;
    fixture.wait_reported(INTENSITY, 33).await;
    fixture.wait_reported(FAN, 2).await;
    fixture.wait_reported(CARTRIDGE_LIFE, 12.34).await;
    fleet.shutdown().await;
}

#[tokio::test]
async fn cartridge_life_is_reset_by_a_command() {
    let fixture = Fixture::new(|_| {}).await;
    let lives = Hours::new(700.5).unwrap();
    let state = State { cartridge_life: lives, appliance_life: lives, ..aq290() };
    let fleet = Fixture::plug_in(fixture.cloud.link_addr().into(), state);
    fixture.wait_reported(CARTRIDGE_LIFE, 700.5).await;
    fixture.write(CARTRIDGE_LIFE, 0).await;
    assert_eq!(fixture.wait_acknowledged(CARTRIDGE_LIFE).await["command"]["state"], "acknowledged");
    fixture.wait_reported(CARTRIDGE_LIFE, 0.0).await;
    fixture.wait_reported(APPLIANCE_LIFE, 700.5).await;
    fleet.shutdown().await;
}

#[tokio::test]
async fn diffuser_connects_over_tls_with_a_trusted_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let [certificate, key] = ["cloud.pem", "cloud.key"].map(|name| folder.path().join(name));
    fs::write(&certificate, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let listen = "127.0.0.1:0".parse().unwrap();
    let tls = LinkTls { listen, files: CertificateFiles { certificate: certificate.clone(), key } };
    let fixture = Fixture::new(|config| config.link_tls = Some(tls)).await;

    let port = fixture.cloud.link_tls_addr().unwrap().port();
    let link = Link::tls("127.0.0.1", port, &Roots::File(certificate)).unwrap();
    let fleet = Fixture::plug_in(link, aq290());
    fixture.write(FAN, 5).await;
    fixture.wait_reported(FAN, 5).await;
    fleet.shutdown().await;
    fixture.wait_status("Offline").await;
}

//! Virtual diffusers on a real cloud.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod shop;
mod wire;

use std::fs;

use cloud::LinkTls;
use diffuser::properties::{
    APPLIANCE_LIFE, CARTRIDGE_LIFE, CURRENT_SCHEDULE_RUNNING, CURRENT_STATE, FAN, INTENSITY, SCHEDULE_BLOB,
};
use diffuser::{Mode, SystemConfiguration};
use serde_json::json;
use simulator::{Hours, Link, Roots, State};

use crate::shop::Shop;
use crate::wire::Wire;

fn aq290() -> State {
    State::new(SystemConfiguration::Aq290)
}

#[tokio::test]
async fn a_virtual_diffuser_reports_obeys_and_refuses() {
    let shop = Shop::open(|_| {}).await;
    // Given before the diffuser is there at all.
    shop.write(FAN, 4).await;
    let fleet = Shop::plug_in(shop.cloud.link_addr().into(), aq290());
    shop.becomes("Online").await;
    let fan = shop.answered(FAN).await;
    assert_eq!((&fan["command"]["state"], &fan["value"]), (&json!("acknowledged"), &json!(4)));

    shop.write(INTENSITY, 40).await;
    let intensity = shop.answered(INTENSITY).await;
    assert_eq!((&intensity["command"]["state"], &intensity["reported_value"]), (&json!("acknowledged"), &json!(40)));
    shop.write(INTENSITY, 41).await;
    let refused = shop.answered(INTENSITY).await;
    assert_eq!((&refused["command"]["state"], &refused["value"]), (&json!("failed"), &json!(40)));
    assert_eq!(refused["ack_status"], 422);

    fleet.shutdown().await;
    shop.becomes("Offline").await;
}

#[tokio::test]
async fn a_virtual_diffuser_names_its_software_and_its_address_when_it_connects() {
    let shop = Shop::open(|_| {}).await;
    let device = shop.device().await;
    assert_eq!([&device["sw_version"], &device["lan_ip"]], ["", ""]);
    let state = State { lan_ip: Some("192.168.1.20".parse().unwrap()), ..aq290() };
    let fleet = Shop::plug_in(shop.cloud.link_addr().into(), state);
    shop.reports(FAN, 0).await;
    let device = shop.device().await;
    let version = concat!("simulator ", env!("CARGO_PKG_VERSION"));
    assert_eq!([&device["sw_version"], &device["lan_ip"]], [version, "192.168.1.20"]);
    fleet.shutdown().await;
}

#[tokio::test]
async fn the_schedule_runs_where_and_when_the_cloud_says_it_is() {
    let shop = Shop::open(|_| {}).await;
    // At 11:00 in Paris, and in that minute only. It is 10:00 UTC by the cloud's clock, which stands.
    let blob = Some("1,0,0,1,0,0,0,0,2,1,5,30,11,0,11,0".to_owned());
    let state = State { mode: Mode::Run, schedule_blob: blob, ..aq290() };
    let fleet = Shop::plug_in(shop.cloud.link_addr().into(), state);
    shop.reports(CURRENT_SCHEDULE_RUNNING, 2).await;
    shop.write(SCHEDULE_BLOB, "1,1,5,30,10,0,10,0").await;
    shop.reports(CURRENT_SCHEDULE_RUNNING, 0).await;
    shop.write(SCHEDULE_BLOB, "1,1,9,30,11,0,11,59").await;
    shop.reports(CURRENT_SCHEDULE_RUNNING, 1).await;
    shop.write(CURRENT_STATE, 3).await;
    shop.reports(CURRENT_SCHEDULE_RUNNING, 0).await;
    fleet.shutdown().await;
}

#[tokio::test]
async fn a_diffuser_that_was_cut_off_comes_back_as_it_was_and_obeys_what_it_missed() {
    let shop = Shop::open(|_| {}).await;
    let mut wire = Wire::to(shop.cloud.link_addr()).await;
    let state = State { cartridge_life: Hours::new(12.34).unwrap(), ..aq290() };
    let fleet = Shop::plug_in(wire.near().into(), state);
    shop.becomes("Online").await;
    shop.write(FAN, 2).await;
    shop.answered(FAN).await;

    wire.cut().await;
    shop.becomes("Offline").await;
    shop.write(INTENSITY, 33).await;
    assert_eq!(shop.property(INTENSITY).await["command"]["state"], "pending");
    wire.mend().await;
    assert_eq!(shop.answered(INTENSITY).await["command"]["state"], "acknowledged");
    shop.becomes("Online").await;
    shop.reports(INTENSITY, 33).await;
    shop.reports(FAN, 2).await;
    shop.reports(CARTRIDGE_LIFE, 12.34).await;
    fleet.shutdown().await;
}

#[tokio::test]
async fn a_cartridge_is_reset_by_a_write() {
    let shop = Shop::open(|_| {}).await;
    let lives = Hours::new(700.5).unwrap();
    let state = State { cartridge_life: lives, appliance_life: lives, ..aq290() };
    let fleet = Shop::plug_in(shop.cloud.link_addr().into(), state);
    shop.reports(CARTRIDGE_LIFE, 700.5).await;
    shop.write(CARTRIDGE_LIFE, 0).await;
    assert_eq!(shop.answered(CARTRIDGE_LIFE).await["command"]["state"], "acknowledged");
    shop.reports(CARTRIDGE_LIFE, 0.0).await;
    shop.reports(APPLIANCE_LIFE, 700.5).await;
    fleet.shutdown().await;
}

#[tokio::test]
async fn a_diffuser_speaks_tls_with_a_cloud_whose_certificate_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let [certificate, key] = ["cloud.pem", "cloud.key"].map(|name| folder.path().join(name));
    fs::write(&certificate, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let listen = "127.0.0.1:0".parse().unwrap();
    let tls = LinkTls { listen, certificate: certificate.clone(), key };
    let shop = Shop::open(|config| config.link_tls = Some(tls)).await;

    let port = shop.cloud.link_tls_addr().unwrap().port();
    let link = Link::tls("127.0.0.1", port, &Roots::File(certificate)).unwrap();
    let fleet = Shop::plug_in(link, aq290());
    shop.write(FAN, 5).await;
    shop.reports(FAN, 5).await;
    fleet.shutdown().await;
    shop.becomes("Offline").await;
}

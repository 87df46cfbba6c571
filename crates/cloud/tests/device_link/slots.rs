//! Connections that do not sign in, and those of one address, do not keep other devices out.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use cloud::LinkLimits;
use cloud::testing::device_key;
use platform::run::file_limit;
use platform::testing::TestDb;
use rumqttc::mqttbytes::v4::ConnectReturnCode;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::device::{Device, login, own_login};
use crate::start_with;

const LIMITS: LinkLimits =
    LinkLimits { connections: 1_000, connections_per_address: 500, pending: 200, pending_per_address: 100 };
const SILENT: usize = 5_000;
/// Both ends of the silent connections, and some spare file descriptors for the rest of the test.
const FILES: u64 = 2 * SILENT as u64 + 500;

platform::on_both_databases![
    silent_connections_of_one_address_do_not_keep_a_device_out,
    silent_connections_of_many_addresses_do_not_keep_a_device_out,
    connected_devices_of_one_address_are_limited,
    silent_connections_do_not_disconnect_devices,
];

/// A connection from 127.0.`network`.`host` that sends nothing.
async fn silent(link: SocketAddr, network: u8, host: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((IpAddr::from(Ipv4Addr::new(127, 0, network, host)), 0).into()).unwrap();
    socket.connect(link).await.unwrap()
}

fn raise_file_limit() {
    let files = file_limit::raise();
    assert!(files >= FILES, "this test needs {FILES} open files, and the system allows {files} (ulimit -Hn)");
}

async fn silent_connections_of_one_address_do_not_keep_a_device_out(database: &TestDb) {
    raise_file_limit();
    let (cloud, api) = start_with(database, |config| config.link_limits = LIMITS).await;
    let mut crowd = Vec::with_capacity(SILENT);
    for n in 0..SILENT {
        crowd.push(silent(cloud.link_addr(), 0, 2).await);
        if n % 1_000 == 999 {
            let signing_in = timeout(Duration::from_secs(1), Device::sign_in(&cloud, "DEV-A1"));
            drop(signing_in.await.expect("a connection within a second"));
        }
    }
    let _device = Device::sign_in(&cloud, "DEV-A1").await;
    assert_eq!(api.status("DEV-A1").await, "Online");
}

async fn silent_connections_of_many_addresses_do_not_keep_a_device_out(database: &TestDb) {
    raise_file_limit();
    let (cloud, _) = start_with(database, |config| config.link_limits = LIMITS).await;
    let mut crowd = Vec::new();
    for round in 0..4 {
        for host in 1..=250 {
            crowd.push(silent(cloud.link_addr(), 1 + round % 2, host).await);
        }
        drop(Device::sign_in(&cloud, "DEV-A1").await);
    }
}

async fn connected_devices_of_one_address_are_limited(database: &TestDb) {
    let limits = LinkLimits { connections: 3, connections_per_address: 2, ..LIMITS };
    let (cloud, _) = start_with(database, |config| config.link_limits = limits).await;
    let first = Device::sign_in(&cloud, "DEV-A1").await;
    let _second = Device::sign_in(&cloud, "DEV-A2").await;
    let (mut third, code) = Device::connect(&cloud, own_login("DEV-B1")).await;
    assert_eq!(code, ConnectReturnCode::ServiceUnavailable, "the address has two connections");
    third.is_closed().await;
    let (_elsewhere, code) = Device::connect_from(&cloud, 2, own_login("DEV-B1")).await;
    assert_eq!(code, ConnectReturnCode::Success);
    let (_, code) = Device::connect_from(&cloud, 3, own_login("DEV-U1")).await;
    assert_eq!(code, ConnectReturnCode::ServiceUnavailable, "the node has three connections");
    drop(first);
    while Device::connect_from(&cloud, 3, own_login("DEV-U1")).await.1 != ConnectReturnCode::Success {}
}

async fn silent_connections_do_not_disconnect_devices(database: &TestDb) {
    let limits = LinkLimits { pending: 4, pending_per_address: 4, ..LIMITS };
    let (cloud, api) = start_with(database, |config| config.link_limits = limits).await;
    let mut device = Device::sign_in(&cloud, "DEV-A1").await;
    let mut crowd = Vec::new();
    for _ in 0..20 {
        crowd.push(silent(cloud.link_addr(), 0, 1).await);
    }
    let (_, code) = Device::connect(&cloud, login("DEV-A2", "DEV-A2", &device_key("DEV-A2"))).await;
    assert_eq!(code, ConnectReturnCode::Success);
    device.receives_nothing_else().await;
    assert_eq!(api.status("DEV-A1").await, "Online");
}

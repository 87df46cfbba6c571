//! Connections.

use platform::db::Db;
use platform::store_suite;

use super::node;
use crate::store::devices;
use crate::store::devices::DeviceRef;
use crate::testing::{World, device_key};

async fn link_key_authenticates_only_its_own_device(db: Db) {
    let node = node(db).await;
    for (dsn, key) in [("DEV-A1", device_key("DEV-B1")), ("NO-SUCH", device_key("NO-SUCH")), ("DEV-A1", String::new())]
    {
        assert_eq!(node.link.authenticate(dsn, &key).await.unwrap().accepted(), None, "{dsn}");
    }
    assert_eq!(node.link.authenticate("\0", "").await.unwrap().accepted(), None);
    let device = node.device("DEV-A1").await;
    let (older, newer) = (node.link.connected(&device).await.unwrap(), node.link.connected(&device).await.unwrap());
    assert!(older < newer);
    let status = async || {
        let scope = node.scope(World::ADMIN).await;
        devices::find(&node.db, &scope, DeviceRef::Dsn("DEV-A1")).await.unwrap().unwrap().status
    };
    node.link.disconnected(&device, older).await.unwrap();
    assert_eq!(status().await, "Online");
    node.die().await;
    node.nodes.sweep().await.unwrap();
    assert_eq!(status().await, "Offline");
}

store_suite!(migrate = crate::store::tests::migrated, tests = [link_key_authenticates_only_its_own_device,]);

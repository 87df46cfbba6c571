//! Devices: lists, single devices, changes, and their data.

use devicecloud::{Address, ConnectionStatus, Include, LocationProvider, Order};

use super::{DSN, NOW, Run, WRONG_DSN, WRONG_KEY, cases};

const ALL: [Include; 5] = [Include::Data, Include::Addr, Include::RoleLabels, Include::Properties, Include::TimeZone];

fn address() -> Address {
    let mut address = Address::default();
    address.street = Some("1 Main Street".into());
    address.city = Some("Paris".into());
    address.country = Some("France".into());
    address.zip = Some("75001".into());
    address
}

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "devices/data": |client| {
            let data = client.devices().data(DSN).list().send().await?;
            assert_eq!((data.len(), data[0].key.as_str()), (1, "text"));
        };
        "devices/data.404": |client| client.devices().data(WRONG_DSN).list().send().await?;
        "devices/data.keys": |client| {
            let data = client.devices().data(DSN).list().keys(["customer", "no_such_key"]).send().await?;
            assert_eq!((data.len(), data[0].key.as_str()), (1, "customer"));
        };
        "devices/data.wildcard": |client| {
            let data = client.devices().data(DSN).list().keys(["cust%"]).send().await?;
            assert_eq!((data.len(), data[0].key.as_str()), (1, "customer"));
        };
        "devices/create_datum": |client| {
            let datum = client.devices().data(DSN).create("cart_name", "Bar").await?;
            assert_eq!((datum.key.as_str(), datum.value.as_str()), ("cart_name", "Bar"));
            assert!(datum.created_at.is_some());
        };
        "devices/create_datum.404": |client| client.devices().data(WRONG_DSN).create("cart_name", "Bar").await?;
        "devices/create_datum.422": |client| client.devices().data(DSN).create("customer", "Bar").await?;
        "devices/get_datum": |client| {
            let datum = client.devices().data(DSN).get("customer").await?;
            assert_eq!((datum.key.as_str(), datum.value.as_str()), ("customer", "text"));
            assert_eq!((datum.created_at, datum.updated_at), (Some(NOW.parse()?), Some(NOW.parse()?)));
        };
        "devices/get_datum.404": |client| client.devices().data(DSN).get("no_such_key").await?;
        "devices/update_datum": |client| {
            let datum = client.devices().data(DSN).update("customer", "Bar").await?;
            assert_eq!((datum.value.as_str(), datum.updated_at.is_some()), ("Bar", true));
        };
        "devices/update_datum.404": |client| client.devices().data(DSN).update("no_such_key", "Bar").await?;
        "devices/delete_datum": |client| client.devices().data(DSN).delete("customer").await?;
        "devices/delete_datum.404": |client| client.devices().data(DSN).delete("no_such_key").await?;
        "devices/connection_history": |client| {
            let changes = client.devices().connection_history(DSN).send().await?;
            assert_eq!((changes.len(), &changes[0].status), (1, &ConnectionStatus::Online));
            assert_eq!(changes[0].event_time, Some(NOW.parse()?));
        };
        "devices/connection_history.span": |client| {
            let history = client.devices().connection_history(DSN).limit(10);
            let history = history.since("2026-11-20T09:00:00Z".parse()?).until("2026-11-20T11:00:00Z".parse()?);
            assert_eq!(history.send().await?.len(), 1);
        };
        "devices/connection_history.404": |client| client.devices().connection_history(WRONG_DSN).send().await?;
        "devices/connection_history_by_key": |client| {
            assert_eq!(client.devices().connection_history_by_key(41).send().await?.len(), 1);
        };
        "devices/addr": |client| {
            let address = client.devices().address(41).await?;
            assert!(address.city.is_none_or(|city| city == "text"));
        };
        "devices/get_by_key": |client| {
            let device = client.devices().get_by_key(41).send().await?;
            assert_eq!((device.dsn.as_str(), device.key.as_str()), (DSN, "41"));
        };
        "devices/get_by_key.404": |client| client.devices().get_by_key(WRONG_KEY).send().await?;
        "devices/rename": |client| client.devices().rename(41, "Lobby").await?;
        "devices/rename.404": |client| client.devices().rename(WRONG_KEY, "Lobby").await?;
        "devices/unregister": |client| client.devices().unregister(41).await?;
        "devices/unregister.403": |client| client.devices().unregister(41).await?;
        "devices/factory_reset": |client| client.devices().factory_reset(41).await?;
        "devices/factory_reset.403": |client| client.devices().factory_reset(41).await?;
        "devices/time_zone": |client| {
            let zone = client.devices().time_zone(41).await?;
            assert!(zone.dst && zone.tz_id.is_none_or(|tz_id| tz_id == "text"));
        };
        "devices/time_zone.404": |client| client.devices().time_zone(WRONG_KEY).await?;
        "devices/set_time_zone": |client| {
            let zone = client.devices().set_time_zone(41, "Asia/Tokyo").await?;
            assert_eq!((zone.tz_id.as_deref(), zone.dst), (Some("Asia/Tokyo"), true));
        };
        "devices/set_time_zone.422": |client| client.devices().set_time_zone(41, "Mars/Olympus").await?;
        "devices/set_location": |client| {
            let location = client.devices().set_location(41, 48.864_716, 2.349_014).send().await?;
            assert_eq!((location.lat, location.lng), (Some(48.864_716), Some(2.349_014)));
            assert_eq!((location.provider, location.created_at.is_some()), (Some(LocationProvider::UserBased), true));
        };
        "devices/set_location.422": |client| {
            let location = client.devices().set_location(41, 48.864_716, 2.349_014);
            location.provider("pigeon-based".into()).send().await?
        };
        "devices/set_addr": |client| client.devices().set_address(41, &address()).await?;
        "devices/set_addr.404": |client| client.devices().set_address(WRONG_KEY, &address()).await?;
        "devices/role_labels.bare": |client| {
            let labels = client.devices().role_labels(41).await?;
            assert_eq!((labels[0].id.as_str(), labels[0].role_name.as_str()), ("7", "text"));
        };
        "devices/role_labels.404": |client| client.devices().role_labels(WRONG_KEY).await?;
        "devices/role_labels": |client| {
            let labels = client.role_labels().list(41).await?;
            assert_eq!((labels[0].id.as_str(), labels[0].role_name.as_str()), ("7", "text"));
            assert_eq!(labels[0].label.as_ref().unwrap().value, "text");
        };
        "devices/list": |client| {
            let devices = client.devices().all().await?;
            assert_eq!((devices[0].dsn.as_str(), devices[0].key.as_str()), ("text", "7"));
            assert_eq!((devices[0].registered, devices[0].connection_status.as_str()), (Some(true), "text"));
        };
        "devices/list.paginated": |client| {
            let page = client.devices().list().send().await?;
            assert_eq!((page.total, page.current_page_number, page.devices.len()), (7, 1, 1));
        };
        "devices/list.include": |client| {
            let list = client.devices().list().per_page(100).order_by("key").order(Order::Asc);
            let page = list.filter("key_after", "0").filter("registered", "true").include(ALL).send().await?;
            let device = &page.devices[0];
            assert_eq!((device.data[0].key.as_str(), device.role_labels[0].id.as_str()), ("text", "7"));
            assert_eq!(device.role_labels[0].label.as_ref().unwrap().value, "text");
            assert_eq!(device.properties[0].name, "text");
            assert!(device.addr.is_some() && device.time_zone.as_ref().unwrap().dst);
        };
        "devices/get_by_dsn": |client| {
            let device = client.devices().get(DSN).send().await?;
            assert_eq!((device.dsn.as_str(), device.key.as_str()), (DSN, "41"));
            assert!(device.data.is_empty() && device.time_zone.is_none());
        };
        "devices/get_by_dsn.include": |client| {
            let device = client.devices().get(DSN).include(ALL).send().await?;
            assert_eq!((device.data.len(), device.properties.len(), device.role_labels.len()), (1, 1, 1));
        };
        "devices/get_by_dsn.404": |client| client.devices().get(WRONG_DSN).send().await?;
        "devices/get_by_dsn.401": |client| client.devices().get(DSN).send().await?;
    }
    .into()
}

//! The library emits exactly the golden requests and reads the golden responses.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/server.rs"]
mod server;
mod support;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use devicecloud::{
    Address, Authorization, BaseType, BoxFuture, Client, Clock, CommandState, Config, Error, ErrorKind, Include,
    LocationProvider, MemoryTokenStore, Order, PropertyValue, Result, SubscriptionType, Time,
};
use futures::TryStreamExt;
use serde_json::{Value, json};
use server::Server;
use support::golden;

const NOW: &str = "2026-11-20T10:00:00Z";
const DSN: &str = "AC000W000000001";
const WRONG_DSN: &str = "AC000W999999999";
const ROLE: &str = "OEM::Partner::Admin";
const WRONG_KEY: i64 = 999_999_999;
const DATAPOINT: &str = "9b2f6f0e-0000-11f1-8000-000000000001";
const FILE: &str = "9b2f6f0e-0000-71f1-8000-000000000002";
/// The cloud's own name for its address may differ from the configured one.
const LOCATION: &str =
    "https://cloud.example.com/apiv1/devices/41/properties/log/datapoints/9b2f6f0e-0000-71f1-8000-000000000002.json";
const ALL: [Include; 5] = [Include::Data, Include::Addr, Include::RoleLabels, Include::Properties, Include::TimeZone];

fn address() -> Address {
    let mut address = Address::default();
    address.street = Some("1 Main Street".into());
    address.city = Some("Paris".into());
    address.country = Some("France".into());
    address.zip = Some("75001".into());
    address
}

type Run = fn(Client) -> BoxFuture<'static, Result<()>>;

macro_rules! cases {
    ($($name:literal: |$client:ident| $body:expr;)*) => {
        [$(($name, (|$client| Box::pin(async move { $body; Ok(()) })) as Run),)*]
    };
}

/// One call per file. What is asserted holds for every sample of the answer.
fn cases() -> Vec<(&'static str, Run)> {
    cases! {
        "users/sign_in": |client| {
            let sign_in = client.sign_in("jo@example.com", &"correct horse".into()).await?;
            assert_eq!(sign_in.authorization.access_token.expose(), "0123456789abcdef0123456789abcdef");
            assert_eq!((sign_in.role.as_deref(), sign_in.role_tags[0].key.as_str()), (Some("text"), "text"));
        };
        "users/sign_in.401": |client| client.sign_in("jo@example.com", &"wrong".into()).await?;
        "users/sign_in.404": |client| client.sign_in("jo@example.com", &"correct horse".into()).await?;
        "users/refresh_token": |client| {
            let renewed = client.refresh().await?;
            assert_eq!((renewed.expires_in_secs, renewed.role.as_deref()), (7, Some("text")));
        };
        "users/refresh_token.422": |client| client.refresh().await?;
        "users/sign_out": |client| client.sign_out().await?;
        "users/get_user_profile": |client| {
            let user = client.users().profile().await?;
            assert_eq!((user.email.as_str(), user.id.as_str()), ("jo@example.com", "7"));
            assert_eq!(user.role_tags[0].namespace, "text");
        };
        "users/get_user_profile.401": |client| client.users().profile().await?;
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
        "role_labels/get": |client| {
            let label = client.role_labels().get(61).await?;
            assert_eq!((label.id.as_str(), label.role_name.as_str()), ("61", ROLE));
            assert_eq!((label.label.unwrap().key.as_str(), label.tags[0].value.as_str()), ("partner_id", "text"));
        };
        "role_labels/get.404": |client| client.role_labels().get(WRONG_KEY).await?;
        "role_labels/enable": |client| {
            let enable = client.role_labels().enable_role_label_on_device(41, ROLE);
            let label = enable.description("Ground floor").label("zone", "north").send().await?;
            assert_eq!((label.description.as_deref(), label.label.unwrap().value.as_str()), (Some("Ground floor"), "north"));
        };
        "role_labels/enable.bare": |client| {
            let label = client.role_labels().enable_role_label_on_device(41, ROLE).send().await?;
            assert_eq!((label.role_name.as_str(), label.description, label.label), (ROLE, None, None));
        };
        "role_labels/enable.403": |client| {
            client.role_labels().enable_role_label_on_device(41, ROLE).label("zone", "north").send().await?
        };
        "role_labels/enable.422": |client| {
            let enable = client.role_labels().enable_role_label_on_device(41, "No::Such::Role");
            enable.label("zone", "north").send().await?
        };
        "role_labels/update": |client| {
            let update = client.role_labels().update_role_label(61, ROLE);
            let label = update.description("Ground floor").label("zone", "north").send().await?;
            assert_eq!((label.id.as_str(), label.label.unwrap().key.as_str()), ("61", "zone"));
        };
        "role_labels/update.404": |client| {
            let update = client.role_labels().update_role_label(WRONG_KEY, ROLE);
            update.description("Ground floor").label("zone", "north").send().await?
        };
        "role_labels/disable": |client| client.role_labels().disable_role_label(61).await?;
        "role_labels/disable.404": |client| client.role_labels().disable_role_label(WRONG_KEY).await?;
        "role_labels/associate": |client| {
            let label = client.role_labels().associate(41, ROLE).label("zone", "north").send().await?;
            assert_eq!((label.id.as_str(), label.label.unwrap().value.as_str()), ("7", "north"));
        };
        "role_labels/associate.409": |client| {
            client.role_labels().associate(41, ROLE).label("partner_id", "another").send().await?
        };
        "role_labels/disassociate": |client| {
            let label = client.role_labels().disassociate(41, ROLE).label("partner_id", "A").send().await?;
            assert_eq!((label.id.as_str(), label.label.unwrap().value.as_str()), ("61", "A"));
        };
        "role_labels/disassociate.404": |client| {
            client.role_labels().disassociate(41, ROLE).label("partner_id", "another").send().await?
        };
        "role_labels/find_by_role_label": |client| {
            let devices = client.role_labels().find_devices(ROLE).label("partner_id", "A").send().await?;
            assert_eq!((devices[0].dsn.as_str(), devices[0].key.as_str()), ("text", "7"));
        };
        "role_labels/find_by_role_label.role": |client| {
            assert_eq!(client.role_labels().find_devices(ROLE).send().await?.len(), 1);
        };
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
        "properties/list": |client| {
            let properties = client.properties().list(DSN).send().await?;
            assert_eq!((properties[0].key.as_str(), properties[0].name.as_str()), ("7", "text"));
            assert_eq!(properties[0].command, None);
        };
        "properties/list.names": |client| {
            let properties = client.properties().list(DSN).names(["intensity", "no_such_property"]).send().await?;
            let command = properties[0].command.as_ref().unwrap();
            assert_eq!(properties[0].value, Some(PropertyValue::Integer(30)));
            assert_eq!((&command.state, &command.value), (&CommandState::Pending, &Some(PropertyValue::Integer(30))));
            assert!(command.expires_at.is_some());
        };
        "properties/list_by_device": |client| {
            let properties = client.properties().list_by_device(41).names(["intensity"]).send().await?;
            assert_eq!((properties.len(), properties[0].name.as_str()), (1, "intensity"));
        };
        "properties/list.wildcard": |client| {
            let properties = client.properties().list(DSN).names(["%tensit%"]).send().await?;
            assert_eq!(properties[0].name, "intensity");
        };
        "properties/get": |client| {
            let property = client.properties().get(DSN, "intensity").await?;
            assert_eq!((property.name.as_str(), property.base_type), ("intensity", Some(BaseType::Integer)));
        };
        "properties/get.404": |client| client.properties().get(DSN, "no_such_property").await?;
        "properties/get_by_device": |client| {
            assert_eq!(client.properties().get_by_device(41, "intensity").await?.name, "intensity");
        };
        "properties/get_by_key": |client| {
            assert_eq!(client.properties().get_by_key(43).await?.key.as_str(), "43");
        };
        "properties/get_by_key.404": |client| client.properties().get_by_key(999_999_999).await?;
        "properties/list.404": |client| client.properties().list(WRONG_DSN).send().await?;
        "datapoints/create": |client| {
            let written = client.datapoints().create(DSN, "intensity", 30).send().await?;
            assert_eq!(written.id.as_str(), "11111111-2222-3333-4444-555555555555");
            assert_eq!((written.value, written.ack_status, written.acked_at), (Some(30.into()), -1, None));
        };
        "datapoints/create.metadata": |client| {
            let written = client.datapoints().create(DSN, "intensity", 30).metadata("by", "a test").send().await?;
            assert_eq!(written.metadata["by"], "a test");
        };
        "datapoints/create_by_key": |client| {
            let written = client.datapoints().create_by_key(43, 30).send().await?;
            assert_eq!((written.id.as_str(), written.value), ("11111111-2222-3333-4444-555555555555", Some(30.into())));
        };
        "datapoints/create_by_key.metadata": |client| {
            let written = client.datapoints().create_by_key(43, 30).metadata("by", "a test").send().await?;
            assert_eq!(written.metadata["by"], "a test");
        };
        "datapoints/create_by_key.404": |client| client.datapoints().create_by_key(999_999_999, 30).send().await?;
        "datapoints/create_by_device": |client| {
            assert_eq!(client.datapoints().create_by_device(41, "intensity", 30).send().await?.value, Some(30.into()));
        };
        "datapoints/list": |client| {
            let datapoints = client.datapoints().list(DSN, "intensity").send().await?;
            assert_eq!((datapoints.len(), &datapoints[0].value), (1, &Some(30.into())));
        };
        "datapoints/list.404": |client| client.datapoints().list(DSN, "no_such_property").send().await?;
        "datapoints/list_by_device": |client| {
            assert_eq!(client.datapoints().list_by_device(41, "intensity").send().await?.len(), 1);
        };
        "datapoints/list_by_key": |client| {
            assert_eq!(client.datapoints().list_by_key(43).send().await?.len(), 1);
        };
        "datapoints/list_by_key.span": |client| {
            let list = client.datapoints().list_by_key(43).limit(10);
            let list = list.since("2026-11-20T09:00:00Z".parse()?).until("2026-11-20T11:00:00Z".parse()?);
            assert_eq!(list.send().await?[0].created_at, Some(NOW.parse()?));
        };
        "datapoints/pages": |client| {
            let history: Vec<_> = client.datapoints().list(DSN, "intensity").history().try_collect().await?;
            assert_eq!((history.len(), &history[0].value), (1, &Some(30.into())));
        };
        "datapoints/batch": |client| {
            let batch = client.datapoints().batch().add(DSN, "intensity", 30);
            let batch = batch.add("AC000W000000002", "intensity", 31).metadata("by", "a test");
            let batch = batch.add(DSN, "no_such_property", 30).add(WRONG_DSN, "intensity", 30);
            let told = batch.add(DSN, "intensity", "not a number").send().await?;
            let statuses: Vec<_> = told.iter().map(|entry| entry.result.as_ref().map_err(Error::status)).collect();
            assert_eq!(statuses[0].unwrap().value, Some(30.into()));
            assert_eq!(statuses[1].unwrap().metadata["by"], "a test");
            assert_eq!(statuses[2..].iter().map(|told| told.unwrap_err()).collect::<Vec<_>>(), [Some(404), Some(404), Some(422)]);
            let refused = told[4].result.as_ref().unwrap_err();
            assert_eq!(refused.fields(), [("value".to_owned(), vec!["text".to_owned()])]);
            assert_eq!(told[2].result.as_ref().unwrap_err().message(), "text");
        };
        "datapoints/create.422": |client| client.datapoints().create(DSN, "intensity", "not a number").send().await?;
        "datapoints/create.404": |client| client.datapoints().create(DSN, "no_such_property", 30).send().await?;
        "datapoints/get.pending": |client| {
            let datapoint = client.datapoints().get(41, "intensity", DATAPOINT).await?;
            assert_eq!((datapoint.id.as_str(), datapoint.acked_at, datapoint.ack_status), (DATAPOINT, None, -1));
        };
        "datapoints/get.acked": |client| {
            let datapoint = client.datapoints().get(41, "intensity", DATAPOINT).await?;
            assert_eq!((datapoint.ack_status, datapoint.acked_at), (200, Some(NOW.parse::<Time>()?)));
        };
        "files/create": |client| {
            let placeholder = client.files().create(44).send().await?;
            assert_eq!((placeholder.closed, placeholder.location.as_str()), (false, "text"));
            assert_eq!(placeholder.file.expose(), "text");
        };
        "files/create.metadata": |client| {
            let placeholder = client.files().create(44).metadata("by", "a test").send().await?;
            assert_eq!(placeholder.datapoint.metadata["by"], "a test");
        };
        "files/create.404": |client| client.files().create(999_999_999).send().await?;
        "files/complete": |client| client.files().complete(LOCATION).await?;
        "files/complete.406": |client| client.files().complete(LOCATION).await?;
        "files/complete.404": |client| {
            let location = LOCATION.replace("9b2f6f0e-0000-71f1-8000-000000000002", "99999999-9999-4999-8999-999999999999");
            client.files().complete(&location).await?;
        };
        "files/get": |client| {
            let file = client.files().get(LOCATION).await?;
            assert_eq!((file.closed, file.file.expose(), file.datapoint.id.as_str()), (true, "text", FILE));
        };
        "files/get.406": |client| client.files().get(LOCATION).await?;
        "files/fetched": |client| client.files().mark_fetched(LOCATION).await?;
        "files/fetched.406": |client| client.files().mark_fetched(LOCATION).await?;
        "subscriptions/create": |client| {
            let subscription = client.subscriptions().create().send().await?;
            assert_eq!(subscription.stream_key.expose(), "0123456789abcdef0123456789abcdef");
            assert_eq!(subscription.subscription_types, [SubscriptionType::Datapoint, SubscriptionType::DatapointAck]);
        };
        "subscriptions/create.dsns": |client| {
            use SubscriptionType::{Connectivity, Datapoint, DatapointAck};
            let create = client.subscriptions().create().dsns([DSN, "AC000W000000002"]);
            let subscription = create.subscription_types([Datapoint, DatapointAck, Connectivity]).send().await?;
            assert_eq!(subscription.dsn.as_deref(), Some("AC000W000000001,AC000W000000002"));
        };
        "subscriptions/list": |client| assert_eq!(client.subscriptions().list().await?[0].id.as_str(), "7");
        "subscriptions/get": |client| assert_eq!(client.subscriptions().get(51).await?.id.as_str(), "51");
        "subscriptions/get.404": |client| client.subscriptions().get(999_999_999).await?;
        "subscriptions/delete": |client| client.subscriptions().delete(51).await?;
    }
    .into()
}

/// A client whose tokens are those of the golden request.
fn client(server: &Server, request: &Value) -> Client {
    let text = |value: &Value, or: &str| value.as_str().unwrap_or(or).to_owned();
    let variables = golden::variables();
    let known = |name: &str| variables[name].as_str().unwrap().to_owned();
    let header = text(&request["headers"]["authorization"], &format!("auth_token {}", known("access_token")));
    let user = &request["body"]["user"];
    let app_id = text(&user["application"]["app_id"], "app");
    let store = MemoryTokenStore::with(Authorization {
        access_token: header.trim_start_matches("auth_token ").into(),
        refresh_token: text(&user["refresh_token"], &known("refresh_token")).into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: NOW.parse().unwrap(),
    });
    let config = Config::local(&server.base, app_id, known("app_secret")).unwrap();
    Client::builder(config, Arc::new(store)).clock(Clock::mock(NOW.parse().unwrap())).build().unwrap()
}

fn assert_request(name: &str, golden: &Value, server: &Server) {
    let seen = server.first();
    assert_eq!(seen.method, golden["method"], "{name}");
    let path = format!("/{}{}", golden["service"].as_str().unwrap(), golden["path"].as_str().unwrap());
    assert_eq!(seen.path, path, "{name}");
    let mut query: Vec<_> = golden["query"].as_array().into_iter().flatten().map(|q| q.as_str().unwrap()).collect();
    query.sort_unstable();
    assert_eq!(seen.query, query, "{name}");
    for header in ["authorization", "content-type"] {
        let found = seen.headers.get(header).map(|value| value.to_str().unwrap());
        assert_eq!(found, golden["headers"][header].as_str(), "{name}: {header}");
    }
    assert_eq!(seen.body.as_ref(), golden.get("body"), "{name}");
}

#[tokio::test]
async fn requests_are_emitted_and_answers_are_read() {
    for (name, run) in cases() {
        let file = golden::load(name);
        let status = u16::try_from(file["response"]["status"].as_u64().unwrap()).unwrap();
        for body in golden::samples(&file["response"]["body"]) {
            let body = if body.is_null() { String::new() } else { body.to_string() };
            let server = Server::answering(status, body.clone()).await;
            let result = run(client(&server, &file["request"])).await;
            assert_request(name, &file["request"], &server);
            match (status, result) {
                (200..300, result) => result.unwrap_or_else(|error| panic!("{name}: {error:?} for {body}")),
                (_, Ok(())) => panic!("{name}: an error is expected"),
                // The library tries a refresh, which is denied.
                (401, Err(error)) => assert_eq!(error.kind(), ErrorKind::Auth, "{name}"),
                (status, Err(error)) => {
                    assert_eq!(error.status(), Some(status), "{name}");
                    assert!(error.message().contains("text"), "{name}: {error:?}");
                }
            }
        }
    }
}

/// Whether the call ended within so many polls; otherwise it is dropped there.
async fn ends_within(polls: usize, mut call: BoxFuture<'static, Result<()>>) -> bool {
    let mut polled = 0;
    poll_fn(|context| {
        if polled == polls {
            return Poll::Ready(false);
        }
        polled += 1;
        call.as_mut().poll(context).map(|_| true)
    })
    .await
}

#[tokio::test]
async fn a_call_that_is_dropped_anywhere_harms_no_other() {
    // Of users only the session's own calls are here, and those have tests of their own.
    for (name, run) in cases().into_iter().filter(|(name, _)| !name.starts_with("users/")) {
        let file = golden::load(name);
        let status = u16::try_from(file["response"]["status"].as_u64().unwrap()).unwrap();
        if status >= 300 {
            continue;
        }
        let server = Server::answering(status, golden::samples(&file["response"]["body"])[0].to_string()).await;
        let client = client(&server, &file["request"]);
        let mut polls = 0;
        while !ends_within(polls, run(client.clone())).await {
            polls += 1;
        }
        assert!(polls > 1, "{name} waits for nothing");
        run(client).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
}

#[tokio::test]
async fn every_form_of_an_error_is_read() {
    for name in golden::names().iter().filter(|name| name.starts_with("errors/")) {
        let file = golden::load(name);
        let response = &file["response"];
        let status = u16::try_from(response["status"].as_u64().unwrap()).unwrap();
        let body = response["text"].as_str().map_or_else(|| response["body"].to_string(), str::to_owned);
        let server = Server::answering(status, body).await;
        let error = client(&server, &Value::Null).users().profile().await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(status)), "{name}");
        assert_eq!(error.message(), file["message"], "{name}");
    }
}

#[test]
fn every_file_has_its_case() {
    let covered: Vec<_> = cases().into_iter().map(|(name, _)| name).collect();
    for name in golden::names() {
        // The next page of a history and an empty batch are calls that the library makes in no test of one request.
        let unsent = ["datapoints/pages.next", "datapoints/batch.422"].contains(&name.as_str());
        let elsewhere = name.starts_with("errors/") || name.starts_with("stream/") || unsent;
        assert!(elsewhere || covered.contains(&name.as_str()), "{name} is used by no test");
    }
}

#[test]
fn the_samples_of_a_file_have_its_shape() {
    for name in golden::names() {
        let pattern = &golden::load(&name)["response"]["body"];
        for sample in golden::samples(pattern) {
            golden::matches(pattern, Some(&sample), &name).unwrap();
        }
    }
    assert!(golden::matches(&serde_json::json!({"a": "<time>"}), Some(&serde_json::json!({"a": "now"})), "").is_err());
    assert!(golden::matches(&serde_json::json!({"a": "<text>"}), Some(&serde_json::json!({})), "").is_err());
}

#[tokio::test]
async fn a_write_succeeds_whatever_the_answer_looks_like() {
    for body in ["", "OK", "[]", "{\"unexpected\": true}", "null", "<html>"] {
        let server = Server::answering(201, body.to_owned()).await;
        let client = client(&server, &Value::Null);
        let written = client.datapoints().create(DSN, "intensity", 30).send().await.unwrap();
        assert!(written.id.is_blank(), "{body}");
        let subscription = client.subscriptions().create().send().await.unwrap();
        assert!(subscription.stream_key.is_blank(), "{body}");
        let data = client.devices().data(DSN);
        assert!(data.create("k", "v").await.is_ok() && data.update("k", "v").await.is_ok(), "{body}");
        assert!(client.role_labels().associate(41, ROLE).send().await.is_ok(), "{body}");
        assert!(client.devices().rename(41, "Lobby").await.is_ok(), "{body}");
        assert!(client.devices().set_time_zone(41, "Asia/Tokyo").await.is_ok(), "{body}");
        assert!(client.devices().set_location(41, 48.864_716, 2.349_014).send().await.is_ok(), "{body}");
    }
}

#[tokio::test]
async fn a_role_label_is_sent_without_what_it_lacks() {
    let table = [
        (None, ("zone", "north"), json!({"role_name": ROLE, "key": "zone", "value": "north"})),
        (Some("text"), ("zone", ""), json!({"role_name": ROLE, "description": "text"})),
        (Some(" "), (" ", "north"), json!({"role_name": ROLE})),
        (Some("text"), ("a", "b"), json!({"role_name": ROLE, "description": "text", "key": "a", "value": "b"})),
    ];
    for (description, (key, value), expected) in table {
        for wrapped in [true, false] {
            let server = Server::answering(200, "{}".to_owned()).await;
            let labels = client(&server, &Value::Null).role_labels();
            let write = if wrapped { labels.enable_role_label_on_device(41, ROLE) } else { labels.associate(41, ROLE) };
            let write = match description {
                Some(text) => write.description(text),
                None => write,
            };
            write.label(key, value).send().await.unwrap();
            let body = if wrapped { json!({"role_label": expected}) } else { expected.clone() };
            assert_eq!(server.first().body, Some(body));
        }
    }
}

#[tokio::test]
async fn a_read_that_finds_no_answer_says_so() {
    for body in ["", "OK", "7", "<html>"] {
        let server = Server::answering(200, body.to_owned()).await;
        let error = client(&server, &Value::Null).users().profile().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Json, "{body}");
    }
}

#[tokio::test]
async fn a_cloud_that_repeats_its_next_page_is_not_asked_for_ever() {
    let page = r#"{"total": 2, "next_page": 2, "devices": [{"device": {"key": 1}}]}"#;
    let server = Server::answering(200, page.to_owned()).await;
    let list = client(&server, &Value::Null).devices().list();
    let devices: Vec<_> = list.items().try_collect().await.unwrap();
    assert_eq!((devices.len(), server.count()), (2, 2));
}

#[tokio::test]
async fn a_history_that_repeats_its_next_page_is_not_asked_for_ever() {
    let page =
        r#"{"meta": {"next_page": "b"}, "datapoints": [{"datapoint": {"id": "b"}}, {"datapoint": {"id": "a"}}]}"#;
    let server = Server::answering(200, page.to_owned()).await;
    let history = client(&server, &Value::Null).datapoints().list(DSN, "fan").history();
    let ids: Vec<_> = history.map_ok(|datapoint| datapoint.id.to_string()).try_collect().await.unwrap();
    assert_eq!((ids, server.count()), (["a", "b", "a", "b"].map(str::to_owned).to_vec(), 2));
}

#[tokio::test]
async fn a_history_that_a_cloud_does_not_page_is_its_newest_datapoints() {
    let server = Server::answering(200, r#"[{"datapoint": {"id": "a"}}, {"datapoint": {"id": "b"}}]"#.to_owned()).await;
    let history = client(&server, &Value::Null).datapoints().list(DSN, "fan").history();
    let ids: Vec<_> = history.map_ok(|datapoint| datapoint.id.to_string()).try_collect().await.unwrap();
    assert_eq!((ids, server.count()), (["b", "a"].map(str::to_owned).to_vec(), 1));
}

#[tokio::test]
async fn a_count_of_0_or_less_or_above_100_becomes_100() {
    for (count, sent) in [(-1, "100"), (0, "100"), (1, "1"), (100, "100"), (101, "100")] {
        let server = Server::answering(200, "[]".to_owned()).await;
        client(&server, &Value::Null).datapoints().list_by_key(43).limit(count).send().await.unwrap();
        assert_eq!(server.first().query, [format!("limit={sent}")], "{count}");
    }
}

#[tokio::test]
async fn a_batch_whose_answer_cannot_be_read_counts_as_written() {
    for body in ["", "[]", "[7]", "[{\"status\": \"x\"}]"] {
        let server = Server::answering(201, body.to_owned()).await;
        let told = client(&server, &Value::Null).datapoints().batch().add(DSN, "fan", 2).send().await.unwrap();
        let written = told[0].result.as_ref().unwrap();
        assert!(written.id.is_blank() && written.value == Some(2.into()), "{body}");
    }
}

#[tokio::test]
async fn nobody_listening_is_a_network_error_without_address() {
    let mut server = Server::answering(200, String::new()).await;
    server.base = "http://127.0.0.1:1".to_owned();
    let error = client(&server, &Value::Null).devices().without_retry().get(DSN).send().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert!(error.is_retryable() && !format!("{error:?}").contains(DSN), "{error:?}");
}

#[tokio::test]
async fn missing_arguments_and_sessions_are_found_before_anything_is_sent() {
    let server = Server::answering(200, "[]".to_owned()).await;
    let signed_in = client(&server, &Value::Null);
    let signed_out = signed_in.with_store(Arc::new(MemoryTokenStore::new()));
    let expect =
        |error: devicecloud::Error, kind, message: &str| assert_eq!((error.kind(), error.message()), (kind, message));
    let missing = |error, message| expect(error, ErrorKind::InvalidArgument, message);
    missing(signed_in.devices().get(" ").send().await.unwrap_err(), "DSN is required");
    missing(signed_in.devices().get("..").send().await.unwrap_err(), "Invalid path argument");
    missing(signed_in.devices().list().page(0).send().await.unwrap_err(), "Page and page size start at 1");
    missing(signed_in.properties().list("").send().await.unwrap_err(), "DSN is required");
    missing(signed_in.datapoints().create("", "p", 1).send().await.unwrap_err(), "DSN is required");
    missing(signed_in.datapoints().create(DSN, " ", 1).send().await.unwrap_err(), "Property name is required");
    missing(signed_in.datapoints().create(DSN, "p", f64::NAN).send().await.unwrap_err(), "Invalid property value");
    missing(signed_in.datapoints().create_by_key(" ", 1).send().await.unwrap_err(), "Property key is required");
    missing(signed_in.datapoints().create_by_device("", "p", 1).send().await.unwrap_err(), "Device key is required");
    missing(signed_in.datapoints().batch().send().await.unwrap_err(), "Datapoint is required");
    missing(signed_in.datapoints().batch().add("", "p", 1).send().await.unwrap_err(), "DSN is required");
    missing(signed_in.datapoints().batch().add(DSN, "", 1).send().await.unwrap_err(), "Property name is required");
    missing(signed_in.datapoints().list("", "p").send().await.unwrap_err(), "DSN is required");
    missing(signed_in.datapoints().list_by_key("").send().await.unwrap_err(), "Property key is required");
    missing(signed_in.properties().get(DSN, " ").await.unwrap_err(), "Property name is required");
    missing(signed_in.properties().get_by_device("", "p").await.unwrap_err(), "Device key is required");
    missing(signed_in.properties().get_by_key("").await.unwrap_err(), "Property key is required");
    missing(signed_in.properties().list_by_device("").send().await.unwrap_err(), "Device key is required");
    missing(signed_in.datapoints().get("", "p", "d").await.unwrap_err(), "Device key is required");
    missing(signed_in.datapoints().get(41, "", "d").await.unwrap_err(), "Property name is required");
    missing(signed_in.datapoints().get(41, "p", "").await.unwrap_err(), "Datapoint id is required");
    missing(signed_in.files().create("").send().await.unwrap_err(), "Property key is required");
    for location in ["", " ", "https://cloud.example.com/"] {
        missing(signed_in.files().get(location).await.unwrap_err(), "Location path is empty");
        missing(signed_in.files().complete(location).await.unwrap_err(), "Location path is empty");
        missing(signed_in.files().mark_fetched(location).await.unwrap_err(), "Location path is empty");
        missing(signed_in.files().download(location).await.unwrap_err(), "Location path is empty");
    }
    missing(signed_in.subscriptions().get(" ").await.unwrap_err(), "Subscription Id is required");
    missing(signed_in.subscriptions().delete("").await.unwrap_err(), "Subscription Id is required");
    let no_dsns = signed_in.subscriptions().create().dsns(Vec::<String>::new());
    missing(no_dsns.send().await.unwrap_err(), "DSN is required");
    missing(signed_in.subscriptions().create().dsns(["A,B"]).send().await.unwrap_err(), "Invalid DSN");
    let devices = signed_in.devices();
    missing(devices.get_by_key("").send().await.unwrap_err(), "Device key is required");
    missing(devices.rename(" ", "").await.unwrap_err(), "Device key is required");
    missing(devices.rename(41, " ").await.unwrap_err(), "Display name is requried");
    missing(devices.unregister("").await.unwrap_err(), "Device key is required");
    missing(devices.factory_reset("").await.unwrap_err(), "Device key is required");
    missing(devices.address("").await.unwrap_err(), "Device key is required");
    missing(devices.set_address("", &address()).await.unwrap_err(), "Device key is required");
    missing(devices.time_zone("").await.unwrap_err(), "Device key is required");
    missing(devices.set_time_zone("", "").await.unwrap_err(), "Device key is required");
    missing(devices.set_time_zone(41, " ").await.unwrap_err(), "Time zone is required");
    missing(devices.set_location(" ", 0.0, 0.0).send().await.unwrap_err(), "Display key not found");
    for (lat, lng) in [(90.1, 0.0), (-90.1, 0.0), (0.0, 180.1), (0.0, -180.1), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
        missing(devices.set_location(41, lat, lng).send().await.unwrap_err(), "Invalid location");
    }
    let data = devices.data(DSN);
    missing(devices.data(" ").list().send().await.unwrap_err(), "DSN is required");
    missing(devices.data("").create("", "").await.unwrap_err(), "DSN is required");
    missing(devices.data("").get("").await.unwrap_err(), "DSN is required");
    missing(data.create(" ", "v").await.unwrap_err(), "Datum key is required");
    missing(data.get("").await.unwrap_err(), "Datum key is required");
    missing(data.update("", "v").await.unwrap_err(), "Datum key is required");
    missing(data.delete(" ").await.unwrap_err(), "Datum key is required");
    missing(data.get("..").await.unwrap_err(), "Invalid path argument");
    let labels = signed_in.role_labels();
    missing(devices.role_labels("").await.unwrap_err(), "Device ID is empty");
    missing(labels.list(" ").await.unwrap_err(), "Device ID is empty");
    missing(labels.associate("", "").send().await.unwrap_err(), "Device ID is empty");
    missing(labels.disassociate("", "").send().await.unwrap_err(), "Device ID is empty");
    missing(labels.enable_role_label_on_device("", "").send().await.unwrap_err(), "Device ID is empty");
    missing(labels.enable_role_label_on_device(41, " ").send().await.unwrap_err(), "Role name is empty");
    missing(labels.associate(41, " ").send().await.unwrap_err(), "Role name is empty");
    missing(labels.disassociate(41, " ").send().await.unwrap_err(), "Role name is empty");
    missing(labels.find_devices(" ").send().await.unwrap_err(), "Role name is empty");
    missing(labels.update_role_label("", "").send().await.unwrap_err(), "Role ID is empty");
    missing(labels.update_role_label(61, "").send().await.unwrap_err(), "Role name is empty");
    missing(labels.disable_role_label(" ").await.unwrap_err(), "Role ID is empty");
    missing(labels.get("").await.unwrap_err(), "Role ID is empty");
    let first = |error, message| expect(error, ErrorKind::Precondition, message);
    first(signed_out.devices().data("").create("", "").await.unwrap_err(), "No session is active");
    first(signed_out.devices().data("").list().send().await.unwrap_err(), "No session is active");
    let labels = signed_out.role_labels();
    first(labels.list("").await.unwrap_err(), "Session manager is required");
    first(labels.get("").await.unwrap_err(), "Session manager is required");
    first(labels.find_devices("").send().await.unwrap_err(), "Session manager is required");
    first(labels.associate("", "").send().await.unwrap_err(), "Session manager is required");
    first(labels.disassociate("", "").send().await.unwrap_err(), "Session manager is required");
    first(labels.enable_role_label_on_device("", "").send().await.unwrap_err(), "Session manager is required");
    first(labels.update_role_label("", "").send().await.unwrap_err(), "Session manager is required");
    first(labels.disable_role_label("").await.unwrap_err(), "Session manager is required");
    first(signed_out.devices().role_labels("").await.unwrap_err(), "Session manager is required");
    first(signed_out.devices().rename("", "").await.unwrap_err(), "No session is active");
    first(signed_out.devices().set_location("", 0.0, 0.0).send().await.unwrap_err(), "No session is active");
    first(signed_out.devices().factory_reset("").await.unwrap_err(), "No session is active");
    first(signed_out.devices().time_zone("").await.unwrap_err(), "No session is active");
    first(signed_out.devices().get("").send().await.unwrap_err(), "Session manager is required");
    first(signed_out.devices().all().await.unwrap_err(), "Session manager is required");
    first(signed_out.properties().list("").send().await.unwrap_err(), "Session is not active");
    first(signed_out.datapoints().create(DSN, "p", 1).send().await.unwrap_err(), "Session is not active");
    first(signed_out.datapoints().batch().send().await.unwrap_err(), "Session is not active");
    first(signed_out.datapoints().list_by_key("").send().await.unwrap_err(), "Session is not active");
    first(signed_out.properties().get_by_key("").await.unwrap_err(), "Session is not active");
    first(signed_out.files().create("").send().await.unwrap_err(), "Session is not active");
    first(signed_out.files().get("").await.unwrap_err(), "Session is not active");
    first(signed_out.users().profile().await.unwrap_err(), "No session is active");
    first(signed_out.refresh().await.unwrap_err(), "No session is active");
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn extra_headers_are_sent_and_bad_ones_refused() {
    let server = Server::answering(200, "[]".to_owned()).await;
    let config = || Config::local(&server.base, "app", "secret").unwrap();
    let tokens = || {
        Arc::new(MemoryTokenStore::with(Authorization {
            access_token: "a".into(),
            refresh_token: "r".into(),
            expires_in_secs: 86_400,
            role: None,
            created_at: Clock::system().now(),
        }))
    };
    let client = Client::builder(config(), tokens()).header("x-tenant", "blue").build().unwrap();
    client.devices().all().await.unwrap();
    assert_eq!(server.first().headers["x-tenant"], "blue");
    for (name, value) in [("bad name", "v"), ("x", "line\nbreak")] {
        let error = Client::builder(config(), tokens()).header(name, value).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
}

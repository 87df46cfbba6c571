//! Calls about properties, datapoints and files through the client library.

use std::sync::Arc;

use cloud::testing::{APP_ID, APP_SECRET, PASSWORD, World};
use devicecloud::api::FileContent;
use devicecloud::{BaseType, Client, Config, Datapoint, Error, ErrorKind, MemoryTokenStore, PropertyValue};
use futures::{StreamExt, TryStreamExt, stream};
use jiff::SignedDuration;
use serde_json::json;

use crate::client::Fixture;

async fn signed_in(fixture: &Fixture, email: &str) -> Client {
    let config = Config::local(&fixture.cloud.url(), APP_ID, APP_SECRET).unwrap();
    let client = Client::new(config, Arc::new(MemoryTokenStore::new())).unwrap();
    client.sign_in(email, &PASSWORD.into()).await.unwrap();
    client
}

fn values(datapoints: &[Datapoint]) -> Vec<i64> {
    datapoints.iter().map(|datapoint| datapoint.value.as_ref().unwrap().as_i64().unwrap()).collect()
}

#[tokio::test]
async fn property_is_read_by_dsn_device_and_key() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::PARTNER_OBSERVER_A).await;
    let device = client.devices().get("DEV-A1").send().await.unwrap().key;
    let properties = client.properties();
    let by_dsn = properties.get("DEV-A1", "hours").await.unwrap();
    assert_eq!((&by_dsn.base_type, &by_dsn.value), (&Some(BaseType::Decimal), &Some(12.5.into())));
    assert!(by_dsn.read_only && by_dsn.data_updated_at.is_some() && !by_dsn.ack_enabled);
    assert_eq!(properties.get_by_device(&device, "hours").await.unwrap(), by_dsn);
    assert_eq!(properties.get_by_key(&by_dsn.key).await.unwrap(), by_dsn);

    let all = properties.list("DEV-A1").send().await.unwrap();
    assert_eq!(properties.list_by_device(&device).send().await.unwrap(), all);
    assert!(all.contains(&by_dsn));
    for (names, expected) in [
        (vec!["fan", "no_such_property", "hours"], vec!["fan", "hours"]),
        (vec!["%o%"], vec!["note", "hours", "log"]),
        (vec!["l%", "fan"], vec!["fan", "lamp", "log"]),
        (vec!["no_such_property"], vec![]),
    ] {
        let list = properties.list("DEV-A1").names(names.iter().copied());
        let found: Vec<_> = list.send().await.unwrap().into_iter().map(|property| property.name).collect();
        assert_eq!(found, expected, "{names:?}");
    }
    for error in [
        properties.get("DEV-B1", "hours").await.unwrap_err(),
        properties.get("DEV-A1", "no_such_property").await.unwrap_err(),
        properties.get_by_key(999_999_999).await.unwrap_err(),
        properties.get_by_device(999_999_999, "hours").await.unwrap_err(),
        properties.list("NO-SUCH").send().await.unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(404)));
    }
}

#[tokio::test]
async fn value_is_written_by_dsn_device_and_key() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::TECHNICIAN_A).await;
    let device = client.devices().get("DEV-A1").send().await.unwrap().key;
    let (datapoints, key) = (client.datapoints(), client.properties().get("DEV-A1", "intensity").await.unwrap().key);
    let by_dsn = datapoints.create("DEV-A1", "intensity", 10).send().await.unwrap();
    let by_device = datapoints.create_by_device(&device, "intensity", 11).send().await.unwrap();
    let by_key = datapoints.create_by_key(&key, 12).metadata("by", "a test").send().await.unwrap();
    assert_eq!(by_key.metadata["by"], "a test");
    for (written, value) in [(by_dsn, 10), (by_device, 11), (by_key, 12)] {
        let read = datapoints.get(&device, "intensity", &written.id).await.unwrap();
        assert_eq!((&read, read.value.as_ref()), (&written, Some(&value.into())));
        assert!(!read.echo && read.acked_at.is_none() && read.created_at.is_some());
    }
    let property = client.properties().get_by_key(&key).await.unwrap();
    assert_eq!(property.value, Some(PropertyValue::Integer(12)));
    let error = datapoints.create_by_key(&key, 51).send().await.unwrap_err();
    assert_eq!((error.status(), error.fields()[0].0.as_str()), (Some(422), "value"));
    let observer = signed_in(&fixture, World::PARTNER_OBSERVER_A).await;
    assert_eq!(observer.datapoints().create_by_key(&key, 13).send().await.unwrap_err().status(), Some(403));
}

#[tokio::test]
async fn datapoints_of_a_time_range_and_the_whole_history_are_read() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::OBSERVER).await;
    let device = fixture.cloud.device("DEV-A1").await;
    for value in 1..=250 {
        device.report(&[("fan", json!(value))]).await;
        fixture.cloud.clock().advance(SignedDuration::from_secs(1));
    }
    let fan = client.properties().get("DEV-A1", "fan").await.unwrap();
    let key = client.devices().get("DEV-A1").send().await.unwrap().key;
    let datapoints = client.datapoints();
    for (count, expected) in [(-1, 151..=250), (0, 151..=250), (1, 250..=250), (100, 151..=250), (101, 151..=250)] {
        let expected: Vec<i64> = expected.collect();
        for list in
            [datapoints.list("DEV-A1", "fan"), datapoints.list_by_device(&key, "fan"), datapoints.list_by_key(&fan.key)]
        {
            assert_eq!(values(&list.limit(count).send().await.unwrap()), expected, "{count}");
        }
    }
    let at = |text: &str| text.parse().unwrap();
    let span = datapoints.list_by_key(&fan.key).since(at("2026-11-20T10:00:10Z")).until(at("2026-11-20T10:00:12Z"));
    assert_eq!(values(&span.send().await.unwrap()), [11, 12, 13]);
    let backwards: Vec<_> = span.limit(2).history().try_collect().await.unwrap();
    assert_eq!(values(&backwards), [13, 12, 11]);
    // With any page size, every datapoint is listed exactly once.
    for per_page in [7, 100, 1000] {
        let history: Vec<_> = datapoints.list("DEV-A1", "fan").limit(per_page).history().try_collect().await.unwrap();
        assert_eq!(values(&history), (1..=250).rev().collect::<Vec<i64>>(), "{per_page}");
    }
    let newest: Vec<_> = datapoints.list("DEV-A1", "fan").limit(10).history().take(15).try_collect().await.unwrap();
    assert_eq!(values(&newest), (236..=250).rev().collect::<Vec<i64>>());
}

#[tokio::test]
async fn batch_reports_the_result_of_each_value() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::PARTNER_ADMIN_A).await;
    let batch = client.datapoints().batch().add("DEV-A1", "intensity", 30).add("DEV-A2", "note", "text");
    let batch = batch.metadata("by", "a test").add("DEV-B1", "intensity", 30).add("DEV-A1", "intensity", 51);
    let results = batch.send().await.unwrap();
    let statuses: Vec<_> = results.iter().map(|entry| entry.result.as_ref().err().and_then(Error::status)).collect();
    assert_eq!(statuses, [None, None, Some(404), Some(422)]);
    let written = results[1].result.as_ref().unwrap();
    assert_eq!((&written.value, written.metadata["by"].as_str()), (&Some("text".into()), "a test"));
    assert!(!written.id.is_blank());
    assert_eq!(results[3].result.as_ref().unwrap_err().fields()[0].0, "value");
    assert_eq!(client.properties().get("DEV-A1", "intensity").await.unwrap().value, Some(30.into()));
    let many = (0..501).fold(client.datapoints().batch(), |batch, _| batch.add("DEV-A1", "fan", 1));
    assert_eq!(many.send().await.unwrap_err().status(), Some(422));
}

#[tokio::test]
async fn file_is_uploaded_found_and_downloaded() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::TECHNICIAN_A).await;
    let (files, content) = (client.files(), (0..1_000_000_u32).map(|n| (n % 251) as u8).collect::<Vec<u8>>());
    let key = client.properties().get("DEV-A1", "log").await.unwrap().key;
    let placeholder = files.create(&key).metadata("kind", "log").send().await.unwrap();
    assert!(!placeholder.closed && placeholder.datapoint.metadata["kind"] == "log");
    let incomplete = files.get(&placeholder.location).await.unwrap_err();
    assert_eq!((incomplete.kind(), incomplete.status()), (ErrorKind::Server, Some(406)));
    assert_eq!(files.complete(&placeholder.location).await.unwrap_err().status(), Some(406));

    let chunks: Vec<_> = content.chunks(30_000).map(|chunk| Ok(chunk.to_vec())).collect();
    let uploaded = files.upload(&placeholder, FileContent::chunks(stream::iter(chunks))).await.unwrap();
    assert!(uploaded.closed && uploaded.location == placeholder.location);
    files.complete(&placeholder.location).await.unwrap();
    let again = files.upload(&placeholder, "other").await.unwrap_err();
    assert_eq!((again.kind(), again.status(), again.message()), (ErrorKind::Server, Some(406), "Not Acceptable"));

    // The value of the property refers to the file.
    let reader = signed_in(&fixture, World::PARTNER_OBSERVER_A).await;
    let value = reader.properties().get_by_key(&key).await.unwrap().value.unwrap();
    let location = value.as_str().unwrap();
    let file = reader.files().get(location).await.unwrap();
    let read: Vec<Vec<u8>> = reader.files().open(&file).await.unwrap().try_collect().await.unwrap();
    assert!(read.concat() == content && read.len() > 1);
    let items: Vec<_> = reader.files().download(location).await.unwrap().collect().await;
    assert_eq!(
        items.last().unwrap().as_ref().unwrap_err().status(),
        Some(403),
        "readers cannot mark a file as fetched"
    );

    let read: Vec<Vec<u8>> = files.download(location).await.unwrap().try_collect().await.unwrap();
    assert!(read.concat() == content);
    let fetched = fixture.get(&fixture.token(World::ADMIN).await, &location[fixture.cloud.url().len()..]).await;
    assert_eq!(fetched.body["datapoint"]["fetched_at"], "2026-11-20T10:00:00Z");
    let datapoint = &client.datapoints().list_by_key(&key).send().await.unwrap()[0];
    assert_eq!((datapoint.id.as_str(), &datapoint.value), (file.datapoint.id.as_str(), &Some(location.into())));
    let other = client.properties().get("DEV-A1", "fan").await.unwrap().key;
    assert_eq!(files.create(&other).send().await.unwrap_err().status(), Some(422), "no file property");
}

#[tokio::test]
async fn dropped_upload_stores_nothing_and_can_be_repeated() {
    let fixture = Fixture::start().await;
    let client = signed_in(&fixture, World::TECHNICIAN_A).await;
    let key = client.properties().get("DEV-A1", "log").await.unwrap().key;
    let placeholder = client.files().create(&key).send().await.unwrap();
    let (waits, more) = tokio::sync::oneshot::channel();
    let first = stream::iter([Ok(vec![1; 300_000])]);
    // The stream never yields its second chunk, so the upload waits until it is dropped.
    let rest = stream::once(async move {
        waits.send(()).unwrap();
        std::future::pending::<std::io::Result<Vec<u8>>>().await
    });
    let files = client.files();
    tokio::select! {
        result = files.upload(&placeholder, FileContent::chunks(first.chain(rest))) => panic!("{result:?}"),
        waits = more => waits.unwrap(),
    }
    assert_eq!(client.files().complete(&placeholder.location).await.unwrap_err().status(), Some(406));
    assert_eq!(client.properties().get_by_key(&key).await.unwrap().value, None);
    client.files().upload(&placeholder, "whole").await.unwrap();
    let read: Vec<_> = client.files().download(&placeholder.location).await.unwrap().try_collect().await.unwrap();
    assert_eq!(read.concat(), b"whole");
}

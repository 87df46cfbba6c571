//! Files (docs/wire.md#files, A-113): placeholder, upload, completion, download, fetched mark.

use cloud::testing::{TestCloud, World};
use jiff::SignedDuration;
use reqwest::{Body, Method, Response, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{Answer, Fixture, answer};
use crate::stream::{event, open};

const LOG: &str = "/apiv1/dsns/DEV-A1/properties/log/datapoints.json";

/// More than two chunks.
fn content() -> Vec<u8> {
    (0..700_000_u32).map(|n| (n * 7 % 251) as u8).collect()
}

fn text<'a>(file: &'a Value, member: &str) -> &'a str {
    file[member].as_str().unwrap()
}

/// The path of a location, as clients extract it.
fn path(file: &Value) -> &str {
    let location = text(file, "location");
    &location[location.find("/apiv1/").unwrap()..]
}

impl Fixture {
    async fn placeholder(&self, token: &str) -> Value {
        let mut answer = self.post(token, LOG, json!({ "datapoint": {} })).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.body["datapoint"].take()
    }

    async fn send_bytes(&self, file: &Value, bytes: impl Into<Body>) -> Answer {
        answer(crate::client::client().put(text(file, "file")).body(bytes).send().await.unwrap()).await
    }

    async fn bytes(&self, file: &Value) -> Response {
        crate::client::client().get(text(file, "file")).send().await.unwrap()
    }

    async fn put_location(&self, token: &str, path: &str, body: Option<Value>) -> Answer {
        self.call(Method::PUT, path, Some(token), body).await
    }

    /// A complete file.
    async fn complete(&self, token: &str, bytes: &[u8]) -> Value {
        let file = self.placeholder(token).await;
        assert_eq!(self.send_bytes(&file, bytes.to_vec()).await.status, 200);
        let mut closed = self.put_location(token, path(&file), None).await;
        assert_eq!(closed.status, 200, "{}", closed.body);
        closed.body["datapoint"].take()
    }
}

#[tokio::test]
async fn file_is_uploaded_and_downloaded_unchanged() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::TECHNICIAN_A).await;
    let file = fixture.placeholder(&token).await;
    assert_eq!((&file["closed"], &file["value"]), (&json!(false), &file["location"]));
    assert!(text(&file, "location").starts_with(&format!("{}/apiv1/devices/", fixture.cloud.url())));
    assert!(text(&file, "location").ends_with(&format!("/properties/log/datapoints/{}.json", text(&file, "id"))));
    assert_eq!(fixture.send_bytes(&file, content()).await.status, 200);
    let closed = fixture.put_location(&token, path(&file), None).await;
    assert_eq!((closed.status, &closed.body["datapoint"]["closed"]), (200, &json!(true)));

    let read = fixture.get(&token, path(&file)).await.body["datapoint"].take();
    for member in ["id", "location", "value", "metadata", "echo"] {
        assert_eq!(read[member], file[member], "{member}");
    }
    let response = fixture.bytes(&read).await;
    assert_eq!(response.headers()["content-length"], "700000");
    assert_eq!(response.headers()["content-type"], "application/octet-stream");
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    assert_eq!(response.headers()["content-disposition"], "attachment");
    assert!(response.bytes().await.unwrap() == content(), "the same bytes");
    assert_eq!(fixture.property(&token, "DEV-A1", "log").await["value"], file["location"]);

    fixture.cloud.clock().advance(SignedDuration::from_secs(1));
    let fetched = fixture.put_location(&token, path(&file), Some(json!({ "datapoint": { "fetched": "true" } }))).await;
    assert_eq!((fetched.status, &fetched.body["datapoint"]["fetched_at"]), (200, &json!("2026-11-20T10:00:01Z")));
    // It is kept until its retention ends.
    assert_eq!(fixture.bytes(&read).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn every_path_of_a_file_returns_it() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let log = fixture.property(&token, "DEV-A1", "log").await;
    let by_device = format!("/apiv1/devices/{}/properties/log/datapoints", log["device_key"]);
    let by_key = format!("/apiv1/properties/{}/datapoints.json", log["key"]);
    for create in [LOG, &by_device, &by_key] {
        for body in [json!({}), json!({ "datapoint": {} }), json!({ "datapoint": { "value": "" } })] {
            let file = fixture.post(&token, create, body).await.body["datapoint"].take();
            let id = text(&file, "id");
            assert_eq!(fixture.send_bytes(&file, "x").await.status, 200);
            let by_dsn = format!("/apiv1/dsns/DEV-A1/properties/log/datapoints/{id}.json");
            for path in [format!("/apiv1/datapoints/{id}"), by_dsn.clone(), format!("{by_device}/{id}")] {
                assert_eq!(fixture.put_location(&token, &path, None).await.body["datapoint"]["closed"], true, "{path}");
            }
            assert_eq!(fixture.get(&token, &by_dsn).await.body["datapoint"]["id"], file["id"]);
        }
    }
    for list in [LOG, &by_device, &by_key] {
        let list = fixture.get(&token, list).await.body;
        assert_eq!(list.as_array().unwrap().len(), 9);
        for item in list.as_array().unwrap() {
            assert_eq!(fixture.bytes(&item["datapoint"]).await.text().await.unwrap(), "x");
        }
    }
    let page = fixture.get(&token, &format!("{LOG}?paginated=true&per_page=2")).await.body;
    assert_eq!(page["datapoints"][1]["datapoint"]["closed"], true);
}

#[tokio::test]
async fn file_is_completed_after_one_upload() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let file = fixture.placeholder(&token).await;
    let fetched = || Some(json!({ "datapoint": { "fetched": "true" } }));
    assert_eq!(fixture.put_location(&token, path(&file), None).await.status, 406);
    assert_eq!(fixture.send_bytes(&file, "first").await.status, 200);
    assert_eq!(fixture.send_bytes(&file, "second").await.status, 406);
    assert_eq!(fixture.get(&token, path(&file)).await.status, 406);
    assert_eq!(fixture.put_location(&token, path(&file), fetched()).await.status, 406);
    // A client that did not receive the answer sends the request again.
    for _ in 0..2 {
        assert_eq!(fixture.put_location(&token, path(&file), None).await.status, 200);
    }
    assert_eq!(fixture.send_bytes(&file, "third").await.status, 406);
    let read = fixture.get(&token, path(&file)).await.body["datapoint"].take();
    assert_eq!(fixture.bytes(&read).await.text().await.unwrap(), "first");
    assert_eq!(fixture.get(&token, LOG).await.body.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn incomplete_file_is_not_visible() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let older = fixture.complete(&token, b"older").await;
    let file = fixture.placeholder(&token).await;
    assert_eq!(fixture.send_bytes(&file, "newer").await.status, 200);
    let list = fixture.get(&token, LOG).await.body;
    assert_eq!((list.as_array().unwrap().len(), &list[0]["datapoint"]["id"]), (1, &older["id"]));
    assert_eq!(fixture.property(&token, "DEV-A1", "log").await["value"], older["location"]);

    let body = json!({ "subscription_type": "datapoint" });
    let key = fixture.post(&token, "/api/v1/subscriptions", body).await.body["subscription"]["stream_key"].take();
    let mut socket = open(&fixture, "/stream", key.as_str().unwrap()).await.unwrap();
    assert_eq!(fixture.put_location(&token, path(&file), None).await.status, 200);
    let published = event(&mut socket).await;
    assert_eq!(
        (&published["datapoint"]["value"], &published["datapoint"]["closed"]),
        (&file["location"], &json!(true))
    );
    assert_eq!(
        (&published["metadata"]["base_type"], &published["metadata"]["property_name"]),
        (&json!("file"), &json!("log"))
    );
}

#[tokio::test]
async fn signed_url_serves_one_file_and_method_for_an_hour() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let closed = fixture.complete(&token, b"bytes").await;
    let file = fixture.placeholder(&token).await;
    let (upload, download) = (text(&file, "file"), text(&closed, "file"));
    let http = crate::client::client();
    let forged = [
        upload.replace("signature=", "signature=0"),
        upload.replace("expires=", "expires=1"),
        upload.split('?').next().unwrap().to_owned(),
        upload.replace(text(&file, "id"), text(&closed, "id")),
        upload.replace(text(&file, "id"), "no-such-id"),
        download.to_owned(),
    ];
    for address in &forged {
        let answer = answer(http.put(address).body("x").send().await.unwrap()).await;
        assert_eq!((answer.status, answer.body["error"].is_string()), (404, true), "{address}");
    }
    for address in
        [upload.to_owned(), download.replace("signature=", "signature=0"), download.replace("expires=", "x=")]
    {
        assert_eq!(http.get(&address).send().await.unwrap().status(), 404, "{address}");
    }
    fixture.cloud.clock().advance(SignedDuration::from_secs(3600));
    assert_eq!(fixture.send_bytes(&file, "x").await.status, 200);
    assert_eq!(fixture.bytes(&closed).await.status(), StatusCode::OK);
    fixture.cloud.clock().advance(SignedDuration::from_secs(1));
    assert_eq!(fixture.bytes(&closed).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn oversized_file_is_refused_and_not_stored() {
    let cloud = TestCloud::start_with(|config| config.file_limit = 600_000).await;
    let fixture = Fixture::on(cloud).await;
    let token = fixture.token(World::ADMIN).await;
    let file = fixture.placeholder(&token).await;
    let announced = fixture.send_bytes(&file, content()).await;
    assert_eq!((announced.status, announced.body["error"].is_string()), (413, true));
    let pieces = futures::stream::iter(
        content().chunks(100_000).map(|piece| Ok::<_, std::io::Error>(piece.to_vec())).collect::<Vec<_>>(),
    );
    assert_eq!(fixture.send_bytes(&file, Body::wrap_stream(pieces)).await.status, 413);
    assert_eq!(fixture.put_location(&token, path(&file), None).await.status, 406);
    let fits = content()[..600_000].to_vec();
    assert_eq!(fixture.send_bytes(&file, fits.clone()).await.status, 200);
    let closed = fixture.put_location(&token, path(&file), None).await.body["datapoint"].take();
    assert!(fixture.bytes(&closed).await.bytes().await.unwrap() == fits, "the oversized uploads left no bytes");
}

#[tokio::test]
async fn interrupted_upload_stores_nothing_and_can_be_repeated() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let file = fixture.placeholder(&token).await;
    let address = text(&file, "file").strip_prefix(&fixture.cloud.url()).unwrap();
    let host = fixture.cloud.url().strip_prefix("http://").unwrap().to_owned();
    let mut socket = TcpStream::connect(&host).await.unwrap();
    let head = format!("PUT {address} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 700000\r\n\r\n");
    socket.write_all(head.as_bytes()).await.unwrap();
    socket.write_all(&content()[..600_000]).await.unwrap();
    socket.shutdown().await.unwrap();
    // The cloud has received the end when it closes its side.
    socket.read_to_end(&mut Vec::new()).await.unwrap();
    assert_eq!(fixture.put_location(&token, path(&file), None).await.status, 406);
    assert_eq!(fixture.send_bytes(&file, "").await.status, 200);
    let closed = fixture.put_location(&token, path(&file), None).await.body["datapoint"].take();
    assert_eq!(fixture.bytes(&closed).await.bytes().await.unwrap().len(), 0, "an empty file is a file");
}

#[tokio::test]
async fn readers_download_files_and_only_writers_create_them() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let (closed, file) = (fixture.complete(&token, b"bytes").await, fixture.placeholder(&token).await);
    let by_id = format!("/apiv1/datapoints/{}", text(&closed, "id"));
    let fetched = || Some(json!({ "datapoint": { "fetched": "true" } }));
    for (email, reads, writes) in [
        (World::PARTNER_OBSERVER_A, 200, 403),
        (World::OBSERVER, 200, 403),
        (World::PARTNER_ADMIN_B, 404, 404),
        (World::END_USER, 404, 404),
    ] {
        let token = fixture.token(email).await;
        let read = fixture.get(&token, path(&closed)).await;
        assert_eq!(read.status, reads, "{email}");
        if reads == 200 {
            assert_eq!(fixture.bytes(&read.body["datapoint"]).await.text().await.unwrap(), "bytes");
        }
        assert_eq!(fixture.post(&token, LOG, json!({})).await.status, writes, "{email}");
        for path in [path(&closed), path(&file), &by_id] {
            assert_eq!(fixture.put_location(&token, path, None).await.status, writes, "{email}");
            assert_eq!(fixture.put_location(&token, path, fetched()).await.status, writes, "{email}");
        }
    }
    assert_eq!(fixture.call(Method::PUT, path(&file), None, None).await.status, 401);
}

#[tokio::test]
async fn invalid_field_of_a_file_is_named() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let pairs: serde_json::Map<_, _> = (0..11).map(|n| (n.to_string(), json!(n))).collect();
    for (body, field) in [
        (json!({ "datapoint": 7 }), "datapoint"),
        (json!({ "datapoint": { "value": "http://example.com/file" } }), "value"),
        (json!({ "datapoint": { "value": 7 } }), "value"),
        (json!({ "datapoint": { "metadata": pairs } }), "metadata"),
        (json!({ "datapoint": { "metadata": "text" } }), "metadata"),
    ] {
        let answer = fixture.post(&token, LOG, body.clone()).await;
        assert_eq!((answer.status, answer.body["errors"][field][0].is_string()), (422, true), "{body}");
    }
    let closed = fixture.complete(&token, b"bytes").await;
    for fetched in [json!(true), json!("false"), json!(""), json!(1)] {
        let body = json!({ "datapoint": { "fetched": fetched } });
        let answer = fixture.put_location(&token, path(&closed), Some(body)).await;
        assert_eq!((answer.status, answer.body["errors"]["fetched"][0].is_string()), (422, true), "{fetched}");
    }
    let answer = fixture.put_location(&token, path(&closed), Some(json!({ "datapoint": "text" }))).await;
    assert_eq!((answer.status, answer.body["errors"]["datapoint"][0].is_string()), (422, true));
    // These datapoints are not files, so the path does not exist for them.
    let fan = fixture.command(&token, "DEV-A1", "fan", json!(1)).await;
    for path in [
        format!("/apiv1/dsns/DEV-A1/properties/fan/datapoints/{fan}"),
        format!("/apiv1/dsns/DEV-A1/properties/fan/datapoints/{}", text(&closed, "id")),
        format!("/apiv1/datapoints/{fan}"),
        "/apiv1/datapoints/no-such-id".to_owned(),
        LOG.replace(".json", "/no-such-id"),
    ] {
        assert_eq!(fixture.put_location(&token, &path, None).await.status, 404, "{path}");
    }
    // A batch writes values, and a file has no value before its upload.
    let entry = json!({ "dsn": "DEV-A1", "name": "log", "datapoint": { "value": "x" } });
    let results = fixture.post(&token, "/apiv1/batch_datapoints", json!({ "batch_datapoints": [entry] })).await.body;
    assert_eq!(results[0]["status"], 422);
}

#[tokio::test]
async fn metadata_is_stored_with_a_file() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let body = json!({ "datapoint": { "metadata": { "kind": "log" } } });
    let file = fixture.post(&token, LOG, body).await.body["datapoint"].take();
    assert_eq!(file["metadata"], json!({ "kind": "log" }));
    assert_eq!(fixture.send_bytes(&file, "x").await.status, 200);
    assert_eq!(
        fixture.put_location(&token, path(&file), None).await.body["datapoint"]["metadata"],
        json!({ "kind": "log" })
    );
    assert_eq!(fixture.get(&token, LOG).await.body[0]["datapoint"]["metadata"], json!({ "kind": "log" }));
    assert_eq!(fixture.property(&token, "DEV-A1", "log").await["metadata"], json!({ "kind": "log" }));
}

#[tokio::test]
async fn file_addresses_begin_with_the_configured_url() {
    let cloud = TestCloud::start_with(|config| config.public_url = Some("https://cloud.example.com/".into())).await;
    let fixture = Fixture::on(cloud).await;
    let token = fixture.token(World::ADMIN).await;
    let request = fixture.request(Method::POST, LOG).header("authorization", &token);
    let file = answer(request.header("host", "evil.example.com").send().await.unwrap()).await.body["datapoint"].take();
    assert!(text(&file, "location").starts_with("https://cloud.example.com/apiv1/devices/"), "{file}");
    assert!(text(&file, "file").starts_with("https://cloud.example.com/files/"), "{file}");
}

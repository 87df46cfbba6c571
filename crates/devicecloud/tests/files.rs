//! Files: requests to the cloud and to file URLs, and their failures.
#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use devicecloud::api::FileContent;
use devicecloud::{
    Authorization, BlobDatapoint, Client, Clock, Config, Endpoints, ErrorKind, MemoryTokenStore, Service,
    ServiceLocation, ServiceType, SystemSettings,
};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::json;

struct ReceivedRequest {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

/// A fake cloud that responds to requests one by one, as scripted.
#[derive(Clone)]
struct Server {
    base: String,
    answers: Arc<Mutex<VecDeque<(u16, String)>>>,
    seen: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Server {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { base, answers: Arc::default(), seen: Arc::default() };
        let router = Router::new().fallback(answer).layer(DefaultBodyLimit::disable()).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        server
    }

    fn answers(&self, answers: &[(u16, &str)]) {
        self.answers.lock().unwrap().extend(answers.iter().map(|(status, body)| (*status, (*body).to_owned())));
    }

    /// The response for a file.
    fn file(&self, closed: bool) -> String {
        let location = format!("{}/apiv1/datapoints/7.json", self.base);
        let file = format!("{}/files/7?signature=5ec2e7", self.base);
        json!({"datapoint": {"id": "7", "value": location, "file": file, "closed": closed}}).to_string()
    }

    async fn placeholder(&self) -> BlobDatapoint {
        self.answers(&[(201, &self.file(false))]);
        let placeholder = self.client().files().create(44).send().await.unwrap();
        self.seen.lock().unwrap().clear();
        placeholder
    }

    fn client(&self) -> Client {
        let store = MemoryTokenStore::with(Authorization {
            access_token: "a70ce2".into(),
            refresh_token: "refresh".into(),
            expires_in_secs: 86_400,
            role: None,
            created_at: Clock::system().now(),
        });
        let config = Config::local(&self.base, "app", "secret").unwrap();
        Client::builder(config, Arc::new(store)).header("x-tenant", "blue").build().unwrap()
    }

    fn paths(&self) -> Vec<String> {
        self.seen.lock().unwrap().iter().map(|seen| format!("{} {}", seen.method, seen.path)).collect()
    }
}

async fn answer(State(server): State<Server>, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    server.seen.lock().unwrap().push(ReceivedRequest { method, path: uri.path().to_owned(), headers, body });
    let (status, body) = server.answers.lock().unwrap().pop_front().unwrap();
    (StatusCode::from_u16(status).unwrap(), body).into_response()
}

/// Large enough to be sent in many chunks.
fn content() -> Vec<u8> {
    (0..3_000_000_u32).map(|n| (n % 251) as u8).collect()
}

#[tokio::test]
async fn upload_sends_no_token_and_completion_sends_one() {
    let server = Server::start().await;
    let placeholder = server.placeholder().await;
    server.answers(&[(200, ""), (200, &server.file(true))]);
    let chunks: Vec<_> = content().chunks(10_000).map(|chunk| Ok(chunk.to_vec())).collect();
    let uploaded =
        server.client().files().upload(&placeholder, FileContent::chunks(stream::iter(chunks))).await.unwrap();
    assert!(uploaded.closed);
    assert_eq!(server.paths(), ["PUT /files/7", "PUT /device/apiv1/datapoints/7.json"]);
    let seen = server.seen.lock().unwrap();
    assert!(seen[0].body == content(), "the same bytes");
    for secret in ["authorization", "x-tenant"] {
        assert_eq!(seen[0].headers.get(secret), None, "the file URL may belong to another host");
        assert!(seen[1].headers.contains_key(secret));
    }
    assert_eq!((seen[1].body.len(), seen[1].headers["authorization"].to_str().unwrap()), (0, "auth_token a70ce2"));
}

#[tokio::test]
async fn known_size_is_sent_as_content_length() {
    let server = Server::start().await;
    let placeholder = server.placeholder().await;
    server.answers(&[(200, ""), (200, ""), (200, ""), (200, "{}")]);
    let files = server.client().files();
    let uploaded = files.upload(&placeholder, "text").await.unwrap();
    assert!(uploaded.closed && uploaded.location == placeholder.location, "an empty answer completes the file");
    let chunks = FileContent::chunks(stream::iter([Ok("te"), Ok("xt")])).size(4);
    files.upload(&placeholder, chunks).await.unwrap();
    let seen = server.seen.lock().unwrap();
    for upload in [&seen[0], &seen[2]] {
        assert_eq!((upload.headers["content-length"].to_str().unwrap(), &upload.body[..]), ("4", &b"text"[..]));
    }
}

#[tokio::test]
async fn download_reads_location_and_bytes_and_marks_the_file_fetched() {
    let server = Server::start().await;
    let bytes = "bytes ".repeat(100_000);
    server.answers(&[(200, &server.file(true)), (200, &bytes), (200, "")]);
    let mut chunks =
        server.client().files().download("https://other.example.com/apiv1/datapoints/7.json").await.unwrap();
    assert_eq!(server.paths().len(), 2, "the file is not marked before it is read");
    let mut read = Vec::new();
    while let Some(chunk) = chunks.try_next().await.unwrap() {
        read.extend(chunk);
    }
    assert!(read == bytes.as_bytes());
    let location = "/device/apiv1/datapoints/7.json";
    assert_eq!(server.paths(), [format!("GET {location}"), "GET /files/7".to_owned(), format!("PUT {location}")]);
    let seen = server.seen.lock().unwrap();
    assert!(!seen[1].headers.contains_key("authorization") && seen[0].headers.contains_key("authorization"));
    assert_eq!(&seen[2].body[..], br#"{"datapoint":{"fetched":"true"}}"#);
}

#[tokio::test]
async fn failed_fetched_mark_is_the_last_item() {
    let server = Server::start().await;
    server.answers(&[(200, &server.file(true)), (200, "bytes"), (403, r#"{"error": "no"}"#)]);
    let items: Vec<_> = server.client().files().download("/apiv1/datapoints/7").await.unwrap().collect().await;
    assert_eq!(items[0].as_ref().unwrap(), b"bytes");
    assert_eq!((items.len(), items[1].as_ref().unwrap_err().status()), (2, Some(403)));
}

#[tokio::test]
async fn rejected_file_error_has_status_text_and_no_url() {
    let server = Server::start().await;
    let placeholder = server.placeholder().await;
    let files = server.client().files();
    for (status, text) in
        [(406, "Not Acceptable"), (413, "Payload Too Large"), (404, "Not Found"), (500, "Internal Server Error")]
    {
        server.answers(&[(status, "<Resource>/files/7?signature=5ec2e7</Resource>"), (status, "5ec2e7")]);
        let errors =
            [files.upload(&placeholder, "text").await.unwrap_err(), files.open(&placeholder).await.unwrap_err()];
        for error in errors {
            assert_eq!((error.kind(), error.status(), error.message()), (ErrorKind::Server, Some(status), text));
            assert!(!format!("{error:?} {error}").contains("5ec2e7"));
        }
    }
    assert_eq!(server.paths().len(), 8, "each request is sent once, and no file is completed");
}

#[tokio::test]
async fn unreadable_content_ends_the_upload_with_its_error() {
    let server = Server::start().await;
    let placeholder = server.placeholder().await;
    server.answers(&[(200, "")]);
    let broken = stream::iter([Ok("text"), Err(std::io::Error::other("the disk failed"))]);
    let error = server.client().files().upload(&placeholder, FileContent::chunks(broken)).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::General, "the disk failed"));
}

#[tokio::test]
async fn refused_connection_is_a_network_error_without_url() {
    let server = Server::start().await;
    server.answers(&[(201, &server.file(false).replace(&server.base, "http://127.0.0.1:1"))]);
    let client = server.client();
    let placeholder = client.files().create(44).send().await.unwrap();
    let error = client.files().upload(&placeholder, "text").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert!(!format!("{error:?}").contains("5ec2e7"), "{error:?}");
}

#[tokio::test]
async fn file_without_a_valid_url_is_not_sent() {
    let server = Server::start().await;
    for address in ["", " ", "nonsense", "ftp://x/1", "/files/7", "https://"] {
        server
            .answers(&[(200, &json!({"datapoint": {"location": "/apiv1/datapoints/7", "file": address}}).to_string())]);
        let file = server.client().files().get("/apiv1/datapoints/7").await.unwrap();
        for error in [
            server.client().files().upload(&file, "text").await.unwrap_err(),
            server.client().files().open(&file).await.unwrap_err(),
        ] {
            assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, "Invalid file URL"), "{address}");
        }
    }
    let file = json!({"datapoint": {"file": "https://x/1"}}).to_string();
    server.answers(&[(200, &file)]);
    let file = server.client().files().get("/apiv1/datapoints/7").await.unwrap();
    let error = server.client().files().upload(&file, "text").await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidArgument, "Location path is empty"));
    let signed_out = server.client().with_store(Arc::new(MemoryTokenStore::new()));
    let error = signed_out.files().upload(&file, "text").await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Precondition, "Session is not active"));
}

#[tokio::test]
async fn placeholder_without_a_url_is_an_error() {
    let server = Server::start().await;
    for body in
        ["", "{}", r#"{"datapoint": {"file": "https://x/1"}}"#, r#"{"datapoint": {"value": "https://x/apiv1/1"}}"#]
    {
        server.answers(&[(201, body)]);
        let error = server.client().files().create(44).send().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Json, "{body}");
    }
}

#[tokio::test]
async fn remote_cloud_requires_https_file_urls() {
    let server = Server::start().await;
    let placeholder = server.placeholder().await;
    let mut endpoints = Endpoints::default();
    endpoints.set(Service::Device, ServiceLocation::Usa, ServiceType::Field, "https://cloud.example.com").unwrap();
    let mut settings = SystemSettings::new("app", "secret");
    settings.service_type = ServiceType::Field;
    let config = Config::new(settings, endpoints).unwrap();
    let store = Arc::new(MemoryTokenStore::with(Authorization {
        access_token: "a".into(),
        refresh_token: "r".into(),
        expires_in_secs: 86_400,
        role: None,
        created_at: Clock::system().now(),
    }));
    let remote = Client::new(config, store).unwrap();
    let error = remote.files().open(&placeholder).await.unwrap_err();
    assert_eq!(error.message(), "Invalid file URL");
}

//! File transfers: the URL of a file is a secret, and its content may be anything.

use axum::Router;
use axum::http::StatusCode;
use axum::routing::any;
use devicecloud::BlobDatapoint;
use futures::TryStreamExt;

use super::log::Log;
use super::*;

/// A store of files that answers every request with this status and a body with the mark.
async fn store(status: StatusCode) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(any(async move || (status, format!("{MARK} <Key>{MARK}</Key>"))));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    base
}

async fn placeholder(store: &str) -> (Client, BlobDatapoint) {
    let file = format!("{store}/{MARK}?signature={MARK}");
    let body = json!({"datapoint": {"id": "7", "value": "/apiv1/datapoints/7.json", "file": file, "closed": false}});
    let server = Server::answering(201, body.to_string()).await;
    let client = client(&server, &Value::Null);
    let placeholder = client.files().create(44).send().await.unwrap();
    (client, placeholder)
}

#[tokio::test]
async fn no_transfer_logs_the_url_or_the_content() {
    for status in [StatusCode::OK, StatusCode::FORBIDDEN] {
        let log = Log::start();
        let (client, placeholder) = placeholder(&store(status).await).await;
        let uploaded = client.files().upload(&placeholder, MARK).await;
        let opened = client.files().open(&placeholder).await;
        assert_eq!((uploaded.is_ok(), opened.is_ok()), (status.is_success(), status.is_success()));
        let errors = format!("{:?} {:?}", uploaded.err(), opened.as_ref().err());
        if let Ok(chunks) = opened {
            assert!(!chunks.try_collect::<Vec<_>>().await.unwrap().is_empty());
        }
        assert_private(&format!("{} {errors} {placeholder:?}", log.text()), status.as_str());
    }
    let (client, placeholder) = placeholder("ftp://files.test").await;
    let error = client.files().upload(&placeholder, MARK).await.unwrap_err();
    assert_private(&format!("{error:?} {error}"), "invalid URL");
}

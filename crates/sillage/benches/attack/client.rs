//! A signed-in account.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use reqwest::Method;
use serde_json::{Value, json};

use crate::scene;

/// A client with its own address, as behind a separate router.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Client {
    /// A client that is not signed in. Each person has a separate address.
    pub(crate) fn new(url: &str, person: usize) -> Self {
        let address = Ipv4Addr::new(127, 0, 1, u8::try_from(person + 1).unwrap());
        let http = reqwest::Client::builder().local_address(IpAddr::from(address)).tls_certs_only([]).build().unwrap();
        Self { http, url: url.to_owned(), token: String::new() }
    }

    /// Sends a request. Returns the status and the body, or the cause of the failure.
    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let failed = |what: String| format!("{method} {path}: {what}");
        let mut request = self.request(method.clone(), path);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.map_err(|error| failed(format!("{error:?}")))?;
        let status = answer.status();
        let text = answer.text().await.map_err(|error| failed(format!("{error:?}")))?;
        if !status.is_success() {
            return Err(failed(format!("{status} {text}")));
        }
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value, String> {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        self.send(Method::POST, path, Some(body)).await
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        if self.token.is_empty() {
            request
        } else {
            request.header("authorization", format!("auth_token {}", self.token))
        }
    }

    pub(crate) async fn sign_in(&mut self, person: usize) -> Result<(), String> {
        self.token.clear();
        let session = self.post("/users/sign_in.json", &credentials(person, scene::PASSWORD)).await?;
        session["access_token"].as_str().ok_or("a sign-in without a token")?.clone_into(&mut self.token);
        Ok(())
    }

    /// The text of a request on a separate connection.
    pub(crate) fn text(&self, method: &Method, path: &str, body: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: auth_token {}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address(),
            self.token,
            body.len()
        )
    }

    /// The address of the cloud.
    pub(crate) fn address(&self) -> SocketAddr {
        self.url.trim_start_matches("http://").parse().unwrap()
    }

    /// The base URL of the cloud.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The URL of a WebSocket.
    pub(crate) fn stream(&self, key: &str) -> String {
        format!("{}/stream/stream?stream_key={key}", self.url.replace("http", "ws"))
    }
}

pub(crate) fn credentials(person: usize, password: &str) -> Value {
    let application = json!({ "app_id": scene::APPLICATION, "app_secret": scene::PASSWORD });
    json!({ "user": { "email": scene::email(person), "password": password, "application": application } })
}

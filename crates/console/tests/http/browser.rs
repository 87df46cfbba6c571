//! A test browser: keeps one cookie, sends and reads JSON, follows an event stream.

use std::net::SocketAddr;

use platform::testing::PATIENCE;
use reqwest::header::{COOKIE, HeaderMap, SET_COOKIE};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};

#[derive(Clone)]
pub(crate) struct Browser {
    http: Client,
    origin: String,
    /// The origin of the console's pages, if that is another one: its public address.
    pub(crate) public_origin: Option<String>,
    /// `name=value`.
    pub(crate) cookie: Option<String>,
}

/// A response with its whole body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// Null if the body is not JSON.
    pub(crate) body: Value,
}

impl Browser {
    pub(crate) fn new(console: SocketAddr) -> Self {
        // Another browser may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // Loading the certificates of the system takes longer than most tests, and no test uses TLS.
        let http = Client::builder().tls_certs_only([]).build().unwrap();
        Self { http, origin: format!("http://{console}"), public_origin: None, cookie: None }
    }

    /// The same browser, sent to another node by the load balancer.
    pub(crate) fn at(&self, console: SocketAddr) -> Self {
        Self { origin: format!("http://{console}"), ..self.clone() }
    }

    /// A request with the cookie and the headers of a page of the console.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self
            .http
            .request(method, format!("{}{path}", self.origin))
            .header("origin", self.public_origin.as_ref().unwrap_or(&self.origin));
        match &self.cookie {
            Some(cookie) => request.header(COOKIE, cookie),
            None => request,
        }
    }

    pub(crate) async fn send(&mut self, request: RequestBuilder) -> Answer {
        let response = request.timeout(PATIENCE).send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        if let Some(set) = headers.get(SET_COOKIE) {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        let body = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or(Value::Null);
        Answer { status, headers, body }
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) async fn put(&mut self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::PUT, path).json(body)).await
    }

    pub(crate) async fn delete(&mut self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    pub(crate) async fn sign_in(&mut self, email: &str, password: &str) -> Answer {
        self.post("/api/session", &json!({ "email": email, "password": password })).await
    }

    /// The serial numbers of a list, in order.
    pub(crate) async fn dsns(&mut self, query: &str) -> Vec<String> {
        let answer = self.get(&format!("/api/devices?pageSize=50&order=asc&orderBy=dsn{query}")).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let devices = answer.body["devices"].as_array().unwrap();
        devices.iter().map(|device| device["dsn"].as_str().unwrap().to_owned()).collect()
    }

    /// The row of this device in the list.
    pub(crate) async fn listed(&mut self, dsn: &str) -> Value {
        let answer = self.get(&format!("/api/devices?dsn={dsn}")).await;
        answer.body["devices"][0].clone()
    }

    /// The device as its page shows it.
    pub(crate) async fn device(&mut self, dsn: &str) -> Value {
        let answer = self.get(&format!("/api/devices/dsns/{dsn}")).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    pub(crate) async fn notifications(&mut self, dsn: &str) -> Value {
        let answer = self.get(&format!("/api/devices/dsns/{dsn}/notifications")).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    /// Opens a stream about these devices and reads its `ready` event.
    pub(crate) async fn follow(&self, dsns: &[&str]) -> Stream {
        let query: Vec<String> = dsns.iter().map(|dsn| format!("dsn={dsn}")).collect();
        self.open_stream(&query.join("&")).await
    }

    /// Opens the stream of a device page and reads its `ready` event.
    pub(crate) async fn follow_page(&self, dsn: &str) -> Stream {
        self.open_stream(&format!("dsn={dsn}&page={dsn}")).await
    }

    async fn open_stream(&self, query: &str) -> Stream {
        let response = self.request(Method::GET, &format!("/api/events?{query}")).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let mut stream = Stream { response, read: String::new() };
        assert_eq!(stream.next().await, Some(("ready".to_owned(), json!({}))));
        stream
    }
}

impl Answer {
    /// The problem's code.
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    /// The fields that the problem names.
    pub(crate) fn fields(&self) -> Vec<&str> {
        self.body["errors"].as_object().map(|errors| errors.keys().map(String::as_str).collect()).unwrap_or_default()
    }
}

/// A stream of server-sent events.
pub(crate) struct Stream {
    response: Response,
    read: String,
}

impl Stream {
    /// The next event other than a heartbeat, with its data; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<(String, Value)> {
        tokio::time::timeout(PATIENCE, self.read_on()).await.expect("an event in time")
    }

    async fn read_on(&mut self) -> Option<(String, Value)> {
        loop {
            while let Some((block, rest)) = self.read.split_once("\n\n") {
                let field = |name: &str| {
                    block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).map(str::to_owned)
                };
                let (event, data) = (field("event:"), field("data:"));
                self.read = rest.to_owned();
                if let (Some(event), Some(data)) = (event, data)
                    && event != "heartbeat"
                {
                    return Some((event, serde_json::from_str(&data).unwrap()));
                }
            }
            let chunk = self.response.chunk().await.ok().flatten()?;
            self.read.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// Skips to the next event of this name and returns its data.
    pub(crate) async fn until_event(&mut self, name: &str) -> Value {
        loop {
            let (event, data) = self.next().await.expect("a stream that goes on");
            if event == name {
                return data;
            }
        }
    }

    /// Reads the next device event and returns its kind and detail.
    pub(crate) async fn next_detail(&mut self) -> (String, Value) {
        let mut data = self.until_event("device").await;
        (data["kind"].as_str().unwrap().to_owned(), data["detail"].take())
    }

    /// Skips to the next event of this kind about this device and returns the device.
    pub(crate) async fn until(&mut self, kind: &str, dsn: &str) -> Value {
        loop {
            let (event, data) = self.next().await.expect("a stream that goes on");
            if event == "device" && data["kind"] == kind && data["dsn"] == dsn {
                return data["device"].clone();
            }
        }
    }
}

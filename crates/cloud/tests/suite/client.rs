//! A cloud with the small test world, and an HTTP client that returns every status and body.

use std::sync::{Mutex, Once};

use cloud::MessageLimits;
use cloud::testing::{TestCloud, World};
use jiff::SignedDuration;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::hostile::{self, Findings};

pub(crate) struct Fixture {
    pub(crate) cloud: TestCloud,
    pub(crate) world: World,
    http: reqwest::Client,
    watches: bool,
    /// What hostile texts led to, if they are sent.
    hostile: Option<Mutex<Findings>>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Fixture {
    pub(crate) async fn start() -> Self {
        Self::on(TestCloud::start().await).await
    }

    /// A cloud whose devices may cause any number of messages; only the limits of authors and rules apply.
    pub(crate) async fn without_message_limits() -> Self {
        let limits = MessageLimits { gap: SignedDuration::ZERO, per_device: u32::MAX, ..MessageLimits::default() };
        Self::on(TestCloud::start_with(|config| config.message_limits = limits).await).await
    }

    pub(crate) async fn on(cloud: TestCloud) -> Self {
        let world = cloud.seed().await;
        Self { cloud, world, http: client(), watches: false, hostile: None }
    }

    /// From now on, a refused call that writes a row fails the test.
    pub(crate) fn watching(self) -> Self {
        Self { watches: true, ..self }
    }

    /// From now on, each call is also made with a hostile text in the place of each of its texts, before it is made itself.
    pub(crate) fn hostile(self) -> Self {
        Self { hostile: Some(Mutex::default()), ..self }
    }

    /// What hostile texts led to.
    pub(crate) fn findings(self) -> Findings {
        self.hostile.unwrap().into_inner().unwrap()
    }

    pub(crate) async fn token(&self, email: &str) -> String {
        self.cloud.access_token(&self.world, email).await
    }

    pub(crate) async fn get(&self, token: &str, path: &str) -> Answer {
        self.call(Method::GET, path, Some(token), None).await
    }

    pub(crate) async fn post(&self, token: &str, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, Some(token), Some(body)).await
    }

    pub(crate) async fn put(&self, token: &str, path: &str, body: Value) -> Answer {
        self.call(Method::PUT, path, Some(token), Some(body)).await
    }

    pub(crate) async fn delete(&self, token: &str, path: &str) -> Answer {
        self.call(Method::DELETE, path, Some(token), None).await
    }

    pub(crate) async fn call(&self, method: Method, path: &str, token: Option<&str>, body: Option<Value>) -> Answer {
        if let Some(findings) = &self.hostile {
            findings.lock().unwrap().record(&method, path, body.as_ref());
            for copy in hostile::copies(&method, path, body.as_ref()) {
                let refused = self.send(method.clone(), &copy.path, token, copy.body).await;
                if let Some(wrong) = hostile::wrong(&refused) {
                    findings.lock().unwrap().accepted.push(format!("{method} {}: {wrong}", copy.what));
                }
            }
        }
        if !self.watches || method == Method::GET {
            return self.send(method, path, token, body.map(|body| body.to_string())).await;
        }
        let before = self.cloud.rows_written().await;
        let answer = self.send(method.clone(), path, token, body.map(|body| body.to_string())).await;
        if matches!(answer.status, 401 | 403 | 404) {
            assert_eq!(self.cloud.rows_written().await, before, "{method} {path} was refused with {}", answer.status);
        }
        answer
    }

    async fn send(&self, method: Method, path: &str, token: Option<&str>, body: Option<String>) -> Answer {
        let mut request = self.http.request(method, format!("{}{path}", self.cloud.url()));
        if let Some(token) = token {
            request = request.header("authorization", format!("auth_token {token}"));
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        answer(request.send().await.unwrap()).await
    }

    /// A request that the other methods cannot send.
    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.cloud.url()))
    }

    /// Writes a value as a user. Returns the datapoint's id.
    pub(crate) async fn command(&self, token: &str, dsn: &str, property: &str, value: Value) -> String {
        let path = format!("/apiv1/dsns/{dsn}/properties/{property}/datapoints");
        let answer = self.post(token, &path, json!({ "datapoint": { "value": value } })).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.body["datapoint"]["id"].as_str().unwrap().to_owned()
    }

    /// The record of a user, as an administrator reads it.
    pub(crate) async fn user(&self, email: &str) -> Value {
        let path = format!("/oems/{}/users?filter[email]={email}", self.world.oem.id);
        self.get(&self.token(World::ADMIN).await, &path).await.body[0].take()
    }

    pub(crate) async fn property(&self, token: &str, dsn: &str, property: &str) -> Value {
        self.get(token, &format!("/apiv1/dsns/{dsn}/properties/{property}")).await.body["property"].take()
    }

    pub(crate) async fn device_key(&self, token: &str, dsn: &str) -> i64 {
        self.get(token, &format!("/apiv1/dsns/{dsn}")).await.body["device"]["key"].as_i64().unwrap()
    }
}

pub(crate) async fn answer(response: Response) -> Answer {
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    Answer { status, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) }
}

pub(crate) fn client() -> reqwest::Client {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| rustls::crypto::ring::default_provider().install_default().unwrap());
    // No pool: the client would silently retry on a pooled connection that a fault has cut.
    // No test uses TLS here, and loading the system's certificates takes longer than most tests.
    reqwest::Client::builder().pool_max_idle_per_host(0).tls_certs_only([]).build().unwrap()
}

//! Access of a user to the cloud.

use cloud::testing::{TestCloud, World};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::PATIENCE;

/// An administrator's HTTP client.
pub(crate) struct Api {
    client: reqwest::Client,
    url: String,
    token: String,
    world: World,
}

impl Api {
    pub(crate) async fn new(cloud: &TestCloud, world: &World) -> Self {
        // Another test of this process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let token = cloud.access_token(world, World::ADMIN).await;
        // The API is plain HTTP here, and loading the system's certificates takes longer than most tests.
        let client = reqwest::Client::builder().tls_certs_only([]).build().unwrap();
        Self { client, url: cloud.url(), token, world: world.clone() }
    }

    /// A client of the same user with a new sign-in, possibly at another node.
    pub(crate) async fn again(&self, cloud: &TestCloud) -> Self {
        Self::new(cloud, &self.world).await
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let request = self.client.get(format!("{}/apiv1/dsns/{path}", self.url));
        self.answer(request).await
    }

    /// Writes a property as a user. Returns the datapoint's id.
    pub(crate) async fn write(&self, dsn: &str, property: &str, value: Value) -> String {
        let path = format!("apiv1/dsns/{dsn}/properties/{property}/datapoints.json");
        let answer = self.post(&path, &json!({"datapoint": {"value": value}})).await;
        answer["datapoint"]["id"].as_str().unwrap().to_owned()
    }

    /// A stream of connectivity events.
    pub(crate) async fn connectivity(&self) -> Connectivity {
        let answer = self.post("api/v1/subscriptions.json", &json!({"subscription_type": "connectivity"})).await;
        let key = answer["subscription"]["stream_key"].as_str().unwrap();
        let url = format!("{}/stream/stream?stream_key={key}", self.url.replace("http", "ws"));
        Connectivity(connect_async(url).await.unwrap().0)
    }

    /// Changes the time zone of a device as a user.
    pub(crate) async fn set_time_zone(&self, dsn: &str, tz_id: &str) {
        let request = self.client.put(format!("{}/apiv1/dsns/{dsn}/time_zones.json", self.url));
        self.answer(request.body(json!({"tz_id": tz_id}).to_string())).await;
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let request = self.client.post(format!("{}/{path}", self.url)).header("content-type", "application/json");
        self.answer(request.body(body.to_string())).await
    }

    async fn answer(&self, request: reqwest::RequestBuilder) -> Value {
        let response = request.header("authorization", format!("auth_token {}", self.token)).send().await.unwrap();
        assert!(response.status().is_success(), "{}", response.status());
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
    }

    pub(crate) async fn status(&self, dsn: &str) -> String {
        self.get(&format!("{dsn}.json")).await["device"]["connection_status"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn property(&self, dsn: &str, name: &str) -> Value {
        self.get(&format!("{dsn}/properties/{name}.json")).await["property"].take()
    }

    pub(crate) async fn goes_offline(&self, dsn: &str) {
        let offline = async { while self.status(dsn).await != "Offline" {} };
        timeout(PATIENCE, offline).await.unwrap();
    }
}

pub(crate) struct Connectivity(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Connectivity {
    /// The next event: `status` and `event_time`.
    pub(crate) async fn next(&mut self) -> Value {
        let message = timeout(PATIENCE, self.0.next()).await.unwrap().unwrap().unwrap();
        let (_, event) = message.to_text().unwrap().split_once('|').unwrap();
        let event: Value = serde_json::from_str(event).unwrap();
        json!({"status": event["connection"]["status"], "event_time": event["connection"]["event_time"]})
    }
}

//! Access of a user to the cloud.

use cloud::operator::Oem;
use cloud::testing::{TestCloud, World};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use platform::testing::{PATIENCE, until};

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

    pub(crate) fn oem(&self) -> &Oem {
        &self.world.oem
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

    /// The same session at another node.
    pub(crate) fn at(&self, cloud: &TestCloud) -> Self {
        Self { client: self.client.clone(), url: cloud.url(), token: self.token.clone(), world: self.world.clone() }
    }

    /// A stream of connectivity events.
    pub(crate) async fn connectivity(&self) -> Connectivity {
        Connectivity(self.subscribe("connectivity").await)
    }

    /// A stream of datapoints.
    pub(crate) async fn stream(&self) -> Stream {
        self.subscribe("datapoint").await
    }

    async fn subscribe(&self, kind: &str) -> Stream {
        let answer = self.post("api/v1/subscriptions.json", &json!({"subscription_type": kind})).await;
        let key = answer["subscription"]["stream_key"].as_str().unwrap();
        let url = format!("{}/stream/stream?stream_key={key}", self.url.replace("http", "ws"));
        Stream(connect_async(url).await.unwrap().0)
    }

    /// Ends the session.
    pub(crate) async fn sign_out(&self) {
        self.post("users/sign_out.json", &json!({})).await;
    }

    /// Notifies this address when the connection of a device is lost for five minutes.
    pub(crate) async fn watch_losses(&self, dsn: &str, email: &str) {
        let key = self.get(&format!("{dsn}.json")).await["device"]["key"].take();
        let lost = json!({"notification": {"notification_type": "on_connection_lost", "threshold": 300}});
        let made = self.post(&format!("apiv1/devices/{key}/notifications.json"), &lost).await;
        let parameters = json!({"username": "Jo", "email": email, "message": "Offline"});
        let app = json!({"notification_app": {"app_type": "email", "notification_app_parameters": parameters}});
        let path = format!("apiv1/notifications/{}/notification_apps.json", made["notification"]["id"]);
        self.post(&path, &app).await;
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
        let offline = until(async || self.status(dsn).await == "Offline");
        timeout(PATIENCE, offline).await.unwrap();
    }
}

/// A stream of events.
pub(crate) struct Stream(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Stream {
    pub(crate) async fn event(&mut self) -> Value {
        let message = timeout(PATIENCE, self.0.next()).await.unwrap().unwrap().unwrap();
        let (_, event) = message.to_text().unwrap().split_once('|').unwrap();
        serde_json::from_str(event).unwrap()
    }

    /// The code with which the cloud closes it.
    pub(crate) async fn closed(mut self) -> Option<u16> {
        match timeout(PATIENCE, self.0.next()).await.unwrap() {
            Some(Ok(Message::Close(frame))) => frame.map(|frame| frame.code.into()),
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) struct Connectivity(Stream);

impl Connectivity {
    /// The next event: `status` and `event_time`.
    pub(crate) async fn next(&mut self) -> Value {
        let event = self.0.event().await;
        json!({"status": event["connection"]["status"], "event_time": event["connection"]["event_time"]})
    }
}

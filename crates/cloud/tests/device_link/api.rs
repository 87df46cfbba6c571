//! A user's end of the cloud.

use cloud::testing::{TestCloud, World};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::PATIENCE;

/// An administrator's view over HTTP.
pub(crate) struct Api {
    client: reqwest::Client,
    url: String,
    token: String,
}

impl Api {
    pub(crate) async fn new(cloud: &TestCloud, world: &World) -> Self {
        // Another test of this process may have been first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let token = cloud.access_token(world, World::ADMIN).await;
        Self { client: reqwest::Client::new(), url: format!("{}/apiv1/dsns", cloud.url()), token }
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let request = self.client.get(format!("{}/{path}", self.url));
        self.answer(request).await
    }

    /// A user writes a property; answers the datapoint's id.
    pub(crate) async fn write(&self, dsn: &str, property: &str, value: Value) -> String {
        let request = self.client.post(format!("{}/{dsn}/properties/{property}/datapoints.json", self.url));
        let body = json!({"datapoint": {"value": value}});
        let answer = self.answer(request.header("content-type", "application/json").body(body.to_string())).await;
        answer["datapoint"]["id"].as_str().unwrap().to_owned()
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

//! A cloud with one registered diffuser, and an administrator's access to it.

use std::time::Duration;

use cloud::operator::{NewDevice, Template, TemplateProperty};
use cloud::testing::{TestCloud, World, device_key};
use cloud::{BaseType, CloudConfig, Direction, Limits};
use diffuser::template::{self, TEMPLATE};
use platform::testing::{pause, until};
use serde_json::{Value, json};
use simulator::{Clock, Fleet, Link, Options, State, VirtualDevice};
use tokio::time::timeout;

/// Longer than any step takes.
const TIMEOUT: Duration = Duration::from_secs(60);
const DSN: &str = "SL0001";

pub(crate) struct Fixture {
    pub(crate) cloud: TestCloud,
    client: reqwest::Client,
    url: String,
    token: String,
}

impl Fixture {
    /// Starts a cloud with a diffuser in Paris that is not plugged in.
    pub(crate) async fn new(change: impl FnOnce(&mut CloudConfig)) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cloud = TestCloud::start_with(change).await;
        let world = cloud.seed().await;
        let device = NewDevice {
            dsn: DSN.into(),
            template: TEMPLATE.name.into(),
            link_key: device_key(DSN).into(),
            registered: true,
            tz_id: Some("Europe/Paris".into()),
            ..NewDevice::default()
        };
        cloud.operator().ensure_template(&world.oem, &template()).await.unwrap();
        cloud.operator().add_devices(&world.oem, &[device]).await.unwrap();
        let url = format!("{}/apiv1/dsns/{DSN}", cloud.url());
        let token = cloud.access_token(&world, World::ADMIN).await;
        Self { cloud, client: reqwest::Client::new(), url, token }
    }

    pub(crate) fn plug_in(link: Link, state: State) -> Fleet {
        let device = VirtualDevice { dsn: DSN.into(), key: device_key(DSN), state, fault: None };
        Fleet::start(Options { link, seed: 1, drop_outs: false, devices: vec![device], clock: Clock::system() })
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Value {
        let response = request.header("authorization", format!("auth_token {}", self.token)).send().await.unwrap();
        assert!(response.status().is_success(), "{}", response.status());
        response.json().await.unwrap()
    }

    pub(crate) async fn write(&self, property: &str, value: impl Into<Value>) {
        let url = format!("{}/properties/{property}/datapoints.json", self.url);
        self.send(self.client.post(url).json(&json!({"datapoint": {"value": value.into()}}))).await;
    }

    pub(crate) async fn property(&self, name: &str) -> Value {
        self.send(self.client.get(format!("{}/properties/{name}.json", self.url))).await["property"].take()
    }

    pub(crate) async fn device(&self) -> Value {
        self.send(self.client.get(format!("{}.json", self.url))).await["device"].take()
    }

    async fn status(&self) -> Value {
        self.device().await["connection_status"].take()
    }

    /// Waits until the diffuser is Online or Offline.
    pub(crate) async fn wait_status(&self, status: &str) {
        timeout(TIMEOUT, until(async || self.status().await == status)).await.unwrap();
    }

    /// Waits until the diffuser has reported this value.
    pub(crate) async fn wait_reported(&self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        timeout(TIMEOUT, until(async || self.property(name).await["reported_value"] == value)).await.unwrap();
    }

    /// Waits until the command for this property is answered, and returns the property.
    pub(crate) async fn wait_acknowledged(&self, name: &str) -> Value {
        let answered = async {
            loop {
                let property = self.property(name).await;
                if property["command"]["state"] != "pending" {
                    return property;
                }
                pause().await;
            }
        };
        timeout(TIMEOUT, answered).await.unwrap()
    }
}

fn template() -> Template {
    let properties = TEMPLATE.properties.iter().map(|property| TemplateProperty {
        name: property.name.into(),
        display_name: property.display_name.into(),
        base_type: match property.base_type {
            template::BaseType::Integer => BaseType::Integer,
            template::BaseType::Decimal => BaseType::Decimal,
            template::BaseType::String => BaseType::String,
        },
        direction: match property.direction {
            template::Direction::Input => Direction::Input,
            template::Direction::Output => Direction::Output,
        },
        ack_enabled: property.ack_enabled(),
        retention_days: TEMPLATE.retention_days,
        limits: Limits {
            minimum: property.range.map(|(minimum, _)| minimum.into()),
            maximum: property.range.map(|(_, maximum)| maximum.into()),
            pattern: property.pattern.map(|pattern| pattern.parse().unwrap()),
        },
    });
    Template { name: TEMPLATE.name.into(), properties: properties.collect(), schedules: vec![] }
}

//! Virtual diffusers on a real cloud.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::time::Duration;

use cloud::operator::{NewDevice, Template, TemplateProperty};
use cloud::testing::{TestCloud, World, device_key};
use cloud::{BaseType, Direction, Limits};
use diffuser::properties::{self, TEMPLATE};
use serde_json::{Value, json};
use simulator::{Fleet, Options, State, VirtualDevice};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(20);

fn template() -> Template {
    let properties = TEMPLATE.properties.iter().map(|property| TemplateProperty {
        name: property.name.into(),
        display_name: property.display_name.into(),
        base_type: match property.base_type {
            properties::BaseType::Integer => BaseType::Integer,
            properties::BaseType::Decimal => BaseType::Decimal,
            properties::BaseType::String => BaseType::String,
        },
        direction: match property.direction {
            properties::Direction::Input => Direction::Input,
            properties::Direction::Output => Direction::Output,
        },
        ack_enabled: property.ack_enabled(),
        retention_days: TEMPLATE.retention_days,
        limits: Limits {
            minimum: property.range.map(|(minimum, _)| minimum.into()),
            maximum: property.range.map(|(_, maximum)| maximum.into()),
        },
    });
    Template { name: TEMPLATE.name.into(), properties: properties.collect() }
}

struct Api {
    client: reqwest::Client,
    url: String,
    token: String,
}

impl Api {
    async fn send(&self, request: reqwest::RequestBuilder) -> Value {
        let response = request.header("authorization", format!("auth_token {}", self.token)).send().await.unwrap();
        assert!(response.status().is_success(), "{}", response.status());
        response.json().await.unwrap()
    }

    async fn write(&self, property: &str, value: i64) {
        let url = format!("{}/properties/{property}/datapoints.json", self.url);
        self.send(self.client.post(url).json(&json!({"datapoint": {"value": value}}))).await;
    }

    async fn property(&self, name: &str) -> Value {
        self.send(self.client.get(format!("{}/properties/{name}.json", self.url))).await["property"].take()
    }

    async fn becomes(&self, status: &str) {
        let changed = async {
            while self.send(self.client.get(format!("{}.json", self.url))).await["device"]["connection_status"]
                != status
            {}
        };
        timeout(PATIENCE, changed).await.unwrap();
    }

    /// Waits until the diffuser has answered the command for this property; answers the property.
    async fn answered(&self, name: &str) -> Value {
        let answered = async {
            loop {
                let property = self.property(name).await;
                if property["command"]["state"] != "pending" {
                    return property;
                }
            }
        };
        timeout(PATIENCE, answered).await.unwrap()
    }
}

#[tokio::test]
async fn a_virtual_diffuser_reports_obeys_and_refuses() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let cloud = TestCloud::start().await;
    let world = cloud.seed().await;
    let device = NewDevice {
        dsn: "SL0001".into(),
        template: TEMPLATE.name.into(),
        link_key: device_key("SL0001").into(),
        registered: true,
        ..NewDevice::default()
    };
    cloud.operator().ensure_template(&world.oem, &template()).await.unwrap();
    cloud.operator().add_devices(&world.oem, &[device]).await.unwrap();
    let api = Api {
        client: reqwest::Client::new(),
        url: format!("{}/apiv1/dsns/SL0001", cloud.url()),
        token: cloud.access_token(&world, World::ADMIN).await,
    };
    // Given before the diffuser is there at all.
    api.write(properties::FAN, 4).await;

    let state = State { schedule_blob: Some("1,0,0,1,0,0,0,0".into()), ..State::new("AQ290".into()) };
    let virtual_device = VirtualDevice { dsn: "SL0001".into(), key: device_key("SL0001"), state };
    let link = cloud.link_addr().to_string();
    let fleet = Fleet::start(Options { link, seed: 1, devices: vec![virtual_device] });
    api.becomes("Online").await;
    let fan = api.answered(properties::FAN).await;
    assert_eq!((&fan["command"]["state"], &fan["value"]), (&json!("acknowledged"), &json!(4)));

    api.write(properties::INTENSITY, 40).await;
    let intensity = api.answered(properties::INTENSITY).await;
    assert_eq!((&intensity["command"]["state"], &intensity["reported_value"]), (&json!("acknowledged"), &json!(40)));
    api.write(properties::INTENSITY, 41).await;
    let refused = api.answered(properties::INTENSITY).await;
    assert_eq!((&refused["command"]["state"], &refused["value"]), (&json!("failed"), &json!(40)));
    assert_eq!(refused["ack_status"], 422);

    fleet.shutdown().await;
    api.becomes("Offline").await;
}

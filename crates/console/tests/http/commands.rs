//! Status and time of the last command of each value that users write.

use std::sync::Arc;

use devicecloud::{Client, Config, MemoryTokenStore};
use serde_json::{Value, json};

use crate::world::*;

const SENT: &str = "2026-11-20T10:00:00Z";
const ANSWERED: &str = "2026-11-20T10:00:45Z";
const EXPIRES: &str = "2026-11-27T10:00:00Z";

/// Every value with its property in the cloud, its field on the page, and the value to write.
fn settings() -> [(&'static str, &'static str, Value); 7] {
    [
        ("current_state", "mode", json!(4)),
        ("cycle", "cycle", json!(1)),
        ("intensity", "intensity", json!(31)),
        ("fan", "fan", json!(5)),
        ("fragrance_remaining", "fragranceRemaining", json!(100)),
        ("cartridge_life", "cartridgeLife", json!(0.0)),
        ("schedule_blob", "schedule", json!("1,1,9,25,8,0,17,30")),
    ]
}

/// Writes every value as another application of the cloud does.
async fn write_all_from_another_client(world: &World) {
    let config = Config::local(&world.cloud.url(), APP_ID, APP_SECRET).unwrap();
    let client = Client::new(config, Arc::new(MemoryTokenStore::new())).unwrap();
    client.sign_in(NORTH_TECH, &PASSWORD.into()).await.unwrap();
    let datapoints = client.datapoints();
    for (property, _, value) in settings() {
        let sent = match value {
            Value::String(text) => datapoints.create(NORTH, property, text).send().await,
            value if value.is_f64() => datapoints.create(NORTH, property, value.as_f64().unwrap()).send().await,
            value => datapoints.create(NORTH, property, value.as_i64().unwrap()).send().await,
        };
        sent.unwrap();
    }
}

fn expect(page: &Value, state: &str, answered_at: Option<&str>) {
    for (_, name, _) in settings() {
        let command = &page["commands"][name];
        let actual = json!({
            "state": command["state"],
            "sentAt": command["sentAt"],
            "answeredAt": command["answeredAt"],
            "expiresAt": command["expiresAt"],
        });
        let expected = json!({ "state": state, "sentAt": SENT, "answeredAt": answered_at, "expiresAt": EXPIRES });
        assert_eq!(actual, expected, "{name}");
    }
}

#[tokio::test]
async fn every_written_value_has_its_status_and_time() {
    for (status, state) in [(200, "acknowledged"), (500, "failed")] {
        let world = World::start().await;
        let mut browser = world.signed_in(NORTH_OBSERVER).await;
        assert_eq!(browser.device(NORTH).await["commands"], json!({}), "no commands yet");
        write_all_from_another_client(&world).await;
        expect(&browser.device(NORTH).await, "pending", None);

        world.pass_seconds(45);
        let device = world.cloud.device(NORTH).await;
        for (id, name, value) in device.pending().await {
            if status == 200 {
                device.report(&[(&name, value)]).await;
            }
            device.ack(&id, status, 0).await;
        }
        expect(&browser.device(NORTH).await, state, Some(ANSWERED));
    }
}

#[tokio::test]
async fn unacknowledged_value_expires() {
    let world = World::start().await;
    write_all_from_another_client(&world).await;
    world.pass_seconds(7 * 24 * 3600 + 1);
    world.cloud.expire_commands().await;
    let mut browser = world.signed_in(NORTH_OBSERVER).await;
    expect(&browser.device(NORTH).await, "expired", None);
}

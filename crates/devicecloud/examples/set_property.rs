//! Lists the properties of a device, or sets one and waits for the device's acknowledgement:
//!
//! ```text
//! export DEVICECLOUD_URL=http://127.0.0.1:8081 DEVICECLOUD_APP_ID=… DEVICECLOUD_APP_SECRET=…
//! export DEVICECLOUD_EMAIL=… DEVICECLOUD_PASSWORD=…
//! cargo run --example set_property -- AC000W000000001
//! cargo run --example set_property -- AC000W000000001 intensity 30
//! ```
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::sync::Arc;

use devicecloud::api::DEFAULT_ACK_WAIT;
use devicecloud::{Ack, Client, Config, MemoryTokenStore, PropertyValue, SecretText};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let config = Config::local(&env("URL")?, env("APP_ID")?, SecretText::from(env("APP_SECRET")?))?;
    let client = Client::new(config, Arc::new(MemoryTokenStore::new()))?;
    client.sign_in(&env("EMAIL")?, &env("PASSWORD")?.into()).await?;
    let result = match arguments.as_slice() {
        [dsn] => list(&client, dsn).await,
        [dsn, name, value] => set(&client, dsn, name, value).await,
        _ => Err("usage: set_property DSN [NAME VALUE]".into()),
    };
    client.sign_out().await?;
    result
}

async fn list(client: &Client, dsn: &str) -> Result<(), Box<dyn Error>> {
    for property in client.properties().list(dsn).send().await? {
        let value = property.value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        println!("{} = {value}", property.name);
    }
    Ok(())
}

async fn set(client: &Client, dsn: &str, name: &str, value: &str) -> Result<(), Box<dyn Error>> {
    let property = client.properties().get(dsn, name).await?;
    let value = value.parse::<i64>().map_or_else(|_| PropertyValue::from(value), PropertyValue::from);
    let write = client.datapoints().create(dsn, name, value);
    if !property.ack_enabled {
        println!("stored as datapoint {}; the property does not use acknowledgements", write.send().await?.id);
        return Ok(());
    }
    let answered = write.and_wait(DEFAULT_ACK_WAIT).await.inspect_err(|error| {
        if let Some(written) = error.datapoint() {
            println!("stored as datapoint {}; the device has not answered", written.id);
        }
    })?;
    match answered.ack() {
        Ack::Refused(reason) => {
            println!("the device refused the value with status {}: {reason:?}", answered.ack_status);
        }
        _ => println!("the device accepted the value"),
    }
    Ok(())
}

fn env(name: &str) -> Result<String, String> {
    let name = format!("DEVICECLOUD_{name}");
    std::env::var(&name).map_err(|_| format!("set {name}"))
}

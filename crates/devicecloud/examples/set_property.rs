//! Lists the properties of a device, or sets one:
//!
//! ```text
//! export DEVICECLOUD_URL=http://127.0.0.1:8080 DEVICECLOUD_APP_ID=… DEVICECLOUD_APP_SECRET=…
//! export DEVICECLOUD_EMAIL=… DEVICECLOUD_PASSWORD=…
//! cargo run --example set_property -- AC000W000000001
//! cargo run --example set_property -- AC000W000000001 intensity 30
//! ```
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::sync::Arc;

use devicecloud::{Client, Config, Dsn, MemoryTokenStore, PropertyValue, SecretText};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let config = Config::local(&env("URL")?, env("APP_ID")?, SecretText::from(env("APP_SECRET")?))?;
    let client = Client::new(config, Arc::new(MemoryTokenStore::new()))?;
    client.sign_in(&env("EMAIL")?, &env("PASSWORD")?.into()).await?;
    let result = match arguments.as_slice() {
        [dsn] => list(&client, &dsn.as_str().into()).await,
        [dsn, name, value] => set(&client, &dsn.as_str().into(), name, value).await,
        _ => Err("usage: set_property DSN [NAME VALUE]".into()),
    };
    client.sign_out().await?;
    result
}

async fn list(client: &Client, dsn: &Dsn) -> Result<(), Box<dyn Error>> {
    for property in client.properties().list(dsn).send().await? {
        let value = property.value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        println!("{} = {value}", property.name);
    }
    Ok(())
}

async fn set(client: &Client, dsn: &Dsn, name: &str, value: &str) -> Result<(), Box<dyn Error>> {
    let value = value.parse::<i64>().map_or_else(|_| PropertyValue::from(value), PropertyValue::from);
    let written = client.datapoints().create(dsn, name, value).send().await?;
    println!("written as datapoint {}", written.id);
    Ok(())
}

fn env(name: &str) -> Result<String, String> {
    let name = format!("DEVICECLOUD_{name}");
    std::env::var(&name).map_err(|_| format!("set {name}"))
}

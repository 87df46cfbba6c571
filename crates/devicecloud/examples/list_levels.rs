//! Lists the devices of a user by a property, the lowest value first, `fragrance_remaining` unless another one is named:
//!
//! ```text
//! export DEVICECLOUD_URL=http://127.0.0.1:8081 DEVICECLOUD_APP_ID=… DEVICECLOUD_APP_SECRET=…
//! export DEVICECLOUD_EMAIL=… DEVICECLOUD_PASSWORD=…
//! cargo run --example list_levels
//! cargo run --example list_levels -- intensity
//! ```
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::sync::Arc;

use devicecloud::{Client, Config, Device, Include, MemoryTokenStore, SecretText};
use futures::TryStreamExt;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let property = std::env::args().nth(1).unwrap_or_else(|| "fragrance_remaining".to_owned());
    let config = Config::local(&env("URL")?, env("APP_ID")?, SecretText::from(env("APP_SECRET")?))?;
    let client = Client::new(config, Arc::new(MemoryTokenStore::new()))?;
    client.sign_in(&env("EMAIL")?, &env("PASSWORD")?.into()).await?;
    // One request for a hundred devices, with their properties.
    let devices = client.devices().list().per_page(100).include([Include::Properties]).items();
    let mut rows: Vec<_> = devices.map_ok(|device| (level(&device, &property), device)).try_collect().await?;
    client.sign_out().await?;
    rows.retain(|(level, _)| level.is_some());
    rows.sort_by(|(one, _), (other, _)| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
    for (level, device) in &rows {
        let name = device.product_name.as_deref().unwrap_or_default();
        println!("{:>7.1}  {}  {}  {name}", level.unwrap_or_default(), device.dsn, device.connection_status);
    }
    println!("{} devices have {property}", rows.len());
    Ok(())
}

fn level(device: &Device, name: &str) -> Option<f64> {
    device.properties.iter().find(|property| property.name == name)?.value.as_ref()?.as_f64()
}

fn env(name: &str) -> Result<String, String> {
    let name = format!("DEVICECLOUD_{name}");
    std::env::var(&name).map_err(|_| format!("set {name}"))
}

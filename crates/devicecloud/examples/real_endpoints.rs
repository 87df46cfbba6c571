//! Connects to a cloud with one address per service, as real clouds have, and calls each of its services:
//!
//! ```text
//! export DEVICECLOUD_LOCATION=europe
//! export DEVICECLOUD_USER_URL=https://user.example.com DEVICECLOUD_DEVICE_URL=https://device.example.com
//! export DEVICECLOUD_RULES_URL=https://rules.example.com DEVICECLOUD_SUBSCRIPTION_URL=https://subscription.example.com
//! export DEVICECLOUD_STREAM_URL=wss://stream.example.com
//! export DEVICECLOUD_APP_ID=… DEVICECLOUD_APP_SECRET=… DEVICECLOUD_EMAIL=… DEVICECLOUD_PASSWORD=…
//! cargo run --example real_endpoints
//! ```
//!
//! The location is `usa`, `china`, `europe`, or `local`, which also accepts plain http on this machine. The addresses
//! are those of your contract with the cloud; the library contains none.
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::sync::Arc;

use devicecloud::{
    Client, Config, Endpoints, MemoryTokenStore, Service, ServiceLocation, ServiceType, StreamEvent, SystemSettings,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut settings = SystemSettings::new(env("APP_ID")?, env("APP_SECRET")?);
    settings.service_type = ServiceType::Field;
    settings.service_location = match env("LOCATION")?.as_str() {
        "usa" => ServiceLocation::Usa,
        "china" => ServiceLocation::China,
        "europe" => ServiceLocation::Europe,
        "local" => ServiceLocation::Local,
        other => return Err(format!("{other}: usa, china, europe or local").into()),
    };
    let mut endpoints = Endpoints::default();
    for (service, name) in [
        (Service::User, "USER_URL"),
        (Service::Device, "DEVICE_URL"),
        (Service::Rules, "RULES_URL"),
        (Service::Subscription, "SUBSCRIPTION_URL"),
        (Service::Stream, "STREAM_URL"),
    ] {
        // An address that is not secure is an error here, before anything is sent.
        endpoints.set(service, settings.service_location, settings.service_type, &env(name)?)?;
    }
    let client = Client::new(Config::new(settings, endpoints)?, Arc::new(MemoryTokenStore::new()))?;
    client.sign_in(&env("EMAIL")?, &env("PASSWORD")?.into()).await?;
    println!("user: {}", client.users().profile().await?.email);
    println!("device: {} devices", client.devices().list().send().await?.total);
    println!("rules: {} actions", client.rule_actions().list().await?.len());
    let subscription = client.subscriptions().create().send().await?;
    println!("subscription: {}", subscription.id);
    let connected = matches!(client.stream(&subscription).next().await, Some(StreamEvent::Connected));
    println!("stream: {}", if connected { "connected" } else { "not connected" });
    client.subscriptions().delete(subscription.id).await?;
    client.sign_out().await?;
    Ok(())
}

fn env(name: &str) -> Result<String, String> {
    let name = format!("DEVICECLOUD_{name}");
    std::env::var(&name).map_err(|_| format!("set {name}"))
}

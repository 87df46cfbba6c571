//! Shows the devices of a user and every change from then on, until it is interrupted. A managed session reads the
//! devices and keeps them up to date:
//!
//! ```text
//! export DEVICECLOUD_URL=http://127.0.0.1:8081 DEVICECLOUD_APP_ID=… DEVICECLOUD_APP_SECRET=…
//! export DEVICECLOUD_EMAIL=… DEVICECLOUD_PASSWORD=…
//! cargo run --example watch_changes
//! ```
//!
//! For more than a few hundred devices, follow a stream yourself: see the example `live_view`.
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::sync::Arc;

use devicecloud::manager::{
    Change, DeviceEvent, DeviceManager, Freshness, ManagedDevice, ManagedProperty, SessionManager,
};
use devicecloud::{Client, Config, MemoryTokenStore, SecretText};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::local(&env("URL")?, env("APP_ID")?, SecretText::from(env("APP_SECRET")?))?;
    let client = Client::new(config, Arc::new(MemoryTokenStore::new()))?;
    let session = SessionManager::sign_in(&client, &env("EMAIL")?, &env("PASSWORD")?.into()).await?;
    tokio::select! {
        result = watch(session.device_manager()) => result?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    session.shut_down().await?;
    Ok(())
}

async fn watch(manager: &DeviceManager) -> devicecloud::Result<()> {
    // Subscribed first, so that no change is missed.
    let mut changes = manager.changes();
    manager.ready().await?;
    println!("{} devices", manager.devices().len());
    while let Some((dsn, event)) = changes.next().await {
        match event {
            DeviceEvent::Changed(Change::Property { name, value: Some(value), .. }) => {
                println!("{dsn} {name} = {value}");
            }
            DeviceEvent::Changed(_) | DeviceEvent::Gap => manager.device(dsn).iter().for_each(show),
            DeviceEvent::Freshness(Freshness::Live) => println!("{dsn} is live"),
            DeviceEvent::Freshness(Freshness::Stale(reason)) => println!("{dsn} may be out of date: {reason:?}"),
            DeviceEvent::Removed => println!("{dsn} is gone"),
            _ => {}
        }
    }
    Ok(())
}

/// After a gap, all values are read again.
fn show(device: &ManagedDevice) {
    println!("{} is {}", device.dsn(), device.snapshot().connection_status);
    for property in device.properties().iter().filter_map(ManagedProperty::snapshot) {
        let value = property.value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        println!("{} {} = {value}", device.dsn(), property.name);
    }
}

fn env(name: &str) -> Result<String, String> {
    let name = format!("DEVICECLOUD_{name}");
    std::env::var(&name).map_err(|_| format!("set {name}"))
}

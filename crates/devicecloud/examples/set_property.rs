//! Lists the properties of a device, or sets one and waits for the device's acknowledgement:
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

use devicecloud::api::DEFAULT_ACK_WAIT;
use devicecloud::manager::{ManagedDevice, ManagedProperty, SessionManager};
use devicecloud::{Ack, Client, Config, Endpoints, MemoryTokenStore, PropertyValue, ServiceLocation, SystemSettings};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut settings = SystemSettings::new(env("APP_ID")?, env("APP_SECRET")?);
    settings.service_location = ServiceLocation::Local;
    // Only one device is needed, without live data.
    settings.auto_fetch_devices = false;
    settings.allow_dss = false;
    let config = Config::new(settings, Endpoints::local(&env("URL")?)?)?;
    let client = Client::new(config, Arc::new(MemoryTokenStore::new()))?;
    let session = SessionManager::sign_in(&client, &env("EMAIL")?, &env("PASSWORD")?.into()).await?;
    let result = match arguments.as_slice() {
        [dsn] => list(&session, dsn).await,
        [dsn, name, value] => set(&session, dsn, name, value).await,
        _ => Err("usage: set_property DSN [NAME VALUE]".into()),
    };
    session.shut_down().await?;
    result
}

async fn device(session: &SessionManager, dsn: &str) -> Result<ManagedDevice, Box<dyn Error>> {
    let manager = session.device_manager();
    manager.add(dsn)?;
    manager.ready().await?;
    manager.device(dsn).ok_or_else(|| format!("there is no device {dsn}").into())
}

async fn list(session: &SessionManager, dsn: &str) -> Result<(), Box<dyn Error>> {
    for property in device(session, dsn).await?.properties().iter().filter_map(ManagedProperty::snapshot) {
        let value = property.value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        println!("{} = {value}", property.name);
    }
    Ok(())
}

async fn set(session: &SessionManager, dsn: &str, name: &str, value: &str) -> Result<(), Box<dyn Error>> {
    let value = value.parse::<i64>().map_or_else(|_| PropertyValue::from(value), PropertyValue::from);
    let device = device(session, dsn).await?;
    let property = device.property(name).ok_or_else(|| format!("it has no property {name}"))?;
    let written = match property.create_datapoint(value).ack_wait(DEFAULT_ACK_WAIT).send().await {
        Ok(written) => written,
        Err(error) => {
            if let Some(written) = error.datapoint() {
                println!("stored in the cloud as datapoint {}; the device has not answered", written.id);
            }
            return Err(error.into());
        }
    };
    match written.ack() {
        Ack::Accepted => println!("the device accepted the value"),
        Ack::Refused(reason) => println!("the device refused the value with status {}: {reason:?}", written.ack_status),
        _ => println!("stored in the cloud as datapoint {}; the property does not use acknowledgements", written.id),
    }
    Ok(())
}

fn env(name: &str) -> Result<String, String> {
    let name = format!("DEVICECLOUD_{name}");
    std::env::var(&name).map_err(|_| format!("set {name}"))
}

//! Lists the devices of a user and prints live events until it is interrupted:
//!
//! ```text
//! export DEVICECLOUD_URL=http://127.0.0.1:8080 DEVICECLOUD_APP_ID=… DEVICECLOUD_APP_SECRET=…
//! export DEVICECLOUD_EMAIL=… DEVICECLOUD_PASSWORD=…
//! cargo run --example watch_stream
//! ```
//!
//! Whenever the stream reports that events may have been missed, the program reloads everything, so that its output is
//! eventually up to date.
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use devicecloud::{
    Client, Config, DatapointEvent, Dsn, MemoryTokenStore, PropertyValue, SecretText, StreamEvent, Subscription,
    SubscriptionType,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::local(&env("URL")?, env("APP_ID")?, SecretText::from(env("APP_SECRET")?))?;
    let client = Client::new(config, Arc::new(MemoryTokenStore::new()))?;
    client.sign_in(&env("EMAIL")?, &env("PASSWORD")?.into()).await?;
    let result = run(&client).await;
    client.sign_out().await?;
    result
}

async fn run(client: &Client) -> Result<(), Box<dyn Error>> {
    use SubscriptionType::{Connectivity, Datapoint, DatapointAck};
    // All devices that the user can read.
    let subscribe = client.subscriptions().create().subscription_types([Datapoint, DatapointAck, Connectivity]);
    let subscription = subscribe.send().await?;
    let result = tokio::select! {
        result = watch(client, &subscription) => result,
        interrupted = tokio::signal::ctrl_c() => interrupted.map_err(Into::into),
    };
    client.subscriptions().delete(subscription.id).await?;
    result
}

async fn watch(client: &Client, subscription: &Subscription) -> Result<(), Box<dyn Error>> {
    let mut known = Known::new();
    let mut stream = client.stream(subscription);
    while let Some(event) = stream.next().await {
        match event {
            // Earlier events are not delivered or were missed.
            StreamEvent::Connected | StreamEvent::Gap => read(client, &mut known).await?,
            StreamEvent::Disconnected => println!("the stream was lost; it reconnects automatically"),
            StreamEvent::Datapoint(DatapointEvent { dsn, property, datapoint, .. }) => {
                show(&mut known, &dsn, property, datapoint.value);
            }
            StreamEvent::DatapointAck(DatapointEvent { dsn, property, datapoint, .. }) => {
                println!("{dsn} {property}: acknowledged with {}", datapoint.ack_status);
            }
            StreamEvent::Connectivity { dsn, status, .. } => println!("{dsn} is {status}"),
            StreamEvent::Refused => return Err("the cloud refused the stream: it needs a new subscription".into()),
            _ => {}
        }
    }
    Ok(())
}

/// The last printed values.
type Known = BTreeMap<(Dsn, String), Option<PropertyValue>>;

async fn read(client: &Client, known: &mut Known) -> devicecloud::Result<()> {
    for device in client.devices().all().await? {
        println!("{} is {}", device.dsn, device.connection_status);
        for property in client.properties().list(&device.dsn).send().await? {
            show(known, &device.dsn, property.name, property.value);
        }
    }
    Ok(())
}

/// Prints a value if it is new.
fn show(known: &mut Known, dsn: &Dsn, property: String, value: Option<PropertyValue>) {
    let text = value.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
    if known.get(&(dsn.clone(), property.clone())) != Some(&value) {
        println!("{dsn} {property} = {text}");
        known.insert((dsn.clone(), property), value);
    }
}

fn env(name: &str) -> Result<String, String> {
    let name = format!("DEVICECLOUD_{name}");
    std::env::var(&name).map_err(|_| format!("set {name}"))
}

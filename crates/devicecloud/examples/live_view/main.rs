//! Shows all devices of a user and their values, and every change from then on, until it is interrupted:
//!
//! ```text
//! export DEVICECLOUD_URL=http://127.0.0.1:8081 DEVICECLOUD_APP_ID=… DEVICECLOUD_APP_SECRET=…
//! export DEVICECLOUD_EMAIL=… DEVICECLOUD_PASSWORD=…
//! cargo run --example live_view -- .live-view
//! ```
//!
//! It survives cuts of the connection, expired tokens and restarts: the folder stores the tokens and the subscription, so
//! that the next run continues both. Ctrl-C deletes the subscription, and keeps the user signed in.
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

#[path = "../file_token_store/store.rs"]
mod store;
mod view;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use devicecloud::{Client, Config, ErrorKind, SecretText};
use store::FileTokenStore;
use view::{Change, LiveView};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: live_view FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let config = Config::local(&env("URL")?, env("APP_ID")?, SecretText::from(env("APP_SECRET")?))?;
    let client = Client::new(config, Arc::new(FileTokenStore::new(folder.join("tokens.json"))))?;
    let saved = folder.join("subscription");
    let subscription = std::fs::read_to_string(&saved).ok().map(|id| id.trim().into());
    let mut view = LiveView::new(client.clone(), subscription, show);
    tokio::select! {
        result = run(&client, &mut view, &saved) => result?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    if let Some(id) = view.subscription() {
        client.subscriptions().delete(id).await?;
        std::fs::remove_file(&saved)?;
    }
    Ok(())
}

/// Runs until an error that repeating does not cure.
async fn run(client: &Client, view: &mut LiveView<impl FnMut(Change)>, saved: &Path) -> Result<(), Box<dyn Error>> {
    loop {
        match follow(view, saved).await {
            Ok(()) => println!("the stream ended; subscribing again"),
            // No tokens yet, or the cloud ended the session.
            Err(error) if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::Auth) => {
                client.sign_in(&env("EMAIL")?, &env("PASSWORD")?.into()).await?;
                println!("signed in");
            }
            Err(error) if is_temporary(&error) => {
                println!("{error}; trying again");
                tokio::time::sleep(view::pause(&error)).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

async fn follow(view: &mut LiveView<impl FnMut(Change)>, saved: &Path) -> devicecloud::Result<()> {
    let subscription = view.subscribe().await?;
    std::fs::write(saved, subscription.id.as_str()).map_err(|error| {
        devicecloud::Error::new(ErrorKind::Internal, "The subscription could not be stored").with_source(error)
    })?;
    view.follow(&subscription).await
}

/// Whether to try again. A second subscription does no harm, so that a lost response to its creation does not matter.
fn is_temporary(error: &devicecloud::Error) -> bool {
    matches!(error.kind(), ErrorKind::Network | ErrorKind::Timeout) || matches!(error.status(), Some(429 | 500..))
}

fn show(change: Change) {
    match change {
        Change::Loaded(devices) => println!("{devices} devices are up to date"),
        Change::Status(dsn, status) => println!("{dsn} is {status}"),
        Change::Value(dsn, name, Some(value)) => println!("{dsn} {name} = {value}"),
        Change::Value(dsn, name, None) => println!("{dsn} {name} has no value"),
        Change::Gone(dsn) => println!("{dsn} is gone"),
    }
}

fn env(name: &str) -> Result<String, String> {
    let name = format!("DEVICECLOUD_{name}");
    std::env::var(&name).map_err(|_| format!("set {name}"))
}

//! Stays signed in between runs: the first run signs in, later runs use the tokens in the file until `sign-out`:
//!
//! ```text
//! export DEVICECLOUD_URL=http://127.0.0.1:8081 DEVICECLOUD_APP_ID=… DEVICECLOUD_APP_SECRET=…
//! export DEVICECLOUD_EMAIL=… DEVICECLOUD_PASSWORD=…
//! cargo run --example file_token_store -- tokens.json
//! cargo run --example file_token_store -- tokens.json sign-out
//! ```
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

mod store;

use std::error::Error;
use std::sync::Arc;

use devicecloud::{Client, Config, ErrorKind, SecretText};
use store::FileTokenStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, sign_out) = match arguments.as_slice() {
        [path] => (path, false),
        [path, what] if what == "sign-out" => (path, true),
        _ => return Err("usage: file_token_store FILE [sign-out]".into()),
    };
    let config = Config::local(&env("URL")?, env("APP_ID")?, SecretText::from(env("APP_SECRET")?))?;
    let client = Client::new(config, Arc::new(FileTokenStore::new(path)))?;
    if sign_out {
        client.sign_out().await?;
        println!("signed out");
        return Ok(());
    }
    let profile = match client.users().profile().await {
        // No tokens yet, or the cloud no longer accepts them.
        Err(error) if matches!(error.kind(), ErrorKind::Precondition | ErrorKind::Auth) => {
            client.sign_in(&env("EMAIL")?, &env("PASSWORD")?.into()).await?;
            println!("signed in");
            client.users().profile().await?
        }
        profile => {
            println!("used the stored session");
            profile?
        }
    };
    println!("{}", profile.email);
    Ok(())
}

fn env(name: &str) -> Result<String, String> {
    let name = format!("DEVICECLOUD_{name}");
    std::env::var(&name).map_err(|_| format!("set {name}"))
}

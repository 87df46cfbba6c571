//! Uploads a file to a property of type `file`, or fetches the newest one:
//!
//! ```text
//! export DEVICECLOUD_URL=http://127.0.0.1:8081 DEVICECLOUD_APP_ID=… DEVICECLOUD_APP_SECRET=…
//! export DEVICECLOUD_EMAIL=… DEVICECLOUD_PASSWORD=…
//! cargo run --example upload_file -- AC000W000000001 log put report.txt
//! cargo run --example upload_file -- AC000W000000001 log get copy.txt
//! ```
#![expect(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::sync::Arc;

use devicecloud::api::FileContent;
use devicecloud::{Client, Config, MemoryTokenStore, Property, SecretText};
use futures::{TryStreamExt, stream};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dsn, property, what, path] = arguments.as_slice() else {
        return Err("usage: upload_file DSN PROPERTY put|get PATH".into());
    };
    let config = Config::local(&env("URL")?, env("APP_ID")?, SecretText::from(env("APP_SECRET")?))?;
    let client = Client::new(config, Arc::new(MemoryTokenStore::new()))?;
    client.sign_in(&env("EMAIL")?, &env("PASSWORD")?.into()).await?;
    let property = client.properties().get(dsn.as_str(), property).await;
    let result = match (property, what.as_str()) {
        (Err(error), _) => Err(error.into()),
        (Ok(property), "put") => put(&client, property, path).await,
        (Ok(property), "get") => get(&client, property, path).await,
        (Ok(_), other) => Err(format!("{other}: put or get").into()),
    };
    client.sign_out().await?;
    result
}

async fn put(client: &Client, property: Property, path: &str) -> Result<(), Box<dyn Error>> {
    let file = File::open(path).await?;
    let size = file.metadata().await?.len();
    // Read while it is sent, whatever its size.
    let chunks = stream::try_unfold(file, |mut file| async move {
        let mut chunk = vec![0; 64 * 1024];
        let read = file.read(&mut chunk).await?;
        chunk.truncate(read);
        Ok((read > 0).then_some((chunk, file)))
    });
    let placeholder = client.files().create(property.key).send().await?;
    let uploaded = client.files().upload(&placeholder, FileContent::chunks(chunks).size(size)).await?;
    println!("uploaded {size} bytes to {}", uploaded.location);
    Ok(())
}

async fn get(client: &Client, property: Property, path: &str) -> Result<(), Box<dyn Error>> {
    let location = property.value.ok_or("the property has no file yet")?.to_string();
    let mut chunks = client.files().download(&location).await?;
    let (mut file, mut size) = (File::create(path).await?, 0);
    while let Some(chunk) = chunks.try_next().await? {
        file.write_all(&chunk).await?;
        size += chunk.len();
    }
    file.flush().await?;
    println!("saved {size} bytes to {path}");
    Ok(())
}

fn env(name: &str) -> Result<String, String> {
    let name = format!("DEVICECLOUD_{name}");
    std::env::var(&name).map_err(|_| format!("set {name}"))
}

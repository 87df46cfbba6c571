//! `sillage simulate`: one diffuser of a demo, until stopped.

use std::path::PathBuf;

use anyhow::{Context, bail};
use simulator::{Fleet, Options};
use url::Url;

use crate::demo::{self, folder::Memory};
use crate::stop;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The diffuser's serial number
    #[arg(long)]
    dsn: String,
    /// The demo's data folder, where the diffuser's key comes from
    #[arg(long, default_value = "./data", value_name = "DIR")]
    data: PathBuf,
    /// Where the cloud listens for diffusers
    #[arg(long, default_value = "mqtt://127.0.0.1:1883", value_name = "URL")]
    link: Url,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let memory = Memory::load(&args.data)?;
    let fleet = demo::fleet::of(memory.plan);
    let Some(unit) = fleet.iter().find(|unit| unit.dsn == args.dsn) else {
        bail!("{} is no diffuser of this demo", args.dsn);
    };
    let link = address(&args.link)?;
    let mut reported = demo::reported(&args.data).await?;
    let device = demo::diffusers::virtual_device(unit, &memory.fleet_secret, reported.remove(&unit.dsn).as_ref());
    let diffuser = Fleet::start(Options { link, seed: memory.plan.seed, devices: vec![device] });
    tracing::info!(dsn = unit.dsn, "diffuser plugged in");
    stop::asked().await?;
    diffuser.shutdown().await;
    Ok(())
}

fn address(link: &Url) -> anyhow::Result<String> {
    if link.scheme() != "mqtt" {
        bail!("--link begins with mqtt://");
    }
    let host = link.host_str().context("--link names no host")?;
    Ok(format!("{host}:{}", link.port().unwrap_or(1883)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_is_an_mqtt_address() {
        let parse = |text: &str| address(&text.parse().unwrap()).map_err(|error| error.to_string());
        assert_eq!(parse("mqtt://127.0.0.1:1900"), Ok("127.0.0.1:1900".to_owned()));
        assert_eq!(parse("mqtt://cloud.example"), Ok("cloud.example:1883".to_owned()));
        assert_eq!(parse("http://127.0.0.1:1900"), Err("--link begins with mqtt://".to_owned()));
    }
}

//! `sillage doctor`: checks what a cloud or a console depends on, and changes nothing.

mod certificate;
mod database;

use std::time::Duration;

use anyhow::{Context, bail};
use cloud::CloudConfig;
use console::ConsoleConfig;
use platform::bus::{Bus, BusAddress};
use platform::db::{Db, Dialect};
use platform::http::tls::CertificateFiles;
use platform::mail::MailServer;
use platform::run::clock::Clock;
use platform::run::random::Random;
use serde::Serialize;
use tokio::time::timeout;

use crate::cloud_node::output;
use crate::configuration::{self, Environment, Node, Selection, Server};
use crate::options::store_kind::StoreKind;

/// Longer than the time limit of any server that is checked.
const PATIENCE: Duration = Duration::from_secs(20);

/// Check the configuration of a cloud or a console, its database, clock, mail server, text gateway, bus, certificate and free
/// space, and say how to repair what is wrong. Changes nothing, and can run beside the nodes
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Free space that the disk of a SQLite database must have
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    free_space: u64,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Fault,
    /// Nothing to check.
    Skipped,
}

#[derive(Serialize)]
struct Finding {
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'static str>,
    check: &'static str,
    state: State,
    result: String,
    /// What to do about a fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

/// A fault, and what to do about it.
struct Fault {
    result: String,
    advice: String,
}

impl Fault {
    fn new(error: impl std::fmt::Display, advice: impl Into<String>) -> Self {
        Self { result: error.to_string(), advice: advice.into() }
    }
}

/// The findings about one server, or about the configuration before a server is known.
#[derive(Default)]
struct ServerFindings {
    server: Option<&'static str>,
    findings: Vec<Finding>,
}

impl ServerFindings {
    fn add(&mut self, check: &'static str, result: Result<String, Fault>) {
        let (state, result, advice) = match result {
            Ok(result) => (State::Ok, result, None),
            Err(Fault { result, advice }) => (State::Fault, result, Some(advice)),
        };
        self.findings.push(Finding { server: self.server, check, state, result, advice });
    }

    fn skip(&mut self, check: &'static str, reason: &str) {
        let result = reason.to_owned();
        self.findings.push(Finding { server: self.server, check, state: State::Skipped, result, advice: None });
    }
}

pub(crate) async fn run(args: Args, environment: &Environment) -> anyhow::Result<()> {
    let mut report = ServerFindings::default();
    match args.selection.servers(environment) {
        Ok(servers) => {
            for server in servers {
                report.server = Some(server.name());
                examine(&mut report, server, &args, environment).await;
            }
        }
        Err(error) => report.add("configuration", Err(invalid(&error))),
    }
    print(&report.findings, args.json)?;
    match report.findings.iter().filter(|finding| finding.state == State::Fault).count() {
        0 => Ok(()),
        1 => bail!("1 fault"),
        faults => bail!("{faults} faults"),
    }
}

fn print(findings: &[Finding], json: bool) -> anyhow::Result<()> {
    if json {
        return output::print_json(&findings);
    }
    for Finding { server, check, state, result, advice } in findings {
        let state = match state {
            State::Ok => "ok",
            State::Fault => "FAULT",
            State::Skipped => "-",
        };
        let advice = advice.as_ref().map_or_else(String::new, |advice| format!(". {advice}"));
        output::print_line(&format!("{state:<6} {:<8} {check:<14} {result}{advice}", server.unwrap_or_default()))?;
    }
    Ok(())
}

fn invalid(error: &anyhow::Error) -> Fault {
    Fault::new(format!("{error:#}"), "Correct it; `sillage config check` shows where each value comes from")
}

async fn examine(report: &mut ServerFindings, server: Server, args: &Args, environment: &Environment) {
    let configured = configuration::read(server, &args.selection.options(), environment);
    let configured = configured.and_then(|configured| {
        Ok(match configured.node {
            Node::Cloud(node) => Config::Cloud(Box::new(node.config()?)),
            Node::Console(node) => {
                let config = node.config()?;
                config.check().context("--listen, --public-url or --maintenance-message")?;
                Config::Console(Box::new(config))
            }
        })
    });
    match configured {
        Ok(config) => {
            report.add("configuration", Ok("valid".to_owned()));
            match config {
                Config::Cloud(config) => examine_cloud(report, &config, args.free_space).await,
                Config::Console(config) => examine_console(report, &config, args.free_space).await,
            }
        }
        Err(error) => report.add("configuration", Err(invalid(&error))),
    }
}

enum Config {
    Cloud(Box<CloudConfig>),
    Console(Box<ConsoleConfig>),
}

async fn examine_cloud(report: &mut ServerFindings, config: &CloudConfig, free_space: u64) {
    if let Some(db) = examine_storage(report, StoreKind::Cloud, &config.database_url, &config.bus, free_space).await {
        db.close().await;
    }
    examine_mail(report, config.mail_server.as_ref(), "e-mails stay in the outbox").await;
    match &config.sms_gateway {
        Some(gateway) => report.add(
            "text gateway",
            match gateway.probe().await {
                Ok(()) => Ok("the gateway answers".to_owned()),
                Err(error) => Err(Fault::new(error, "Check the --sms-gateway options, and that the gateway runs")),
            },
        ),
        None => report.skip("text gateway", "no --sms-gateway-url: text messages stay in the outbox"),
    }
    match &config.link_tls {
        Some(tls) => {
            let found = certificate::check(&tls.files, ["--mqtts-cert", "--mqtts-key"], Clock::system().now()).await;
            report.add("certificate", found);
        }
        None => report.skip("certificate", "no --mqtts-listen"),
    }
    examine_https(report, config.tls.as_ref()).await;
}

/// `without` says what a node does without a mail server.
async fn examine_mail(report: &mut ServerFindings, server: Option<&MailServer>, without: &str) {
    match server {
        Some(server) => report.add(
            "mail",
            match server.probe().await {
                Ok(()) => Ok(format!("{}:{} accepts mail", server.host, server.port)),
                Err(error) => Err(Fault::new(error, "Check the --smtp options, and that the mail server runs")),
            },
        ),
        None => report.skip("mail", &format!("no --smtp-host: {without}")),
    }
}

async fn examine_https(report: &mut ServerFindings, files: Option<&CertificateFiles>) {
    match files {
        Some(files) => {
            let found = certificate::check(files, ["--tls-cert", "--tls-key"], Clock::system().now()).await;
            report.add("https", found);
        }
        None => report.skip("https", "no --tls-cert: a proxy terminates TLS, or only this machine reaches the server"),
    }
}

async fn examine_console(report: &mut ServerFindings, config: &ConsoleConfig, free_space: u64) {
    if let Some(db) = examine_storage(report, StoreKind::Console, &config.database_url, &config.bus, free_space).await {
        report.add("token key", database::check_token_key(&db, config).await);
        db.close().await;
    }
    report.add(
        "cloud",
        match console::check_cloud(config, Clock::system()).await {
            Ok(()) => Ok("accepts the application and the account".to_owned()),
            Err(error) => Err(Fault::new(error, "Check the options in parentheses, and that the cloud runs")),
        },
    );
    let without = "no digests, and no mails about the two-step sign-in";
    examine_mail(report, config.mail_server.as_ref(), without).await;
    examine_https(report, config.tls.as_ref()).await;
}

/// Checks the database, and the bus and the clock, which need it. Returns a database that has the schema of this version.
async fn examine_storage(
    report: &mut ServerFindings,
    kind: StoreKind,
    url: &str,
    bus: &BusAddress,
    free_space: u64,
) -> Option<Db> {
    let opened = timeout(PATIENCE, database::open(url)).await;
    let opened =
        opened.map_err(|_| "no answer".to_owned()).and_then(|opened| opened.map_err(|error| error.to_string()));
    let db = match opened {
        Ok(db) => db,
        Err(error) => {
            report.add("database", Err(Fault::new(error, database::HOW_TO_REACH)));
            return None;
        }
    };
    let schema = database::check_schema(&db, kind).await;
    let migrated = schema.is_ok();
    report.add("database", schema.map(|()| format!("{} has the schema of this version", db.name())));
    report.add("integrity", database::check_integrity(&db).await);
    match migrated {
        true => report.add("clock", database::check_clock(&db, Clock::system().now()).await),
        false => report.skip("clock", "it is compared with a database of this version"),
    }
    match (kind, db.dialect()) {
        (StoreKind::Console, _) => {}
        (StoreKind::Cloud, Dialect::Sqlite) => report.skip("history", "on SQLite it has no partitions"),
        (StoreKind::Cloud, Dialect::Postgres) if migrated => report.add("history", database::check_history(&db).await),
        (StoreKind::Cloud, Dialect::Postgres) => {
            report.skip("history", "its partitions belong to this version's schema");
        }
    }
    match database::file(url) {
        Some(path) => report.add("free space", database::check_space(path, free_space)),
        None => report.skip("free space", "the disk is that of the PostgreSQL server"),
    }
    match bus {
        BusAddress::InProcess => report.skip("bus", "within the process"),
        address => report.add(
            "bus",
            match Bus::probe(address, &db, &Random::system()).await {
                Ok(()) => Ok("the server lets this node subscribe".to_owned()),
                Err(error) => Err(Fault::new(error, "Check the --bus options, and that the server of the bus runs")),
            },
        ),
    }
    if !migrated {
        db.close().await;
    }
    migrated.then_some(db)
}

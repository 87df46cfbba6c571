//! The environment variables of Sillage.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use anyhow::{Context, bail};
use clap::Command;

use super::VARIABLE;
use super::settings::{self, Server, settings};
use crate::cloud_node;
use crate::options::mail_options;
use crate::options::spelling::nearest;
use crate::process::logging;

const PREFIX: &str = "SILLAGE_";
/// Secrets that are no options.
pub(super) const SECRETS: [&str; 2] = [mail_options::PASSWORD, cloud_node::SMS_GATEWAY_TOKEN];
/// Variables of tests, benches and tools, which reach the servers that these start.
const DEVELOPMENT: [&str; 10] = [
    "SILLAGE_BENCH",
    "SILLAGE_BENCH_DATABASE",
    "SILLAGE_BINARY",
    "SILLAGE_CUTS",
    "SILLAGE_KILLS",
    "SILLAGE_RELEASE_BEFORE",
    "SILLAGE_SEEDS",
    "SILLAGE_TEST_NEXT_MIGRATION",
    "SILLAGE_TEST_POSTGRES",
    "SILLAGE_TEST_POSTGRES_CONTROL",
];

/// Variables of programs that use the API of a console (docs/access-tokens.md).
const CLIENTS: [&str; 2] = ["SILLAGE_TOKEN", "SILLAGE_URL"];

pub(crate) struct Environment {
    variables: BTreeMap<String, OsString>,
    /// All variables that some command of Sillage reads.
    known: BTreeSet<String>,
}

impl Environment {
    /// The environment of this process; `definition` is the whole command line.
    pub(crate) fn of_process(definition: &Command) -> Self {
        // A name that is not Unicode cannot be ours.
        Self::new(definition, std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))))
    }

    pub(crate) fn new(definition: &Command, variables: impl IntoIterator<Item = (String, OsString)>) -> Self {
        let mut known: BTreeSet<String> =
            SECRETS.into_iter().chain(DEVELOPMENT).chain(CLIENTS).map(str::to_owned).collect();
        known.extend([VARIABLE, logging::FILTER, logging::FORMAT].map(str::to_owned));
        known.extend(Server::ALL.into_iter().flat_map(settings).map(|setting| settings::variable(&setting.key)));
        add_variables(definition, &mut known);
        Self { variables: variables.into_iter().collect(), known }
    }

    /// The value of a variable. An empty one counts as missing, as service managers and Compose pass unset ones.
    pub(super) fn value(&self, name: &str) -> anyhow::Result<Option<&str>> {
        let Some(value) = self.variables.get(name) else { return Ok(None) };
        let text = value.to_str().with_context(|| format!("{name} is not valid Unicode"))?;
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// Fails if there is a variable that no command reads.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let ours = self.variables.keys().filter(|name| name.starts_with(PREFIX));
        let Some(unknown) = ours.into_iter().find(|name| !self.known.contains(*name)) else { return Ok(()) };
        let nearest = nearest(unknown, self.known.iter().map(String::as_str));
        bail!("unknown environment variable {unknown}; the nearest known one is {nearest}")
    }
}

/// Adds the variables that options of the command and its subcommands name.
fn add_variables(command: &Command, known: &mut BTreeSet<String>) {
    let variables = command.get_arguments().filter_map(|option| option.get_env());
    known.extend(variables.filter_map(|name| name.to_str()).map(str::to_owned));
    command.get_subcommands().for_each(|inner| add_variables(inner, known));
}

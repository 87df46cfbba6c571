//! The ready file: tells a script that everything answers, where, and who may sign in.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

use super::accounts::Account;
use super::folder::{Memory, write_private};

/// What the ready file holds.
#[derive(Serialize)]
pub(crate) struct Ready<'a> {
    pub(crate) console: String,
    pub(crate) cloud: String,
    pub(crate) mqtt: String,
    pub(crate) app_id: &'a str,
    pub(crate) app_secret: &'a str,
    pub(crate) accounts: Vec<ReadyAccount<'a>>,
}

/// One account of the ready file.
#[derive(Serialize)]
pub(crate) struct ReadyAccount<'a> {
    role: Option<&'a str>,
    pub(crate) email: &'a str,
    pub(crate) password: &'a str,
    csp: Option<&'a str>,
}

impl ReadyAccount<'_> {
    /// The role for a person's eye, with the partner where there is one.
    pub(crate) fn describe(&self) -> String {
        let role = match self.role {
            None => "no role",
            Some(name) => diffuser::Role::from_name(name).map_or(name, |role| role.display_name()),
        };
        self.csp.map_or_else(|| role.to_owned(), |csp| format!("{role}, {csp}"))
    }
}

impl<'a> From<&'a Account> for ReadyAccount<'a> {
    fn from(account: &'a Account) -> Self {
        Self {
            role: account.role.as_deref(),
            email: &account.email,
            password: &account.password,
            csp: account.csp.as_deref(),
        }
    }
}

/// Takes the file of an earlier start away: it would tell of something that does not answer.
pub(crate) fn withdraw(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

impl<'a> Ready<'a> {
    pub(crate) fn new(console: String, cloud: String, mqtt: String, memory: &'a Memory) -> Self {
        Self {
            console,
            cloud,
            mqtt,
            app_id: &memory.app_id,
            app_secret: &memory.app_secret,
            accounts: memory.accounts.iter().map(ReadyAccount::from).collect(),
        }
    }

    /// Writes the file in one step: whoever sees it sees all of it.
    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        write_private(path, &serde_json::to_vec_pretty(self)?)
    }
}

//! The demo's ready file, from which a script learns the addresses and accounts.

use serde::Serialize;

use super::accounts::Account;
use super::data_folder::SavedDemo;
use super::fleet;

/// The content of the ready file.
#[derive(Serialize)]
pub(crate) struct Ready<'a> {
    pub(crate) console: String,
    pub(crate) cloud: String,
    pub(crate) mqtt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mqtts: Option<String>,
    /// The page with all outgoing messages. Missing if the cloud listens on a public address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mailbox: Option<String>,
    /// Serial numbers of the factory stock, which can be added in the console.
    pub(crate) stock: Vec<String>,
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
    /// The display name of the role, with the partner if there is one.
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

impl<'a> Ready<'a> {
    pub(crate) fn new(
        console: String,
        cloud: String,
        mqtt: String,
        mqtts: Option<String>,
        mailbox: Option<String>,
        saved: &'a SavedDemo,
    ) -> Self {
        Self {
            console,
            cloud,
            mqtt,
            mqtts,
            mailbox,
            stock: fleet::stock_dsns().collect(),
            app_id: &saved.app_id,
            app_secret: &saved.app_secret,
            accounts: saved.accounts.iter().map(ReadyAccount::from).collect(),
        }
    }
}

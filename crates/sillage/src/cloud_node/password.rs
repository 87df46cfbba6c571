//! Reads a new password from the terminal, standard input or a file. A flag's value would be visible in process lists.

use std::io::{IsTerminal, stdin};
use std::path::PathBuf;

use anyhow::{Context, bail};
use secrecy::SecretString;

use crate::files::secrets;

#[derive(clap::Args)]
pub(super) struct Password {
    /// File with the password. Without it the password is prompted for, or read from standard input if that is no terminal
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

impl Password {
    pub(super) fn read(&self) -> anyhow::Result<SecretString> {
        let password = match &self.password_file {
            Some(path) => secrets::line(path).context("--password-file")?,
            None if stdin().is_terminal() => prompt()?,
            None => {
                let mut line = String::new();
                stdin().read_line(&mut line).context("cannot read the password from standard input")?;
                line.trim_end_matches(['\n', '\r']).to_owned()
            }
        };
        if password.is_empty() {
            bail!("the password is empty");
        }
        let broken: Vec<&str> = cloud::broken_password_rules(&password).collect();
        if !broken.is_empty() {
            bail!("the password is rejected: {}", broken.join("; "));
        }
        Ok(password.into())
    }
}

fn prompt() -> anyhow::Result<String> {
    let password = rpassword::prompt_password("Password: ").context("cannot prompt for the password")?;
    if rpassword::prompt_password("Repeat the password: ").context("cannot prompt for the password")? != password {
        bail!("the two passwords differ");
    }
    Ok(password)
}

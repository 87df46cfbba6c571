//! The demo's output on the terminal.

use std::io::{Result, Write, stdout};
use std::path::Path;

use super::ready::{Ready, ReadyAccount};
use super::recorder;

/// Printed because the first start takes some time with a large fleet.
pub(super) fn print_first_start(devices: usize) -> Result<()> {
    writeln!(stdout(), "Creating {devices} diffusers with two months of history.")
}

/// Prints addresses and accounts.
pub(super) fn print_summary(ready: &Ready<'_>, data: &Path) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "\nSillage is ready.\n")?;
    writeln!(out, "  Console       {}", ready.console)?;
    writeln!(out, "  Device cloud  {}", ready.cloud)?;
    writeln!(out, "  Application   {} with the secret {}: for programs", ready.app_id, ready.app_secret)?;
    writeln!(out, "  Device link   {}", ready.mqtt)?;
    if let Some(mqtts) = &ready.mqtts {
        writeln!(out, "  with TLS      {mqtts}")?;
    }
    if let Some(mailbox) = &ready.mailbox {
        writeln!(out, "  Mailbox       {mailbox}")?;
    }
    if let [first, .., last] = &ready.stock[..] {
        writeln!(out, "  Stock         {first} to {last}: diffusers to add in the console")?;
    }
    writeln!(out, "  Files         {}: a device with the file property {}", recorder::DSN, recorder::PROPERTY)?;
    writeln!(out)?;
    write_accounts(&mut out, &ready.accounts)?;
    writeln!(out, "\nData is stored in {}. Press Ctrl-C to stop.\n", data.display())?;
    out.flush()
}

/// Prints a table of the accounts.
pub(super) fn print_accounts(accounts: &[ReadyAccount<'_>]) -> Result<()> {
    write_accounts(&mut stdout().lock(), accounts)
}

fn write_accounts(out: &mut impl Write, accounts: &[ReadyAccount<'_>]) -> Result<()> {
    writeln!(out, "  {:<40} {:<32} Password", "Role", "E-mail")?;
    for account in accounts {
        writeln!(out, "  {:<40} {:<32} {}", account.describe(), account.email, account.password)?;
    }
    Ok(())
}

pub(super) fn print_stopping() -> Result<()> {
    writeln!(stdout(), "Stopping.")
}

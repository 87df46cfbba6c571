//! What a demo prints for the person who started it.

use std::io::{Result, Write, stdout};
use std::path::Path;

use super::ready::Ready;
use super::recorder;

/// The first start takes its time with a large fleet.
pub(super) fn print_first_start(devices: usize) -> Result<()> {
    writeln!(stdout(), "Making {devices} diffusers and their last two months.")
}

/// Addresses and accounts.
pub(super) fn print_summary(ready: &Ready<'_>, data: &Path) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "\nSillage is ready.\n")?;
    writeln!(out, "  Console       {}", ready.console)?;
    writeln!(out, "  Device cloud  {}", ready.cloud)?;
    writeln!(out, "  Device link   {}", ready.mqtt)?;
    if let Some(mqtts) = &ready.mqtts {
        writeln!(out, "  with TLS      {mqtts}")?;
    }
    if let Some(mailbox) = &ready.mailbox {
        writeln!(out, "  Mailbox       {mailbox}")?;
    }
    if let [first, .., last] = &ready.stock[..] {
        writeln!(out, "  Stock         {first} to {last}: diffusers to add")?;
    }
    writeln!(out, "  Files         {}: a device whose property {} takes files", recorder::DSN, recorder::PROPERTY)?;
    writeln!(out, "\n  {:<40} {:<32} Password", "Role", "E-mail")?;
    for account in &ready.accounts {
        writeln!(out, "  {:<40} {:<32} {}", account.describe(), account.email, account.password)?;
    }
    writeln!(out, "\nEverything is kept in {}. Ctrl-C stops it.\n", data.display())?;
    out.flush()
}

pub(super) fn print_stopping() -> Result<()> {
    writeln!(stdout(), "Stopping.")
}

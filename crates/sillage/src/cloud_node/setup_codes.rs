//! Setup codes of devices in stock, which are printed on them.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, bail};
use cloud::Operator;
use cloud::operator::{Oem, SetupCode};
use platform::run::random::Random;

use super::output;
use crate::files::private_file;

/// Fails if the list of codes exists already, before anything is changed.
pub(super) fn ensure_new(list: &Path) -> anyhow::Result<()> {
    if list.exists() {
        bail!("--setup-codes: {} already exists", list.display());
    }
    Ok(())
}

/// Generates codes for the devices in stock that have none, or for `only` those of them, and writes them to a new file that
/// only its owner can read.
pub(super) async fn generate(
    operator: &Operator,
    oem: &Oem,
    list: &Path,
    only: Option<&HashSet<&str>>,
) -> anyhow::Result<()> {
    let mut dsns = operator.devices_without_setup_code(oem).await?;
    dsns.retain(|dsn| only.is_none_or(|only| only.contains(&**dsn)));
    if dsns.is_empty() {
        return output::print_line("All devices in stock have a setup code already; no list was written.");
    }
    let random = Random::system();
    let codes: Vec<_> = dsns.into_iter().map(|dsn| (dsn, SetupCode::random(&random))).collect();
    let lines = codes.iter().map(|(dsn, code)| format!("{dsn},{}\n", code.expose()));
    let text: String = ["dsn,setup_code\n".to_owned()].into_iter().chain(lines).collect();
    private_file::write_new(list, text.as_bytes()).context("--setup-codes")?;
    let hint = || format!("not all codes of {} are stored; run `device setup-codes` with a new list", list.display());
    let added = operator.add_setup_codes(oem, &codes).await.with_context(hint)?;
    if added < codes.len() {
        bail!(
            "some of these devices got a setup code or were removed concurrently; {} is not valid for them",
            list.display()
        );
    }
    output::print_line(&format!("Setup codes: {added}. They are only in {}: the cloud stores hashes.", list.display()))
}

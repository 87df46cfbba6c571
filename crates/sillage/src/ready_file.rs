//! `--ready-file`: tells whoever started us that everything answers, and where.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

use crate::private_file;

/// Takes the file of an earlier start away: it would tell of something that does not answer.
pub(crate) fn remove(path: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Writes the file in one step: whoever sees it sees all of it.
pub(crate) fn write(path: Option<&Path>, content: &impl Serialize) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    private_file::write(path, &serde_json::to_vec_pretty(content)?)
}

//! `--ready-file`: signals a supervising process that every listener is ready, and their addresses.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

use crate::files::private_file;

/// Removes the file of an earlier start, which names listeners that no longer answer.
pub(crate) fn remove(path: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Writes the file atomically, so that a reader never sees a part of it.
pub(crate) fn write(path: Option<&Path>, content: &impl Serialize) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    private_file::write(path, &serde_json::to_vec_pretty(content)?)
}

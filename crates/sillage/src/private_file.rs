//! Files that hold secrets.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::Context;

/// Writes a file that only its owner can read, and that is whole or not there at all.
pub(crate) fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let part = path.with_extension("part");
    create(&part)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Opens a file, emptied, that only its owner can read.
pub(crate) fn create(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

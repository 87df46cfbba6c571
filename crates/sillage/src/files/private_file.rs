//! Files that only their owner can read.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, bail};

/// Writes a file atomically: readers see either the complete content or the previous file.
pub(crate) fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let part = path.with_extension("part");
    create(&part)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Creates or truncates a file that only its owner can read.
pub(crate) fn create(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Creates a new file that only its owner can read.
///
/// # Errors
/// Fails if the file exists.
pub(crate) fn create_new(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Writes a new file that only its owner can read.
///
/// # Errors
/// Fails if the file exists or cannot be written completely; an incomplete file is removed.
pub(crate) fn write_new(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let mut file = match create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => bail!("{} already exists", path.display()),
        opened => opened.with_context(|| format!("cannot write {}", path.display()))?,
    };
    let written = file.write_all(content).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}

//! The manifest of a backup: its files with their sizes and hashes.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files::private_file;
use crate::options::store_kind::StoreKind;

/// The name of its file.
pub(super) const NAME: &str = "manifest.json";
/// The version of the format.
const FORMAT: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u32,
    /// The version of the program that wrote the backup.
    program: String,
    pub(super) begun_at: Timestamp,
    pub(super) databases: Vec<DatabaseCopy>,
    /// Other files.
    pub(super) files: Vec<CopiedFile>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DatabaseCopy {
    pub(super) kind: StoreKind,
    /// The last migration of its schema.
    pub(super) schema: i64,
    #[serde(flatten)]
    pub(super) file: CopiedFile,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CopiedFile {
    /// Its name in the folder of the backup.
    pub(super) name: String,
    pub(super) bytes: u64,
    #[serde(with = "hex::serde")]
    sha256: [u8; 32],
}

impl Manifest {
    pub(super) fn new(begun_at: Timestamp) -> Self {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        Self { format: FORMAT, program, begun_at, databases: Vec::new(), files: Vec::new() }
    }

    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(NAME);
        let text = fs::read(&path).with_context(|| format!("{} is not a complete backup", folder.display()))?;
        let manifest: Self = serde_json::from_slice(&text).with_context(|| format!("{} is damaged", path.display()))?;
        if manifest.format != FORMAT {
            bail!(
                "{}: this backup was written by another version of the program, {}",
                path.display(),
                manifest.program
            );
        }
        let is_plain = |file: &CopiedFile| Path::new(&file.name).file_name().is_some_and(|name| *name == *file.name);
        if !manifest.files().all(is_plain) {
            bail!("{} is damaged", path.display());
        }
        Ok(manifest)
    }

    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        private_file::write_new(&folder.join(NAME), &serde_json::to_vec_pretty(self)?)
    }

    /// All files, those of the databases first.
    pub(super) fn files(&self) -> impl Iterator<Item = &CopiedFile> {
        self.databases.iter().map(|database| &database.file).chain(&self.files)
    }
}

impl CopiedFile {
    /// Describes an existing file.
    pub(super) fn of(name: &str, path: &Path) -> anyhow::Result<Self> {
        read(name, path, &mut std::io::sink())
    }

    /// Copies a file to a new one that only its owner can read, and waits until it is on disk.
    pub(super) fn copy(from: &Path, name: &str, to: &Path) -> anyhow::Result<Self> {
        let cannot_write = || format!("cannot write {}", to.display());
        let mut file = private_file::create_new(to).with_context(cannot_write)?;
        let copied = read(name, from, &mut file)?;
        file.sync_all().with_context(cannot_write)?;
        Ok(copied)
    }
}

/// Reads a file, and writes it to `to`.
fn read(name: &str, path: &Path, to: &mut impl Write) -> anyhow::Result<CopiedFile> {
    let cannot_copy = || format!("cannot copy {}", path.display());
    let mut file = File::open(path).with_context(cannot_copy)?;
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 64 * 1024]);
    loop {
        let length = file.read(&mut buffer).with_context(cannot_copy)?;
        if length == 0 {
            return Ok(CopiedFile { name: name.to_owned(), bytes, sha256: hash.finalize().into() });
        }
        hash.update(&buffer[..length]);
        to.write_all(&buffer[..length]).with_context(cannot_copy)?;
        bytes += length as u64;
    }
}

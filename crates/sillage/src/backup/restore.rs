//! `sillage restore`: copies the files of a backup into a folder, and checks them.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use platform::db::{Db, Error};

use super::manifest::{CopiedFile, DatabaseCopy, Manifest};
use super::sync_folder;
use crate::cloud_node::output;

/// Files that SQLite keeps beside a database. Those of a lost database would damage the restored one.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Copy the databases and files of a backup into a folder, and check them. Nothing is overwritten
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the backup
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// The folder to restore into; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let manifest = Manifest::read(&args.from).context("--from")?;
    for file in manifest.files() {
        for suffix in COMPANIONS.into_iter().chain([""]) {
            let path = args.to.join(format!("{}{suffix}", file.name));
            if path.exists() {
                bail!("--to: {} exists; move it away first", path.display());
            }
        }
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&args.to)
        .with_context(|| format!("--to: cannot create the folder {}", args.to.display()))?;
    let restored = restore(&manifest, &args).await;
    if restored.is_err() {
        for file in manifest.files() {
            let _ = fs::remove_file(part(&args.to, file));
        }
    }
    restored?;
    sync_folder(&args.to)?;
    output::print_line(&format!("Restored the backup of {} into {}.", manifest.begun_at, args.to.display()))
}

/// Copies all files under other names, checks them, and renames them.
async fn restore(manifest: &Manifest, args: &Args) -> anyhow::Result<()> {
    for file in manifest.files() {
        let from = args.from.join(&file.name);
        let copied = CopiedFile::copy(&from, &file.name, &part(&args.to, file))?;
        if copied != *file {
            bail!("--from: {} is damaged: it differs from the manifest", from.display());
        }
    }
    for database in &manifest.databases {
        check(database, &part(&args.to, &database.file))
            .await
            .with_context(|| format!("--from: {}", database.file.name))?;
    }
    for file in manifest.files() {
        let to = args.to.join(&file.name);
        fs::rename(part(&args.to, file), &to).with_context(|| format!("cannot write {}", to.display()))?;
    }
    Ok(())
}

/// A node of this program migrates an older schema when it starts.
async fn check(database: &DatabaseCopy, path: &Path) -> anyhow::Result<()> {
    let db = Db::connect_read_only(&format!("sqlite:{}", path.display())).await?;
    let checked = db.check_schema(database.kind.migrations()).await;
    let checked = if matches!(checked, Err(Error::OldSchema)) { Ok(()) } else { checked };
    let checked = match checked {
        Ok(()) => db.check_integrity().await,
        refused => refused,
    };
    db.close().await;
    Ok(checked?)
}

/// The name of a file until everything is checked.
fn part(folder: &Path, file: &CopiedFile) -> PathBuf {
    folder.join(format!("{}.part", file.name))
}

//! `sillage backup`: copies SQLite databases, while they are in use, and files with secrets into a folder.

mod manifest;
pub(crate) mod restore;

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use platform::db::{Db, params};
use platform::run::clock::Clock;

use crate::cloud_node::output;
use crate::options::store_kind::StoreKind;
use manifest::{CopiedFile, DatabaseCopy, Manifest};

/// Copy the SQLite databases of a cloud and a console, and files with secrets, into a new folder. Everything may keep running.
/// For PostgreSQL use pg_dump
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A database to copy: sqlite:PATH. Repeat it for the cloud and the console
    #[arg(long = "database", value_name = "URL", required = true)]
    databases: Vec<String>,
    /// A file to copy with them, such as the console's token key; can be repeated
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder of the backup, which must not exist
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

pub(crate) async fn run(args: Args) -> anyhow::Result<()> {
    let mut databases = Vec::with_capacity(args.databases.len());
    for url in &args.databases {
        if !url.starts_with("sqlite:") {
            bail!("--database: a SQLite database is needed (sqlite:PATH); for PostgreSQL use pg_dump (docs/backup.md)");
        }
        let db = Db::connect_read_only(url).await.context("--database")?;
        databases.push((StoreKind::of(&db).await.context("--database")?, db));
    }
    // The console records a change before the cloud makes it, so its copy must not be the older one.
    databases.sort_by_key(|(kind, _)| *kind);
    if databases.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        bail!("--database: there are two databases of the same kind, back them up into separate folders");
    }
    create_private_folder(&args.to).with_context(|| format!("--to: cannot create the folder {}", args.to.display()))?;
    let mut manifest = Manifest::new(Clock::system().now());
    for (kind, db) in databases {
        manifest.databases.push(copy_database(kind, &db, &args.to).await?);
    }
    for file in &args.files {
        let name = file.file_name().and_then(|name| name.to_str()).context("--file: a file is needed")?;
        if manifest.files().any(|copied| copied.name == name) || name == manifest::NAME {
            bail!("--file: the backup has a file {name} already");
        }
        let copied = CopiedFile::copy(file, name, &args.to.join(name)).context("--file")?;
        manifest.files.push(copied);
    }
    // Last: a folder without it is not a complete backup.
    manifest.write(&args.to)?;
    sync_folder(&args.to)?;
    output::print_line(&format!("Backed up into {}.", args.to.display()))
}

/// Creates a folder that does not exist, and its parents.
fn create_private_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        builder.recursive(true).create(parent)?;
    }
    builder.recursive(false).create(path)
}

async fn copy_database(kind: StoreKind, db: &Db, folder: &Path) -> anyhow::Result<DatabaseCopy> {
    let name = kind.file_name();
    let path = folder.join(name);
    db.copy_to(&path).await.with_context(|| format!("cannot copy the database of the {}", kind.name()))?;
    let copy = Db::connect_read_only(&format!("sqlite:{}", path.display())).await?;
    copy.check_integrity().await.with_context(|| format!("the copy of {name}"))?;
    let sql = "select max(version) from _sqlx_migrations";
    let (schema,): (i64,) = copy.fetch_one(sql, params![]).await?;
    copy.close().await;
    let file = CopiedFile::of(name, &path)?;
    tracing::info!(database = kind.name(), bytes = file.bytes, "copied");
    Ok(DatabaseCopy { kind, schema, file })
}

/// New names in a folder survive a power cut only when the folder is on disk, too.
fn sync_folder(folder: &Path) -> anyhow::Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.with_context(|| format!("cannot write {}", folder.display()))
}

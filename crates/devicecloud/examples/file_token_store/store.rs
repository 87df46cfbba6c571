//! A [`TokenStore`] in a file, which several programs of one user can share.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use devicecloud::{Authorization, BoxFuture, Error, Result, TokenLock, TokenStore};

/// Stores the tokens as JSON in a file that only its owner can read. A second file beside it is the lock.
///
/// Anyone who can read the file can act as the user. Where the system has a key store, encrypt the tokens with a key from it.
pub(crate) struct FileTokenStore {
    path: PathBuf,
}

impl FileTokenStore {
    /// The file is created by the first sign-in; its folder must exist.
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl TokenStore for FileTokenStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        let path = self.path.clone();
        Box::pin(in_background(move || read(&path)))
    }

    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>> {
        let path = self.path.clone();
        Box::pin(in_background(move || {
            let file = OpenOptions::new().create(true).append(true).open(path.with_extension("lock"))?;
            // Waits for other processes. The system releases the lock when the file is closed, even after a crash.
            file.lock()?;
            Ok(Box::new(FileLock { path, _file: file }) as Box<dyn TokenLock>)
        }))
    }
}

struct FileLock {
    path: PathBuf,
    _file: File,
}

impl TokenLock for FileLock {
    fn load(&mut self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        let path = self.path.clone();
        Box::pin(in_background(move || read(&path)))
    }

    fn save<'a>(self: Box<Self>, authorization: Option<&'a Authorization>) -> BoxFuture<'a, Result<()>> {
        let authorization = authorization.cloned();
        Box::pin(in_background(move || match authorization {
            Some(authorization) => write(&self.path, &authorization),
            None => ignore_missing(std::fs::remove_file(&self.path)),
        }))
    }
}

/// File access blocks, so it must not run on the threads of the runtime.
async fn in_background<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    let failed = |error: io::Error| {
        Error::new(devicecloud::ErrorKind::Internal, "The tokens could not be read or written").with_source(error)
    };
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other).and_then(|result| result).map_err(failed)
}

fn read(path: &Path) -> io::Result<Option<Authorization>> {
    match std::fs::read(path) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces the file in one step, so that a crash leaves either the old tokens or the new ones.
fn write(path: &Path, authorization: &Authorization) -> io::Result<()> {
    let new = path.with_extension("new");
    // A file of an interrupted write keeps its permissions if it is opened again.
    ignore_missing(std::fs::remove_file(&new))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&new)?;
    file.write_all(&serde_json::to_vec(authorization)?)?;
    file.sync_all()?;
    std::fs::rename(&new, path)
}

fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

//! The demo's data folder, with `demo.json`, from which a restart rebuilds the same demo.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use jiff::Timestamp;
use platform::run::random::Random;
use serde::{Deserialize, Serialize};

use super::accounts::{self, Account};
use crate::files::private_file;

const FILE: &str = "demo.json";
const LOCK: &str = "demo.lock";
/// The version of the generated fleet. Increase it when a plan gives another fleet, because the folder's devices and history
/// then no longer match.
const VERSION: u32 = 2;

/// The content of `demo.json`. It has no `Debug` because it contains secrets.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedDemo {
    #[serde(default)]
    version: u32,
    /// The console's application at the cloud.
    pub(crate) app_id: String,
    pub(crate) app_secret: String,
    /// Encrypts the console's tokens at rest.
    #[serde(with = "hex::serde")]
    pub(crate) token_key: [u8; 32],
    /// All device keys are derived from it, see [`crate::files::device_key`].
    #[serde(with = "hex::serde")]
    pub(crate) fleet_secret: [u8; 32],
    /// The console's service account at the cloud (A-84).
    pub(crate) service: Account,
    /// The accounts of people.
    pub(crate) accounts: Vec<Account>,
    /// The fleet that the first start created.
    pub(crate) plan: FleetPlan,
}

/// The input of [`super::fleet::build`], which always gives the same fleet for the same plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FleetPlan {
    pub(crate) devices: usize,
    pub(crate) seed: u64,
    pub(crate) begun_at: Timestamp,
}

/// A data folder that this process has locked.
pub(crate) struct DataFolder {
    path: PathBuf,
    // The lock is released when the file is closed, even if the process crashes.
    _lock: File,
}

impl DataFolder {
    /// Creates the folder if necessary and locks it against other demos.
    pub(crate) fn lock(path: &Path) -> anyhow::Result<Self> {
        // Private to the user, because the databases contain personal data.
        let mut maker = DirBuilder::new();
        maker.recursive(true).mode(0o700);
        maker.create(path).with_context(|| format!("cannot create the folder {}", path.display()))?;
        let lock =
            private_file::create(&path.join(LOCK)).with_context(|| format!("cannot write into {}", path.display()))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                bail!("another demo is using {}: stop it, or choose another folder with --data", path.display())
            }
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock the folder {}", path.display()))
            }
        }
    }

    /// Whether no demo has been started in this folder yet.
    pub(crate) fn is_new(&self) -> bool {
        !self.path.join(FILE).exists()
    }

    /// Loads `demo.json`, or creates it with `plan` at the first start.
    pub(crate) fn load_or_create(&self, plan: FleetPlan, random: &Random) -> anyhow::Result<SavedDemo> {
        if !self.is_new() {
            return SavedDemo::load(&self.path);
        }
        let saved = SavedDemo {
            version: VERSION,
            app_id: format!("sillage-{}", random.hex(4)),
            app_secret: random.hex(24),
            token_key: random.bytes(),
            fleet_secret: random.bytes(),
            service: accounts::service(random),
            accounts: accounts::people(random),
            plan,
        };
        private_file::write(&self.path.join(FILE), &serde_json::to_vec_pretty(&saved)?)?;
        Ok(saved)
    }
}

impl SavedDemo {
    /// Loads `demo.json` of a folder in which a demo was started.
    pub(crate) fn load(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        if !path.exists() {
            bail!("{} does not exist: start `sillage demo` on this folder first", path.display());
        }
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        // serde_json's error may quote a secret, so only the line is reported.
        let saved: Self = serde_json::from_slice(&text)
            .map_err(|error| anyhow::anyhow!("{} is damaged at line {}", path.display(), error.line()))?;
        if saved.version != VERSION {
            bail!(
                "{} contains the fleet of another version: remove it, or choose another folder with --data",
                folder.display()
            );
        }
        Ok(saved)
    }
}

/// The URL of a SQLite database in `folder`.
pub(crate) fn database_url(folder: &Path, name: &str) -> String {
    format!("sqlite:{}", folder.join(name).display())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn plan(devices: usize) -> FleetPlan {
        FleetPlan { devices, seed: 1, begun_at: "2026-11-20T12:00:00Z".parse().unwrap() }
    }

    #[test]
    fn second_start_loads_the_same_private_file() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("data");
        let first = DataFolder::lock(&path).unwrap().load_or_create(plan(200), &Random::system()).unwrap();
        let second = DataFolder::lock(&path).unwrap().load_or_create(plan(9), &Random::system()).unwrap();
        assert_eq!(serde_json::to_value(&first).unwrap(), serde_json::to_value(&second).unwrap());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&path.join(FILE))), (0o700, 0o600));
    }

    #[test]
    fn second_demo_cannot_lock_the_folder() {
        let temporary = tempfile::tempdir().unwrap();
        let first = DataFolder::lock(temporary.path()).unwrap();
        let error = DataFolder::lock(temporary.path()).err().unwrap().to_string();
        assert!(error.starts_with("another demo is using"), "{error}");
        drop(first);
        DataFolder::lock(temporary.path()).unwrap();
    }

    #[test]
    fn damaged_file_is_named_and_kept_but_not_quoted() {
        let temporary = tempfile::tempdir().unwrap();
        fs::write(temporary.path().join(FILE), r#"{"app_id": "hush", "token_key": "hush"}"#).unwrap();
        let folder = DataFolder::lock(temporary.path()).unwrap();
        let error = format!("{:#}", folder.load_or_create(plan(1), &Random::system()).err().unwrap());
        assert!(error.contains("demo.json is damaged") && !error.contains("hush"), "{error}");
        assert!(fs::read_to_string(temporary.path().join(FILE)).unwrap().contains("hush"));
    }

    #[test]
    fn fleet_of_another_version_is_rejected() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::lock(temporary.path()).unwrap();
        let saved = folder.load_or_create(plan(200), &Random::system()).unwrap();
        let older = serde_json::to_string(&SavedDemo { version: 1, ..saved }).unwrap();
        fs::write(temporary.path().join(FILE), &older).unwrap();
        let error = folder.load_or_create(plan(200), &Random::system()).err().unwrap().to_string();
        assert!(
            error.ends_with("contains the fleet of another version: remove it, or choose another folder with --data"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(temporary.path().join(FILE)).unwrap(), older);
    }

    #[test]
    fn folder_without_a_demo_is_rejected_with_a_hint() {
        let temporary = tempfile::tempdir().unwrap();
        let error = SavedDemo::load(temporary.path()).err().unwrap().to_string();
        assert!(error.ends_with("start `sillage demo` on this folder first"), "{error}");
    }
}

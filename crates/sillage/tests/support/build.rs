//! The builds of the program that the nodes of a cluster run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the program of the release before, to upgrade from.
const RELEASE_BEFORE: &str = "SILLAGE_RELEASE_BEFORE";
/// Makes a test build stand for the next one, with the migration in the file that it names (`platform::db`).
const NEXT_MIGRATION: &str = "SILLAGE_TEST_NEXT_MIGRATION";

/// What a migration may add (CONTRIBUTING.md), here to a table of each server that is written all the time.
const MIGRATION: &str = "
    create table newer_version (id bigint primary key);
    alter table if exists device_state add column newer_note text, add column newer_count bigint not null default 7;
    alter table if exists idx_device_state add column newer_note text, add column newer_count bigint not null default 7;
";

#[derive(Clone)]
pub(crate) struct Build {
    program: PathBuf,
    /// The file with the migration that only the next build knows.
    migration: Option<PathBuf>,
}

impl Build {
    /// This build.
    pub(crate) fn this() -> Self {
        Self { program: env!("CARGO_BIN_EXE_sillage").into(), migration: None }
    }

    /// The release before and the build that follows it.
    ///
    /// If `SILLAGE_RELEASE_BEFORE` names a program, it is the release before, and this build follows it. Otherwise this build is the
    /// release before, and the build that follows is simulated: it is this build with one more migration. What a real release also
    /// changes, such as a new meaning of a value or a message, is not simulated then.
    pub(crate) fn before_and_next(folder: &Path) -> [Self; 2] {
        if let Some(program) = std::env::var_os(RELEASE_BEFORE) {
            return [Self { program: program.into(), migration: None }, Self::this()];
        }
        let file = folder.join("next.sql");
        std::fs::write(&file, MIGRATION).unwrap();
        [Self::this(), Self { migration: Some(file), ..Self::this() }]
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.envs(self.migration.iter().map(|file| (NEXT_MIGRATION, file)));
        command
    }
}

//! The migration of the next build, for tests of upgrades: a test build with this variable stands for a program that follows it.

use std::fs;
use std::sync::LazyLock;

use super::Migration;

/// Names the file with the text of the migration.
const FILE: &str = "SILLAGE_TEST_NEXT_MIGRATION";

static TEXT: LazyLock<Option<String>> = LazyLock::new(|| {
    let path = std::env::var_os(FILE)?;
    Some(fs::read_to_string(path).expect("the file that SILLAGE_TEST_NEXT_MIGRATION names is readable"))
});

/// The migration that follows those of this build, if a test has one.
pub(super) fn migration() -> Option<Migration> {
    TEXT.as_deref().map(|text| Migration { name: "next build", text })
}

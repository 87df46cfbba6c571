//! The product's name, its version, and the commit that it was built from. Keep the name equal to `web/src/domain/product.ts`.

use std::sync::LazyLock;

pub(crate) const NAME: &str = "Sillage";
/// The commit, as `packaging/commit` prints it. Builds for development have none, because a new commit would build them again.
const COMMIT: Option<&str> = option_env!("SILLAGE_COMMIT");

/// The version, followed by the commit if it is known: `0.1.0 (1a2b3c4d5e6f)`.
pub(crate) fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| with_commit(env!("CARGO_PKG_VERSION"), COMMIT));
    &VERSION
}

fn with_commit(version: &str, commit: Option<&str>) -> String {
    match commit {
        // A source tarball has no commit.
        None | Some("") => version.to_owned(),
        Some(commit) => format!("{version} ({commit})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_names_the_commit_if_it_is_known() {
        for (commit, expected) in [
            (None, "0.1.0"),
            (Some(""), "0.1.0"),
            (Some("1a2b3c4d5e6f"), "0.1.0 (1a2b3c4d5e6f)"),
            (Some("1a2b3c4d5e6f, modified"), "0.1.0 (1a2b3c4d5e6f, modified)"),
        ] {
            assert_eq!(with_commit("0.1.0", commit), expected);
        }
    }
}

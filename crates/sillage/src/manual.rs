//! `sillage manual`: man pages and shell completions, for packages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap_complete::Shell;

/// Write man pages and shell completions to the folders `man` and `completions`
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder that contains the two folders; they are created if missing
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

pub(crate) fn run(args: &Args, mut command: clap::Command) -> anyhow::Result<()> {
    let man = folder(&args.to, "man")?;
    clap_mangen::generate_to(command.clone(), &man).with_context(|| format!("cannot write {}", man.display()))?;
    let completions = folder(&args.to, "completions")?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command, "sillage", &completions)
            .with_context(|| format!("cannot write {}", completions.display()))?;
    }
    Ok(())
}

fn folder(parent: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let folder = parent.join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn every_command_has_a_man_page_and_every_shell_completions() {
        let to = tempfile::tempdir().unwrap();
        run(&Args { to: to.path().to_owned() }, Cli::command()).unwrap();
        let page = |name: &str| fs::read_to_string(to.path().join("man").join(name)).unwrap();
        assert!(page("sillage.1").contains("sillage\\-cloud(1)"));
        assert!(page("sillage-cloud.1").contains("SILLAGE_DATABASE"));
        assert!(page("sillage-cloud-device-add.1").contains("\\-\\-keys"));
        assert!(!to.path().join("man/sillage-manual.1").exists(), "the command for packages is hidden");
        for name in ["sillage.bash", "_sillage", "sillage.fish"] {
            let text = fs::read_to_string(to.path().join("completions").join(name)).unwrap();
            assert!(text.contains("mqtts-listen"), "{name}");
        }
    }

    #[test]
    fn unusable_folder_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = run(&Args { to: file.path().to_owned() }, Cli::command()).unwrap_err();
        assert!(error.to_string().contains(&*file.path().to_string_lossy()), "{error}");
    }
}

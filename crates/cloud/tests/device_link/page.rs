//! Runs the commands of docs/device-link.md, "By hand".

use std::process::{Output, Stdio};

use tokio::process::Command;
use tokio::time::timeout;

use platform::testing::PATIENCE;

const PAGE: &str = include_str!("../../../../docs/device-link.md");

/// A shell with the variables that the documented commands use.
pub(crate) struct DocumentedShell {
    names: Vec<(&'static str, String)>,
    /// Commands that run before each command.
    before: String,
}

impl DocumentedShell {
    /// Uses the documented settings for a connection with or without TLS.
    pub(crate) fn new(tls: bool, names: Vec<(&'static str, String)>) -> Self {
        let mut before = command("Begin");
        if tls {
            before.push_str(&command("With TLS"));
        }
        Self { names, before }
    }

    /// Sets a variable.
    pub(crate) fn with(&self, name: &'static str, value: impl Into<String>) -> Self {
        let mut names = self.names.clone();
        names.push((name, value.into()));
        Self { names, before: self.before.clone() }
    }

    /// Runs the documented command that follows the comment, and waits for its end.
    pub(crate) async fn run(&self, comment: &str) -> Output {
        let script = format!("{}{}", self.before, command(comment));
        let mut bash = Command::new("bash");
        bash.arg("-c").arg(script).stdin(Stdio::null()).kill_on_drop(true);
        bash.envs(self.names.iter().map(|(name, value)| (name, value)));
        let output = timeout(PATIENCE, bash.output()).await.expect("the command ends").expect("bash");
        assert_ne!(output.status.code(), Some(127), "a tool is missing, run `tools/setup rust`: {output:?}");
        output
    }
}

/// The lines after `# {comment}…` in the document, up to the next empty line or the end of the block.
fn command(comment: &str) -> String {
    let (_, by_hand) = PAGE.split_once("\n## By hand\n").expect("the page has a section \"By hand\"");
    let after = by_hand.lines().skip_while(|line| !line.starts_with(&format!("# {comment}")));
    let lines = after.take_while(|line| !line.is_empty() && !line.starts_with("```"));
    let command: String = lines.filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    assert!(!command.is_empty(), "the page has no command under {comment:?}");
    command
}

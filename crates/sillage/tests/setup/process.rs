//! Runs the real binary and reads its log line by line.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_sillage");
/// Longer than any step takes.
const DEADLINE: Duration = Duration::from_secs(60);

/// A `sillage` process; killed on drop.
pub(crate) struct Process {
    child: Child,
    lines: Receiver<String>,
    /// Lines that were read but not returned yet.
    read: RefCell<Vec<String>>,
}

impl Process {
    /// Starts `sillage` with arguments and environment variables, logging at `info`.
    pub(crate) fn start(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = Command::new(BINARY);
        command.args(arguments).envs(environment.iter().copied());
        Self::spawn(command)
    }

    /// Starts a command that runs `sillage`.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command.env("SILLAGE_LOG", "info").stderr(Stdio::piped()).spawn().unwrap();
        let stderr = child.stderr.take().unwrap();
        Self::read(child, stderr)
    }

    /// A process whose standard error this is.
    pub(crate) fn read(child: Child, stderr: impl Read + Send + 'static) -> Self {
        let (sender, lines) = channel();
        let stderr = BufReader::new(stderr);
        std::thread::spawn(move || {
            for line in stderr.lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        Self { child, lines, read: RefCell::default() }
    }

    /// Waits for a log line that contains all words. A line is returned only once.
    pub(crate) fn line(&self, words: &[&str]) -> String {
        let fits = |line: &String| words.iter().all(|word| line.contains(word));
        let mut read = self.read.borrow_mut();
        if let Some(at) = read.iter().position(fits) {
            return read.remove(at);
        }
        loop {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(line) if fits(&line) => return line,
                Ok(line) => read.push(line),
                Err(end) => panic!("{words:?} ({end}) not in:\n{}", read.join("\n")),
            }
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether one of the lines before the last one that was returned contains all words.
    pub(crate) fn has_logged(&self, words: &[&str]) -> bool {
        self.read.borrow().iter().any(|line| words.iter().all(|word| line.contains(word)))
    }

    /// Sends a signal such as `HUP`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Stops the process, and returns all lines that [`line`](Self::line) has not returned.
    pub(crate) fn stopped(mut self) -> Vec<String> {
        self.signal("INT");
        self.child.wait().unwrap();
        let mut lines = self.read.take();
        lines.extend(self.lines.iter());
        lines
    }

    pub(crate) fn wait(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Standard output of a `sillage` command that must succeed.
pub(crate) fn succeed(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let output = Command::new(BINARY).args(arguments).envs(environment.iter().copied()).output().unwrap();
    let Output { status, stdout, stderr } = output;
    assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// Standard error of a `sillage` command that must fail.
pub(crate) fn fail(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let output = Command::new(BINARY).args(arguments).envs(environment.iter().copied()).output().unwrap();
    let Output { status, stderr, .. } = output;
    assert!(!status.success(), "{arguments:?} succeeded");
    String::from_utf8(stderr).unwrap()
}

/// The value of a field in a log line.
pub(crate) fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let value = line.split(&format!("{name}=\"")).nth(1).unwrap_or_else(|| panic!("no {name} in {line}"));
    value.split('"').next().unwrap()
}

/// A local address on which nothing listens.
pub(crate) fn silent() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

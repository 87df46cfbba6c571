//! A node of the console in a separate process.

#[path = "disk.rs"]
pub(crate) mod disk;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

pub(crate) const ANY: &str = "127.0.0.1:0";

/// The files that hold a console's secrets.
pub(crate) struct Secrets([[String; 2]; 3]);

impl Secrets {
    pub(crate) fn write(folder: &Path, app_secret: &str, password: &str, token_key: &str) -> Self {
        let file = |flag: &str, content: &str| {
            let path = folder.join(format!("{}.secret", flag.trim_start_matches('-')));
            std::fs::write(&path, content).unwrap();
            [flag.to_owned(), path.display().to_string()]
        };
        Self([
            file("--app-secret-file", app_secret),
            file("--service-password-file", password),
            file("--token-key-file", token_key),
        ])
    }

    /// Flags and values.
    pub(crate) fn arguments(self) -> impl Iterator<Item = [String; 2]> {
        self.0.into_iter()
    }
}

/// `sillage console reindex`.
pub(crate) fn reindex(database: &str) {
    on_database("reindex", database);
}

/// `sillage console init`.
pub(crate) fn init(database: &str) {
    on_database("init", database);
}

fn on_database(command: &str, database: &str) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_sillage"));
    let Output { status, stderr, .. } = program.args(["console", command, "--database", database]).output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
}

/// The credentials of a console at a cloud.
pub(crate) struct Access {
    pub(crate) app_id: String,
    pub(crate) app_secret: String,
    pub(crate) email: String,
    pub(crate) password: String,
    /// In hexadecimal digits.
    pub(crate) token_key: String,
}

impl Access {
    /// The credentials of a demo's console.
    pub(crate) fn of_demo(folder: &Path) -> Self {
        let saved: Value = serde_json::from_slice(&std::fs::read(folder.join("demo.json")).unwrap()).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            app_id: text(&saved["app_id"]),
            app_secret: text(&saved["app_secret"]),
            email: text(&saved["service"]["email"]),
            password: text(&saved["service"]["password"]),
            token_key: text(&saved["token_key"]),
        }
    }
}

/// `sillage console`; killed on drop.
pub(crate) struct Console {
    child: Child,
    ready_file: PathBuf,
    url: String,
}

impl Console {
    /// Starts the node on a free port and waits until it is ready. `name` must differ between nodes that share a folder.
    pub(crate) fn start(database: &str, cloud: &str, access: &Access, folder: &Path, name: &str) -> Self {
        Self::start_with(database, cloud, access, folder, name, &[])
    }

    /// Like [`start`](Self::start), with more arguments.
    pub(crate) fn start_with(
        database: &str,
        cloud: &str,
        access: &Access,
        folder: &Path,
        name: &str,
        more: &[&str],
    ) -> Self {
        Self::start_program(disk::command(), database, cloud, access, folder, name, more)
    }

    /// Like [`start_with`](Self::start_with), with another program than this build.
    pub(crate) fn start_program(
        mut program: Command,
        database: &str,
        cloud: &str,
        access: &Access,
        folder: &Path,
        name: &str,
        more: &[&str],
    ) -> Self {
        let secrets = Secrets::write(folder, &access.app_secret, &access.password, &access.token_key);
        let ready_file = folder.join(format!("{name}.json"));
        if database.strip_prefix("sqlite:").is_some_and(|path| !Path::new(path).exists()) {
            init(database);
        }
        let mut child = program
            .args(["console", "--cloud", cloud])
            .args(if more.contains(&"--listen") { [].as_slice() } else { &["--listen", ANY] })
            .args(["--app-id", &access.app_id, "--service-email", &access.email])
            .args(secrets.arguments().flatten())
            .args(more)
            .arg("--ready-file")
            .arg(&ready_file)
            .envs([("SILLAGE_DATABASE", database), ("SILLAGE_LOG", "error")])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let ready: Value = loop {
            if let Ok(text) = std::fs::read(&ready_file) {
                break serde_json::from_slice(&text).unwrap();
            }
            if child.try_wait().unwrap().is_some() {
                let mut stderr = String::new();
                child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
                panic!("the console ended before it was ready: {stderr}");
            }
            // A busy loop would take a processor from the console.
            std::thread::sleep(Duration::from_millis(1));
        };
        Self { child, ready_file, url: ready["console"].as_str().unwrap().to_owned() }
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn ready_file(&self) -> PathBuf {
        self.ready_file.clone()
    }

    /// Panics if the console has exited.
    pub(crate) fn assert_running(&mut self) {
        assert_eq!(self.child.try_wait().unwrap(), None);
    }

    /// Sends SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends SIGINT and waits for the exit.
    pub(crate) fn stop(mut self) -> ExitStatus {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap()
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

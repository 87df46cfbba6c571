//! Starts the real binary and talks to it over plain HTTP, as a script would.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use futures::StreamExt;
use reqwest::StatusCode;
use reqwest::header::{COOKIE, ORIGIN, SET_COOKIE};
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_sillage");
const ANY_PORT: &str = "127.0.0.1:0";

/// A `sillage` process; killed on drop.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn spawn(arguments: &[&str]) -> Self {
        Self::spawn_with(arguments, &[])
    }

    pub(crate) fn spawn_with(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        // With the most permissive umask, file modes are those that the process requests.
        let mut command = Command::new("sh");
        command.args(["-c", "umask 0; exec \"$0\" \"$@\"", BINARY]);
        command.args(arguments).envs(environment.iter().copied());
        Self::start(command)
    }

    pub(crate) fn start(mut command: Command) -> Self {
        Self(command.env("SILLAGE_LOG", "warn").stdout(Stdio::piped()).spawn().unwrap())
    }

    /// Sends SIGINT and waits for the exit.
    pub(crate) fn stop(mut self) -> ExitStatus {
        let sent = Command::new("kill").args(["-INT", &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.0.wait().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A demo with twelve diffusers on free ports.
pub(crate) struct Demo {
    process: Process,
    ready_file: PathBuf,
    ready: Value,
}

impl Demo {
    pub(crate) fn start(data: &Path, more: &[&str]) -> Self {
        Self::start_with(data, more, &[])
    }

    /// With environment variables.
    pub(crate) fn start_with(data: &Path, more: &[&str], environment: &[(&str, &str)]) -> Self {
        let ready_file = data.join("ready.json");
        let mut arguments =
            vec!["demo", "--data", data.to_str().unwrap(), "--ready-file", ready_file.to_str().unwrap()];
        arguments.extend(["--listen", ANY_PORT, "--mqtt-listen", ANY_PORT, "--steady"]);
        if !more.contains(&"--cloud-listen") {
            arguments.extend(["--cloud-listen", ANY_PORT]);
        }
        if !more.contains(&"--devices") {
            arguments.extend(["--devices", "12"]);
        }
        arguments.extend(more);
        let mut process = Process::spawn_with(&arguments, environment);
        // The demo prints this line before it writes the ready file. If the process ends, its output is closed.
        let mut lines = BufReader::new(process.0.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("Ctrl-C")), "the demo ended before it was ready");
        let ready = loop {
            match std::fs::read(&ready_file) {
                Ok(text) => break serde_json::from_slice(&text).unwrap(),
                Err(_) => assert!(process.0.try_wait().unwrap().is_none(), "the demo ended before it was ready"),
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        };
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, ready_file, ready }
    }

    pub(crate) fn ready(&self) -> &Value {
        &self.ready
    }

    pub(crate) fn ready_file(&self) -> PathBuf {
        self.ready_file.clone()
    }

    pub(crate) fn stop(self) -> ExitStatus {
        self.process.stop()
    }

    /// Sends SIGKILL.
    pub(crate) fn kill(mut self) {
        self.process.0.kill().unwrap();
        self.process.0.wait().unwrap();
    }

    /// Simulates one diffuser that the demo does not simulate.
    pub(crate) fn simulate(&self, data: &Path, dsn: &str) -> Process {
        self.simulate_at("mqtt", data, dsn, &[])
    }

    /// Like [`simulate`](Self::simulate), at the address that the ready file names `link`.
    pub(crate) fn simulate_at(&self, link: &str, data: &Path, dsn: &str, more: &[&str]) -> Process {
        let link = self.ready[link].as_str().unwrap();
        let mut arguments = vec!["simulate", "--data", data.to_str().unwrap(), "--dsn", dsn, "--link", link];
        arguments.extend(more);
        Process::spawn(&arguments)
    }
}

/// The status and body of a page.
pub(crate) async fn page(address: &str) -> (u16, String) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let answer = reqwest::Client::new().get(address).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

/// Standard error of a demo that fails to start.
pub(crate) fn refused(data: &str, arguments: &[&str]) -> String {
    let mut all = vec!["demo", "--data", data, "--devices", "2"];
    for flag in ["--listen", "--cloud-listen", "--mqtt-listen"] {
        if !arguments.contains(&flag) {
            all.extend([flag, ANY_PORT]);
        }
    }
    if arguments.contains(&"--devices") {
        all.retain(|argument| !["--devices", "2"].contains(argument));
    }
    all.extend(arguments);
    fail(&all)
}

/// Standard error of a command that must fail.
pub(crate) fn fail(arguments: &[&str]) -> String {
    let Output { status, stderr, .. } = Command::new(BINARY).args(arguments).output().unwrap();
    assert!(!status.success(), "{arguments:?} succeeded");
    String::from_utf8(stderr).unwrap()
}

/// The demo's administrator, signed in directly at the device cloud.
pub(crate) struct CloudUser {
    http: reqwest::Client,
    cloud: String,
    token: String,
}

impl CloudUser {
    pub(crate) async fn sign_in(demo: &Demo) -> Self {
        let ready = demo.ready();
        Self::sign_in_at(ready["cloud"].as_str().unwrap(), ready).await
    }

    /// Signs in the first account of `saved`, with its application.
    pub(crate) async fn sign_in_at(cloud: &str, saved: &Value) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (http, cloud, admin) = (reqwest::Client::new(), cloud.to_owned(), &saved["accounts"][0]);
        let application = json!({"app_id": saved["app_id"], "app_secret": saved["app_secret"]});
        let user = json!({"email": admin["email"], "password": admin["password"], "application": application});
        let call = http.post(format!("{cloud}/users/sign_in.json")).json(&json!({"user": user}));
        let answer: Value = call.send().await.unwrap().json().await.unwrap();
        let token = answer["access_token"].as_str().unwrap().to_owned();
        Self { http, cloud, token }
    }

    /// Gives a command to a device.
    pub(crate) async fn command(&self, dsn: &str, property: &str, value: Value) {
        let path = format!("{}/apiv1/dsns/{dsn}/properties/{property}/datapoints.json", self.cloud);
        let call = self.http.post(path).header("authorization", format!("auth_token {}", self.token));
        let answer = call.json(&json!({"datapoint": {"value": value}})).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::CREATED, "{property} of {dsn}");
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let call = self.http.get(format!("{}/apiv1/{path}", self.cloud));
        let answer = call.header("authorization", format!("auth_token {}", self.token)).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        answer.json().await.unwrap()
    }
}

/// A user with a console session.
#[derive(Clone)]
pub(crate) struct Person {
    http: reqwest::Client,
    console: String,
    cookie: String,
}

impl Person {
    pub(crate) async fn sign_in(demo: &Demo, account: &Value) -> Self {
        Self::sign_in_at(demo.ready["console"].as_str().unwrap(), account).await
    }

    /// Signs in at another console than the demo's.
    pub(crate) async fn sign_in_at(console: &str, account: &Value) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::new();
        let console = console.trim_end_matches('/').to_owned();
        let answer = http
            .post(format!("{console}/api/session"))
            .header(ORIGIN, &console)
            .json(&json!({"email": account["email"], "password": account["password"]}))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{}", account["role"]);
        let cookie = answer.headers()[SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
        Self { http, console, cookie }
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let answer =
            self.http.get(format!("{}{path}", self.console)).header(COOKIE, &self.cookie).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        answer.json().await.unwrap()
    }

    /// Uses the same session at another node.
    pub(crate) fn at(&self, console: &str) -> Self {
        Self { console: console.trim_end_matches('/').to_owned(), ..self.clone() }
    }

    /// The response status, or `None` if the request failed. As browsers do, it is repeated once if an open connection turns out to
    /// be closed: its server may have ended just before.
    pub(crate) async fn status(&self, path: &str) -> Option<u16> {
        let request = || self.http.get(format!("{}{path}", self.console)).header(COOKIE, &self.cookie).send();
        let answer = match request().await {
            Err(error) if error.is_request() => request().await,
            answer => answer,
        };
        answer.ok().map(|answer| answer.status().as_u16())
    }

    /// Requests settings of a device; the console may refuse or fail.
    pub(crate) async fn try_to_set(&self, dsn: &str, settings: &Value) -> reqwest::Result<reqwest::Response> {
        let call = self.http.put(format!("{}/api/devices/dsns/{dsn}/settings", self.console));
        call.header(COOKIE, &self.cookie).header(ORIGIN, &self.console).json(settings).send().await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.send(path, body).await;
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
        answer
    }

    /// Sends a POST and returns its status and body, whether it succeeds or not.
    pub(crate) async fn send(&self, path: &str, body: Value) -> (u16, Value) {
        let call = self.http.post(format!("{}{path}", self.console)).header(COOKIE, &self.cookie);
        let answer = call.header(ORIGIN, &self.console).json(&body).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Value {
        let call = self.http.put(format!("{}{path}", self.console)).header(COOKIE, &self.cookie);
        let answer = call.header(ORIGIN, &self.console).json(&body).send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {body}");
        answer.json().await.unwrap()
    }

    pub(crate) async fn set(&self, dsn: &str, settings: Value) -> Value {
        self.put(&format!("/api/devices/dsns/{dsn}/settings"), settings).await
    }

    pub(crate) async fn sign_out(&self) {
        let call = self.http.delete(format!("{}/api/session", self.console)).header(COOKIE, &self.cookie);
        let answer = call.header(ORIGIN, &self.console).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    }

    pub(crate) async fn events(&self, dsn: &str) -> Events {
        let answer = self
            .http
            .get(format!("{}/api/events?dsn={dsn}", self.console))
            .header(COOKIE, &self.cookie)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let mut events = Events { stream: answer.bytes_stream().boxed(), text: String::new() };
        events.until("event: ready").await;
        events
    }
}

/// A console's event stream.
pub(crate) struct Events {
    stream: futures::stream::BoxStream<'static, reqwest::Result<bytes::Bytes>>,
    text: String,
}

impl Events {
    /// Waits for an event that contains the text.
    pub(crate) async fn contain(&mut self, text: &str) {
        self.until(text).await;
    }

    /// Waits until the device has acknowledged these commands, and returns it. Acknowledgements that arrive together are one
    /// event.
    pub(crate) async fn acknowledged(&mut self, person: &Person, dsn: &str, commands: &[&str]) -> Value {
        loop {
            let device = person.get(&format!("/api/devices/dsns/{dsn}")).await;
            if commands.iter().all(|command| device["commands"][command]["state"] == "acknowledged") {
                return device;
            }
            self.until(r#""kind":"acknowledged""#).await;
        }
    }

    /// The type and data of the next event.
    pub(crate) async fn next(&mut self) -> (String, Value) {
        self.until("event: ").await;
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (kind, data) = event.split_once("\ndata: ").unwrap();
                let event = (kind.to_owned(), serde_json::from_str(data).unwrap());
                self.text = rest.to_owned();
                return event;
            }
            self.read().await;
        }
    }

    async fn until(&mut self, word: &str) {
        loop {
            if let Some(at) = self.text.find(word) {
                self.text.drain(..at + word.len());
                return;
            }
            self.read().await;
        }
    }

    async fn read(&mut self) {
        let chunk = self.stream.next().await.expect("the event stream is open").unwrap();
        self.text.push_str(std::str::from_utf8(&chunk).unwrap());
    }
}

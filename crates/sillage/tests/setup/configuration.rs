//! The configuration of cloud and console from a file, the environment and the command line (O-01).

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::process::{Process, fail, field, succeed};
use crate::sqlite;

/// A folder with a configuration file.
struct Config {
    folder: TempDir,
    path: PathBuf,
}

impl Config {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sillage.toml");
        std::fs::write(&path, text).unwrap();
        Self { folder, path }
    }

    fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }

    fn file(&self, name: &str, content: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    }
}

/// The value of a setting of the cloud and its origin.
fn effective(config: &str, flags: &[&str], environment: &[(&str, &str)], setting: &str) -> (String, String) {
    let arguments = [&["config", "check", "--json", "--config", config, "cloud"], flags].concat();
    let lines: Vec<Value> = serde_json::from_str(&succeed(&arguments, environment)).unwrap();
    let line = lines.iter().find(|line| line["setting"] == setting).unwrap();
    (line["value"].as_str().unwrap_or_default().to_owned(), line["origin"].as_str().unwrap().to_owned())
}

#[test]
fn environment_overrides_the_file_and_options_override_both() {
    let config = Config::new(
        "[cloud]\ndatabase = \"sqlite:file.db\"\nlisten = \"127.0.0.1:1\"\nuser-rate = 11\ntrusted-proxy = [\"10.0.0.1\", \"::1\"]\n\
         no-plain-mqtt = true\nmqtts-listen = \"127.0.0.1:2\"\nmqtts-cert = \"cert.pem\"\nmqtts-key = \"key.pem\"\n",
    );
    for (setting, flags, environment, value, origin) in [
        ("session-days", &[][..], &[][..], "90", "default"),
        ("public-url", &[], &[], "", "default"),
        ("listen", &[], &[], "127.0.0.1:1", "file"),
        ("listen", &[], &[("SILLAGE_LISTEN", "127.0.0.1:3")], "127.0.0.1:3", "SILLAGE_LISTEN"),
        ("listen", &[], &[("SILLAGE_LISTEN", "")], "127.0.0.1:1", "file"),
        ("listen", &["--listen", "127.0.0.1:4"], &[("SILLAGE_LISTEN", "127.0.0.1:3")], "127.0.0.1:4", "command line"),
        ("listen", &["--listen=127.0.0.1:4"], &[], "127.0.0.1:4", "command line"),
        ("user-rate", &[], &[], "11", "file"),
        ("user-rate", &[], &[("SILLAGE_USER_RATE", "12")], "12", "SILLAGE_USER_RATE"),
        ("trusted-proxy", &[], &[], "10.0.0.1, ::1", "file"),
        ("trusted-proxy", &[], &[("SILLAGE_TRUSTED_PROXY", "::2,10.0.0.2")], "::2, 10.0.0.2", "SILLAGE_TRUSTED_PROXY"),
        ("trusted-proxy", &["--trusted-proxy", "::3"], &[], "::3", "command line"),
        ("no-plain-mqtt", &[], &[], "true", "file"),
        ("no-plain-mqtt", &[], &[("SILLAGE_NO_PLAIN_MQTT", "false")], "false", "SILLAGE_NO_PLAIN_MQTT"),
        ("database", &[], &[], "sqlite:file.db", "file"),
        ("database", &[], &[("SILLAGE_DATABASE", "sqlite:0012")], "sqlite:0012", "SILLAGE_DATABASE"),
        // A variable of a test does not matter, nor does one of the other server.
        ("listen", &[], &[("SILLAGE_BENCH", "full"), ("SILLAGE_TOKEN_KEY_FILE", "x")], "127.0.0.1:1", "file"),
    ] {
        let expected = (value.to_owned(), origin.to_owned());
        assert_eq!(
            effective(config.path(), flags, environment, setting),
            expected,
            "{setting} {flags:?} {environment:?}"
        );
    }
}

#[test]
fn file_is_found_by_the_environment_and_the_option_overrides_it() {
    let [first, second] = ["a", "b"].map(|name| Config::new(&format!("[cloud]\ndatabase = 'sqlite:{name}.db'")));
    let environment = [("SILLAGE_CONFIG", first.path())];
    let checked = succeed(&["config", "check"], &environment);
    assert!(checked.contains("sqlite:a.db") && !checked.contains("\nconsole "), "{checked}");
    assert!(succeed(&["config", "check", "--config", second.path()], &environment).contains("sqlite:b.db"));
}

#[test]
fn unknown_name_is_rejected_with_the_nearest_known_one() {
    let [key, section] = ["[cloud]\nlisten-adress = 'x'", "[konsole]\n"].map(Config::new);
    let good = Config::new("[cloud]\ndatabase = 'sqlite:a.db'\n");
    let known = "unknown key listen-adress in [cloud]; the nearest known one is";
    for command in
        [&["cloud"][..], &["console"], &["cloud", "user", "list"], &["console", "reindex"], &["config", "check"]]
    {
        for (file, variable, expected) in [
            (&key, None, known),
            (&section, None, "unknown section [konsole]; the nearest known one is [console]"),
            (&good, Some(("SILLAGE_DATABSE", "hush")), "SILLAGE_DATABSE; the nearest known one is SILLAGE_DATABASE"),
            (&good, Some(("SILLAGE_MQTT-LISTEN", "hush")), "the nearest known one is SILLAGE_MQTT_LISTEN"),
        ] {
            let environment: Vec<_> = variable.into_iter().collect();
            let stderr = fail(&[command, &["--config", file.path()]].concat(), &environment);
            assert!(stderr.contains(expected) && !stderr.contains("hush"), "{command:?}: {stderr}");
        }
    }
    let stderr = fail(&["cloud", "--lisetn", "x"], &[]);
    assert!(stderr.contains("--lisetn") && stderr.contains("similar argument exists: '--listen'"), "{stderr}");
}

#[test]
fn invalid_value_is_rejected_with_its_origin() {
    let config = Config::new("[cloud]\ndatabase = 'sqlite:a.db'\nuser-rate = 0\n[console]\nmaintenance-message = ''\n");
    let missing = Config::new("[cloud]\nsmtp-host = 'mail.example.com'\n");
    let long = Config::new(&format!("[cloud]\nlisten = '{}'", "x".repeat(100_000)));
    let with = |path| vec!["--config", path];
    for (flags, environment, expected) in [
        (
            with(config.path()),
            &[][..],
            &["invalid value '0' for '--user-rate", "--user-rate is set in", "sillage.toml"][..],
        ),
        (
            with(config.path()),
            &[("SILLAGE_USER_RATE", "many")],
            &["invalid value 'many'", "is set by SILLAGE_USER_RATE"],
        ),
        (vec!["--user-rate", "0"], &[], &["invalid value '0' for '--user-rate"]),
        (with(missing.path()), &[("SILLAGE_DATABASE", "sqlite:a.db")], &["required arguments", "--smtp-from"]),
        (with(missing.path()), &[("SILLAGE_SMTP_FROM", "a@b")], &["required arguments", "--database"]),
        (vec![], &[("SILLAGE_NO_PLAIN_MQTT", "on")], &["SILLAGE_NO_PLAIN_MQTT must be true or false"]),
        (with(long.path()), &[], &["for '--listen", "is set in"]),
        (with("/nowhere/sillage.toml"), &[], &["cannot read /nowhere/sillage.toml"]),
        (with("/dev/null"), &[], &["required arguments", "--database"]),
        (vec!["--config"], &[], &["a value is required for '--config"]),
        (vec!["--config", "/dev/null", "--config", "/dev/null"], &[], &["cannot be used multiple times"]),
    ] {
        for command in [&["cloud"][..], &["config", "check", "cloud"]] {
            let stderr = fail(&[command, &flags].concat(), environment);
            assert!(expected.iter().all(|part| stderr.contains(part)), "{command:?} {flags:?}: {stderr}");
        }
    }
    let stderr = fail(&["config", "check"], &[]);
    assert!(stderr.contains("--config"), "{stderr}");
    let stderr = fail(&["config", "check", "--config", "/dev/null"], &[]);
    assert!(stderr.contains("/dev/null has no section"), "{stderr}");
}

#[test]
fn secrets_are_hidden_wherever_they_come_from() {
    let config =
        Config::new("[cloud]\ndatabase = 'postgres://sillage:hush@h/cloud'\nbus = 'nats://hush@h'\nsmtp-user = 'u'\n");
    let environment = [
        ("SILLAGE_SMTP_HOST", "h"),
        ("SILLAGE_SMTP_FROM", "a@b"),
        ("SILLAGE_SMTP_PASSWORD", "hush"),
        ("SILLAGE_SMS_GATEWAY_TOKEN", "hush"),
        ("SILLAGE_CONFIG", config.path()),
    ];
    for command in [&["config", "check"][..], &["config", "check", "--json"]] {
        let checked = succeed(command, &environment);
        for part in ["postgres://(hidden)", "nats://(hidden)", "SILLAGE_SMTP_PASSWORD", "SILLAGE_SMS_GATEWAY_TOKEN"] {
            assert!(checked.contains(part), "{part}: {checked}");
        }
        assert!(!checked.contains("hush") && !checked.contains("sillage:"), "{checked}");
    }
    // A password that is not encoded seems to be part of the host.
    let flags = ["config", "check", "cloud", "--database", "postgres://sillage:a@hush/b@h/cloud", "--bus", "memory"];
    let checked = succeed(&flags, &[]);
    assert!(!checked.contains("hush") && checked.contains("memory"), "{checked}");
    let flags =
        ["config", "check", "cloud", "--database", "postgres://h/cloud?password=hush", "--bus", "nats://h:4222"];
    let checked = succeed(&flags, &[]);
    assert!(!checked.contains("hush") && checked.contains("nats://h:4222"), "{checked}");
    let invalid = Config::new("[cloud]\ndatabase = postgres://hush\n");
    let stderr = fail(&["cloud", "--config", invalid.path()], &[]);
    assert!(stderr.contains("line 2") && !stderr.contains("hush"), "{stderr}");
}

#[test]
fn secret_is_a_file_or_a_value_and_the_higher_origin_counts() {
    let config = Config::new("");
    let url = config.file("database.url", "sqlite:secret.db\n");
    std::fs::write(&config.path, format!("[cloud]\ndatabase-file = '{url}'\n")).unwrap();
    assert_eq!(effective(config.path(), &[], &[], "database-file"), (url.clone(), "file".to_owned()));
    let variables = [("SILLAGE_DATABASE", "sqlite:other.db")];
    assert_eq!(effective(config.path(), &[], &variables, "database-file").1, "default");
    assert_eq!(effective(config.path(), &[], &variables, "database").1, "SILLAGE_DATABASE");
    let flags = ["--database-file", &url];
    assert_eq!(effective(config.path(), &flags, &variables, "database").1, "default");

    let both = [("SILLAGE_DATABASE", "sqlite:a.db"), ("SILLAGE_DATABASE_FILE", &*url)];
    let stderr = fail(&["cloud"], &both);
    assert!(stderr.contains("SILLAGE_DATABASE and SILLAGE_DATABASE_FILE are both set"), "{stderr}");
    let stderr = fail(&["cloud", "--database", "sqlite:a.db", "--database-file", &url], &[]);
    assert!(stderr.contains("cannot be used with"), "{stderr}");
    let stderr = fail(&["config", "check", "cloud", "--database-file", "/nowhere/url"], &[]);
    assert!(stderr.contains("--database-file") && stderr.contains("/nowhere/url"), "{stderr}");

    let mail = ["--smtp-host", "h", "--smtp-from", "a@b", "--smtp-user", "u"];
    let password = [("SILLAGE_SMTP_PASSWORD", "hush"), ("SILLAGE_SMTP_PASSWORD_FILE", &*url)];
    let stderr = fail(&[&["cloud", "--config", config.path()][..], &mail].concat(), &password);
    assert!(stderr.contains("SILLAGE_SMTP_PASSWORD_FILE and SILLAGE_SMTP_PASSWORD are both set"), "{stderr}");
}

#[test]
fn node_and_operator_take_their_settings_from_the_file() {
    let config = Config::new("");
    let folder: &Path = config.folder.path();
    let url = config.file("database.url", &sqlite(folder, "cloud.db"));
    let console = sqlite(folder, "console.db");
    let text = format!(
        "[cloud]\ndatabase-file = '{url}'\nlisten = '127.0.0.1:0'\nmqtt-listen = 'localhost:0'\n[console]\ndatabase = '{console}'\n"
    );
    std::fs::write(&config.path, text).unwrap();
    let environment = [("SILLAGE_CONFIG", config.path())];
    let node = Process::start(&["cloud"], &environment);
    assert!(field(&node.line(&["the cloud is ready"]), "mqtt").starts_with("mqtt://127.0.0.1:"));
    let stderr = fail(&["cloud", "user", "list"], &environment);
    assert!(stderr.contains("sillage cloud init"), "{stderr}");
    succeed(&["console", "reindex", "--config", config.path()], &[]);
    assert!(folder.join("console.db").exists());
    let help = succeed(&["cloud", "--help"], &[("SILLAGE_CONFIG", "/nowhere")]);
    assert!(help.contains("--config"), "{help}");
}

#[test]
fn printed_example_is_a_valid_file() {
    let config = Config::new(&succeed(&["config", "example"], &[]));
    let checked = succeed(&["config", "check", "--config", config.path(), "cloud", "--database", "sqlite:a.db"], &[]);
    assert!(
        checked.lines().skip(1).all(|line| line.ends_with("default") || line.ends_with("command line")),
        "{checked}"
    );
}

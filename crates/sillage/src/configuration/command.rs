//! `sillage config`: the effective configuration of cloud and console, and an example of the file.

use clap::Subcommand;
use serde::Serialize;

use super::{EffectiveSetting, Environment, Node, Origin, Selection, Server, Setting, settings};
use crate::cloud_node::output;

/// Maximum length of a line of the example.
const WIDTH: usize = 100;

/// Check the configuration of cloud and console, print an example
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the effective configuration without secrets, with the origin of each value. Fails if it is invalid
    Check(Check),
    /// Print a configuration file with an explanation and the default of every setting
    Example,
}

#[derive(clap::Args)]
struct Check {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Serialize)]
struct SettingLine<'a> {
    server: &'static str,
    setting: &'a str,
    value: Option<&'a str>,
    /// `default`, `file`, `command line`, or the name of the environment variable.
    origin: &'a str,
}

pub(crate) fn run(args: Args, environment: &Environment) -> anyhow::Result<()> {
    match args.command {
        Command::Check(check) => self::check(&check, environment),
        Command::Example => output::print_text(&example()),
    }
}

fn check(check: &Check, environment: &Environment) -> anyhow::Result<()> {
    let (servers, options) = (check.selection.servers(environment)?, check.selection.options());
    let configured = servers.into_iter().map(|server| Ok((server, super::read(server, &options, environment)?)));
    let configured: Vec<_> = configured.collect::<anyhow::Result<_>>()?;
    let lines = configured.iter().flat_map(|(server, configured)| {
        configured.settings.iter().map(move |setting| SettingLine {
            server: server.name(),
            setting: &setting.key,
            value: Some(&*setting.value).filter(|value| !value.is_empty()),
            origin: origin(setting),
        })
    });
    let lines: Vec<_> = lines.collect();
    if check.json {
        output::print_json(&lines)?;
    } else {
        let cells = |line: &SettingLine<'_>| {
            [line.server, line.setting, line.value.unwrap_or_default(), line.origin].map(str::to_owned)
        };
        output::print_table(["Server", "Setting", "Value", "Origin"], &lines.iter().map(cells).collect::<Vec<_>>())?;
    }
    // Reads the files with secrets.
    configured.iter().try_for_each(|(_, configured)| match &configured.node {
        Node::Cloud(node) => node.config().map(drop),
        Node::Console(node) => Ok(node.config()?.check()?),
    })
}

fn origin(setting: &EffectiveSetting) -> &str {
    match &setting.origin {
        Origin::Default => "default",
        Origin::File => "file",
        Origin::Environment(variable) => variable,
        Origin::CommandLine => "command line",
    }
}

/// A configuration file in which all settings are commented out.
fn example() -> String {
    let mut text = comment(
        "Configuration of Sillage: pass it with --config FILE or SILLAGE_CONFIG to `sillage cloud` and `sillage console`. Remove \
         the # before a setting to change it. The environment has precedence (SILLAGE_MQTT_LISTEN for mqtt-listen; commas separate \
         the values of a list), and options of the command line (--mqtt-listen) have precedence over both. \
         `sillage config check` prints the result.",
    );
    for server in Server::ALL {
        text += &format!("\n[{}]\n", server.name());
        let mut heading = None;
        for setting in settings(server) {
            if heading.as_deref() != setting.heading() {
                heading = setting.heading().map(str::to_owned);
                text += &heading.as_ref().map_or_else(String::new, |heading| format!("\n## {heading}\n"));
            }
            text += &format!("\n{}#{} = {}\n", comment(&explanation(&setting)), setting.key, value(&setting));
        }
    }
    text
}

fn explanation(setting: &Setting) -> String {
    let choices = setting.choices();
    let choices = if choices.is_empty() { String::new() } else { format!(": {}", choices.join(", ")) };
    format!("{}{choices}{}", setting.help(), if setting.is_required() { " [required]" } else { "" })
}

/// The default in TOML, or what stands for a value in the help text.
fn value(setting: &Setting) -> String {
    match setting.default() {
        Some(default) if setting.is_switch() || default.parse::<i64>().is_ok() => default.to_owned(),
        Some(default) => toml::Value::from(default).to_string(),
        None if setting.is_list() => format!("[\"{}\"]", setting.placeholder()),
        None => format!("\"{}\"", setting.placeholder()),
    }
}

/// Lines of a comment.
fn comment(text: &str) -> String {
    let mut lines = vec!["#".to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= WIDTH);
        match line {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(format!("# {word}")),
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    const REQUIRED: [&str; 12] = [
        "--cloud",
        "http://127.0.0.1:1",
        "--app-id",
        "sillage",
        "--app-secret-file",
        "a",
        "--service-email",
        "a@b",
        "--service-password-file",
        "b",
        "--token-key-file",
        "c",
    ];

    /// The settings of a server with this file and the options without which it does not start.
    fn read(server: Server, file: Option<&std::path::Path>) -> Vec<EffectiveSetting> {
        let mut options: Vec<OsString> = ["--database", "sqlite:a.db"].map(OsString::from).to_vec();
        if server == Server::Console {
            options.extend(REQUIRED.map(OsString::from));
        }
        options.extend(file.into_iter().flat_map(|file| ["--config".into(), file.as_os_str().to_owned()]));
        let environment = Environment::new(&clap::Command::new("sillage"), []);
        crate::configuration::read(server, &options, &environment).unwrap().settings
    }

    #[test]
    fn example_parses_back_to_the_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sillage.toml");
        let is_setting = |line: &str| line.starts_with('#') && !line.starts_with("##") && !line.starts_with("# ");
        for server in Server::ALL {
            let expected = read(server, None);
            let defaults: Vec<String> = settings(server)
                .into_iter()
                .filter(|setting| setting.default().is_some())
                .map(|setting| format!("#{} = ", setting.key))
                .collect();
            std::fs::write(&file, example()).unwrap();
            assert!(read(server, Some(&file)).iter().all(|setting| setting.origin != Origin::File));

            let text = example();
            let uncommented = text.lines().map(|line| {
                let default = is_setting(line) && defaults.iter().any(|start| line.starts_with(start));
                format!("{}\n", if default { line.trim_start_matches('#') } else { line })
            });
            // The other server's section has other settings.
            let text: String = uncommented.collect();
            let (cloud, console) = text.split_at(text.find("\n[console]").unwrap());
            std::fs::write(&file, if server == Server::Cloud { cloud } else { console }).unwrap();
            let found = read(server, Some(&file));
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!((&found.key, &found.value), (&expected.key, &expected.value));
                let has_default = defaults.contains(&format!("#{} = ", found.key));
                assert_eq!(found.origin == Origin::File, has_default, "{}", found.key);
            }
        }
    }

    #[test]
    fn example_explains_every_setting() {
        let text = example();
        for setting in Server::ALL.into_iter().flat_map(settings) {
            assert!(text.contains(&format!("\n#{} = ", setting.key)), "{}", setting.key);
            assert!(!setting.help().is_empty(), "{}", setting.key);
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}

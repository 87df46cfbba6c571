//! The settings of cloud and console: a configuration file, the environment and the command line, in rising order.
//!
//! The options of `sillage cloud` and `sillage console` define all settings. For the option `--mqtt-listen`, the file has the key
//! `mqtt-listen` in the section of the server, and the environment the variable `SILLAGE_MQTT_LISTEN`. What file and environment
//! set is added to the command line, so that clap checks every value in the same way.

pub(crate) mod command;
mod environment;
mod file;
mod selection;
mod settings;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{anyhow, bail};
use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Command, FromArgMatches};

use crate::{cloud_node, console_node};
pub(crate) use environment::Environment;
use file::File;
pub(crate) use selection::Selection;
pub(crate) use settings::{Server, Setting, settings, variable};

/// The option and the variable with the path of the file.
const OPTION: &str = "config";
const VARIABLE: &str = "SILLAGE_CONFIG";
/// Stands for a secret.
const HIDDEN: &str = "(hidden)";

/// Where a value comes from, in rising order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Default,
    File,
    /// The name of the variable.
    Environment(String),
    CommandLine,
}

/// A command line with the settings of file and environment.
#[derive(Debug)]
pub(crate) struct Completed {
    pub(crate) arguments: Vec<OsString>,
    /// By key, without those that have their default.
    origins: BTreeMap<String, Origin>,
    file: Option<PathBuf>,
}

/// The validated settings of a server.
pub(crate) struct Configured {
    pub(crate) node: Node,
    pub(crate) settings: Vec<EffectiveSetting>,
}

pub(crate) enum Node {
    Cloud(Box<cloud_node::NodeArgs>),
    Console(Box<console_node::NodeArgs>),
}

pub(crate) struct EffectiveSetting {
    pub(crate) key: String,
    /// Without secrets; empty if the setting has no value.
    pub(crate) value: String,
    pub(crate) origin: Origin,
}

/// Adds the settings of file and environment to the command line of a server, or of an operator's command on its database.
/// Leaves other command lines as they are.
pub(crate) fn complete(
    definition: &Command,
    mut arguments: Vec<OsString>,
    environment: &Environment,
) -> anyhow::Result<Completed> {
    let Some(SettingTarget { server, command, options }) = SettingTarget::find(definition, &arguments) else {
        return Ok(Completed { arguments, origins: BTreeMap::new(), file: None });
    };
    environment.check()?;
    let flags = Flags(&arguments[options..]);
    let path = match flags.value(OPTION) {
        Some(path) => Some(PathBuf::from(path)),
        None => environment.value(VARIABLE)?.map(PathBuf::from),
    };
    let file = path.as_deref().map(File::read).transpose()?;
    let settings = settings(server);
    let layers = Layers { server, settings: &settings, flags, environment, file: file.as_ref() };
    let (mut origins, mut added) = (BTreeMap::new(), Vec::new());
    for setting in settings.iter().filter(|setting| has_option(command, &setting.key)) {
        let (origin, values) = layers.highest(setting)?;
        added.extend(options_for(setting, &values, &origin)?);
        if origin != Origin::Default {
            origins.insert(setting.key.clone(), origin);
        }
    }
    let given = arguments.split_off(options);
    arguments.extend(added);
    arguments.extend(given);
    Ok(Completed { arguments, origins, file: path })
}

/// Reads the configuration of a server that is started with these options.
pub(crate) fn read(server: Server, options: &[OsString], environment: &Environment) -> anyhow::Result<Configured> {
    let definition = Command::new("sillage").subcommand(server.definition());
    let words = ["sillage", server.name()].map(OsString::from);
    let completed = complete(&definition, words.into_iter().chain(options.iter().cloned()).collect(), environment)?;
    let matches = definition.try_get_matches_from(&completed.arguments).map_err(|error| completed.brief(&error))?;
    let Some((_, matches)) = matches.subcommand() else { bail!("the server is missing") };
    let node = match server {
        Server::Cloud => Node::Cloud(Box::new(cloud_node::NodeArgs::from_arg_matches(matches)?)),
        Server::Console => Node::Console(Box::new(console_node::NodeArgs::from_arg_matches(matches)?)),
    };
    let all = settings(server);
    let mut settings: Vec<_> = all.iter().map(|setting| completed.effective(setting, matches)).collect();
    // A secret that is no option takes effect if no file with it does.
    for secret in environment::SECRETS {
        let is_its_file = |setting: &EffectiveSetting| variable(&setting.key) == format!("{secret}_FILE");
        let unused_file = settings.iter().position(|setting| is_its_file(setting) && setting.origin == Origin::Default);
        if let (Some(at), Some(_)) = (unused_file, environment.value(secret)?) {
            let key = settings[at].key.trim_end_matches("-file").to_owned();
            let origin = Origin::Environment(secret.to_owned());
            settings.insert(at, EffectiveSetting { key, value: HIDDEN.to_owned(), origin });
        }
    }
    Ok(Configured { node, settings })
}

/// The value without what can be secret in it: all of a URL with credentials but its scheme, because a password that is not encoded as
/// it has to be can seem to be part of the host.
fn without_secret(value: &str) -> String {
    match value.split_once("://") {
        _ if value.starts_with("sqlite:") || ["", "memory", "postgres"].contains(&value) => value.to_owned(),
        Some(_) if !value.contains(['@', '?']) => value.to_owned(),
        Some((scheme, _)) => format!("{scheme}://{HIDDEN}"),
        None => HIDDEN.to_owned(),
    }
}

/// The part of a command line that takes settings.
struct SettingTarget<'d> {
    server: Server,
    command: &'d Command,
    /// The index of the first option of the command.
    options: usize,
}

impl<'d> SettingTarget<'d> {
    /// Returns `None` if the command takes no settings, for a question for help, and if clap will reject the words.
    fn find(definition: &'d Command, arguments: &[OsString]) -> Option<Self> {
        let is_server = |server: &Server| arguments.get(1).is_some_and(|word| word == server.name());
        let server = Server::ALL.into_iter().find(is_server)?;
        let (mut command, mut options) = (definition, 1);
        while let Some(inner) = arguments.get(options).and_then(|word| command.find_subcommand(word)) {
            (command, options) = (inner, options + 1);
        }
        let next = arguments.get(options).map(|word| word.to_string_lossy());
        let unknown_word = command.has_subcommands() && next.is_some_and(|word| !word.starts_with('-'));
        let help = arguments.iter().any(|argument| argument == "--help" || argument == "-h");
        (has_option(command, OPTION) && !unknown_word && !help).then_some(Self { server, command, options })
    }
}

fn has_option(command: &Command, key: &str) -> bool {
    command.get_arguments().any(|option| option.get_long() == Some(key))
}

/// The options of a command line. clap accepts no value that begins with a hyphen, so none can be taken for an option.
struct Flags<'a>(&'a [OsString]);

impl Flags<'_> {
    /// The part after `--key`: empty, or the value after an equals sign.
    fn suffixes(&self, key: &str) -> impl Iterator<Item = (usize, &str)> {
        let key = format!("--{key}");
        let options = self.0.iter().take_while(|argument| *argument != "--");
        options.enumerate().filter_map(move |(at, option)| {
            let suffix = option.to_str()?.strip_prefix(&key)?;
            (suffix.is_empty() || suffix.starts_with('=')).then_some((at, suffix))
        })
    }

    fn contains(&self, key: &str) -> bool {
        self.suffixes(key).next().is_some()
    }

    fn value(&self, key: &str) -> Option<OsString> {
        match self.suffixes(key).next()? {
            (at, "") => self.0.get(at + 1).cloned(),
            (_, suffix) => Some(suffix.trim_start_matches('=').into()),
        }
    }
}

struct Layers<'a> {
    server: Server,
    settings: &'a [Setting],
    flags: Flags<'a>,
    environment: &'a Environment,
    file: Option<&'a File>,
}

impl Layers<'_> {
    /// The highest layer that has the setting, and its values; those of the command line stay there.
    fn highest(&self, setting: &Setting) -> anyhow::Result<(Origin, Vec<String>)> {
        let (origin, values) = self.layer(setting)?;
        let Some(rival) = self.rival(setting)? else { return Ok((origin, values)) };
        match (&origin, &rival) {
            (Origin::Environment(variable), Origin::Environment(rival)) => {
                bail!("{variable} and {rival} are both set: only one of them can be used")
            }
            (Origin::File, Origin::File) => {
                bail!("{} and its file are both set in [{}]", setting.key.trim_end_matches("-file"), self.server.name())
            }
            _ if origin < rival => Ok((Origin::Default, Vec::new())),
            _ => Ok((origin, values)),
        }
    }

    fn layer(&self, setting: &Setting) -> anyhow::Result<(Origin, Vec<String>)> {
        if self.flags.contains(&setting.key) {
            return Ok((Origin::CommandLine, Vec::new()));
        }
        for variable in setting.variables() {
            if let Some(text) = self.environment.value(&variable)? {
                return Ok((Origin::Environment(variable), setting.split(text)));
            }
        }
        match self.file.and_then(|file| file.values(self.server, &setting.key)) {
            Some(values) => Ok((Origin::File, values.to_vec())),
            None => Ok((Origin::Default, Vec::new())),
        }
    }

    /// The layer that sets the same secret in the other way, as a file or directly.
    fn rival(&self, setting: &Setting) -> anyhow::Result<Option<Origin>> {
        let key = match setting.key.strip_suffix("-file") {
            Some(key) => key.to_owned(),
            None => format!("{}-file", setting.key),
        };
        if let Some(rival) = self.settings.iter().find(|setting| setting.key == key) {
            let (origin, _) = self.layer(rival)?;
            return Ok(Some(origin).filter(|origin| *origin != Origin::Default));
        }
        // Passwords and tokens are no options, because other users of the machine can read command lines.
        let variable = variable(&key);
        let is_set = environment::SECRETS.contains(&&*variable) && self.environment.value(&variable)?.is_some();
        Ok(is_set.then_some(Origin::Environment(variable)))
    }
}

/// The options that add these values to the command line.
fn options_for(setting: &Setting, values: &[String], origin: &Origin) -> anyhow::Result<Vec<OsString>> {
    let key = &setting.key;
    if *origin == Origin::CommandLine {
        return Ok(Vec::new());
    }
    if !setting.is_switch() {
        return Ok(values.iter().map(|value| format!("--{key}={value}").into()).collect());
    }
    match values {
        [value] if value == "true" => Ok(vec![format!("--{key}").into()]),
        [value] if value != "false" => match origin {
            Origin::Environment(variable) => bail!("{variable} must be true or false"),
            _ => bail!("{key} must be true or false"),
        },
        _ => Ok(Vec::new()),
    }
}

impl Completed {
    fn effective(&self, setting: &Setting, matches: &ArgMatches) -> EffectiveSetting {
        let values = matches.get_raw(setting.id()).into_iter().flatten();
        let value = values.map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(", ");
        EffectiveSetting {
            key: setting.key.clone(),
            value: if setting.is_secret() { without_secret(&value) } else { value },
            origin: self.origins.get(&setting.key).cloned().unwrap_or(Origin::Default),
        }
    }

    /// Prints an error of clap, with the origin of the values that are not from the command line, and exits.
    pub(crate) fn exit(&self, error: &clap::Error) -> ! {
        let _ = error.print();
        #[expect(clippy::print_stderr, reason = "part of the error message")]
        for line in self.origins_in(error) {
            eprintln!("{line}");
        }
        std::process::exit(error.exit_code())
    }

    /// The error of clap in one line.
    fn brief(&self, error: &clap::Error) -> anyhow::Error {
        let text = error.to_string();
        let message = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        let lines = message.lines().map(|line| line.trim().to_owned());
        anyhow!("{}", lines.chain(self.origins_in(error)).collect::<Vec<_>>().join(" "))
    }

    fn origins_in(&self, error: &clap::Error) -> Vec<String> {
        let contexts = [ContextKind::InvalidArg, ContextKind::PriorArg].into_iter().filter_map(|kind| error.get(kind));
        let options = contexts.flat_map(|value| match value {
            ContextValue::String(option) => vec![option.as_str()],
            ContextValue::Strings(options) => options.iter().map(String::as_str).collect(),
            _ => vec![],
        });
        let origin = |option: &str| {
            let key = option.trim_start_matches('-').split([' ', '=']).next().unwrap_or_default();
            match (self.origins.get(key)?, &self.file) {
                (Origin::File, Some(file)) => Some(format!("(--{key} is set in {})", file.display())),
                (Origin::Environment(variable), _) => Some(format!("(--{key} is set by {variable})")),
                _ => None,
            }
        };
        options.filter_map(origin).collect()
    }
}

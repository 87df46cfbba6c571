//! The settings of a server, derived from the options of its command line.

use clap::{Arg, ArgAction, Args, Command, ValueEnum};

use super::OPTION;
use crate::{cloud_node, console_node};

/// A server with settings. Its name is also that of its section in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Server {
    Cloud,
    Console,
}

impl Server {
    pub(crate) const ALL: [Self; 2] = [Self::Cloud, Self::Console];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cloud => "cloud",
            Self::Console => "console",
        }
    }

    /// The command that runs the server, without its subcommands.
    pub(super) fn definition(self) -> Command {
        let command = Command::new(self.name());
        match self {
            Self::Cloud => cloud_node::NodeArgs::augment_args(command),
            Self::Console => console_node::NodeArgs::augment_args(command),
        }
    }
}

pub(crate) struct Setting {
    /// The name of the option, and the key in the file.
    pub(crate) key: String,
    option: Arg,
}

/// All settings of a server in the order of its help text.
pub(crate) fn settings(server: Server) -> Vec<Setting> {
    let command = server.definition();
    let settings = command.get_arguments().filter_map(|option| {
        let key = option.get_long().filter(|key| *key != OPTION)?;
        Some(Setting { key: key.to_owned(), option: option.clone() })
    });
    settings.collect()
}

/// The environment variable of a setting.
pub(crate) fn variable(key: &str) -> String {
    format!("SILLAGE_{}", key.to_uppercase().replace('-', "_"))
}

impl Setting {
    /// The id of the option in clap's matches.
    pub(super) fn id(&self) -> &str {
        self.option.get_id().as_str()
    }

    /// The environment variables of the setting: the usual one, and one that the option names.
    pub(super) fn variables(&self) -> Vec<String> {
        let named = self.option.get_env().and_then(|name| name.to_str()).map(str::to_owned);
        [variable(&self.key)].into_iter().chain(named).collect()
    }

    /// The help text in one line.
    pub(crate) fn help(&self) -> String {
        let help = self.option.get_long_help().or(self.option.get_help());
        help.map(|help| help.to_string().replace('\n', " ")).unwrap_or_default()
    }

    /// The group of the setting in the help text.
    pub(crate) fn heading(&self) -> Option<&str> {
        self.option.get_help_heading()
    }

    /// What stands for a value in the help text.
    pub(crate) fn placeholder(&self) -> &str {
        self.option.get_value_names().and_then(|names| names.first()).map_or("VALUE", |name| name.as_str())
    }

    pub(crate) fn default(&self) -> Option<&str> {
        if self.is_switch() {
            return Some("false");
        }
        self.option.get_default_values().first().and_then(|value| value.to_str())
    }

    /// The values that the setting accepts, if they are few.
    pub(crate) fn choices(&self) -> Vec<String> {
        let choices = self.option.get_possible_values();
        choices.iter().filter(|_| !self.is_switch()).map(|choice| choice.get_name().to_owned()).collect()
    }

    /// Whether the server does not start without a value.
    pub(crate) fn is_required(&self) -> bool {
        self.option.is_required_set()
    }

    /// Whether the value can contain a secret, which is never printed. `hide_env_values` marks these options.
    pub(crate) fn is_secret(&self) -> bool {
        self.option.is_hide_env_values_set()
    }

    /// Whether the setting is true or false.
    pub(crate) fn is_switch(&self) -> bool {
        matches!(self.option.get_action(), ArgAction::SetTrue)
    }

    /// Whether the setting can have several values.
    pub(crate) fn is_list(&self) -> bool {
        matches!(self.option.get_action(), ArgAction::Append)
    }

    /// The values in the text of an environment variable, which separates those of a list by commas.
    pub(super) fn split(&self, text: &str) -> Vec<String> {
        match self.is_list() {
            true => text.split(',').map(|value| value.trim().to_owned()).collect(),
            false => vec![text.to_owned()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_named_by_an_option_is_the_usual_one() {
        for server in Server::ALL {
            for setting in settings(server) {
                let variables = setting.variables();
                let other = variables.iter().any(|name| *name != variable(&setting.key));
                assert!(!other || setting.key == "maintenance-message", "{variables:?}");
            }
        }
    }

    #[test]
    fn secrets_are_marked() {
        let secret = |server| settings(server).into_iter().filter(Setting::is_secret).map(|setting| setting.key);
        assert!(secret(Server::Cloud).eq(["database", "bus"]));
        assert!(secret(Server::Console).eq(["database", "bus"]));
    }
}

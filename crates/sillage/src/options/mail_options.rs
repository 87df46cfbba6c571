//! The options of the mail server, the same for cloud, console and demo.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{ValueEnum, value_parser};
use jiff::SignedDuration;
use platform::mail::{MailCredentials, MailError, MailSecurity, MailServer, RetryPolicy};

use crate::files::secrets;

/// The environment variable with the password, as an alternative to the file.
pub(crate) const PASSWORD: &str = "SILLAGE_SMTP_PASSWORD";

#[derive(clap::Args)]
#[command(next_help_heading = "E-mail")]
pub(crate) struct MailOptions {
    /// The mail server. Without it the cloud keeps its messages in the outbox (`sillage cloud outbox list`), the console sends none,
    /// and the demo shows all of them in its mailbox
    #[arg(long, value_name = "HOST", requires = "smtp_from")]
    smtp_host: Option<String>,
    /// The mail server's port [default: 587 for starttls, 465 for tls, 25 for none]
    #[arg(long, value_name = "PORT", value_parser = value_parser!(u16).range(1..), requires = "smtp_host")]
    smtp_port: Option<u16>,
    /// Encryption of the connection to the mail server
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    smtp_security: Security,
    /// Sender of messages, such as "Sillage <no-reply@example.com>"
    #[arg(long, value_name = "ADDRESS", requires = "smtp_host")]
    smtp_from: Option<String>,
    /// The account at the mail server; its password comes from --smtp-password-file or the environment variable
    /// SILLAGE_SMTP_PASSWORD
    #[arg(long, value_name = "NAME", requires = "smtp_host")]
    smtp_user: Option<String>,
    /// File with the password of the mail account
    #[arg(long, value_name = "FILE", requires = "smtp_user")]
    smtp_password_file: Option<PathBuf>,
    /// PEM file with certificates to trust for the mail server, in addition to the public ones
    #[arg(long, value_name = "FILE", requires = "smtp_host")]
    smtp_ca: Option<PathBuf>,
    /// Delay before the first retry of an e-mail or text message; it doubles with each retry, up to ten minutes
    #[arg(long, default_value_t = 15, value_name = "SECONDS", value_parser = value_parser!(u32).range(1..=600))]
    smtp_retry: u32,
    /// Time after which an undelivered e-mail or text message is given up
    #[arg(long, default_value_t = 24, value_name = "HOURS", value_parser = value_parser!(u32).range(1..=720))]
    smtp_give_up: u32,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Security {
    /// Encrypted after STARTTLS; nothing is sent to a server without it
    #[default]
    Starttls,
    /// Encrypted from the first byte
    Tls,
    /// Not encrypted: only for a server on this machine or in its own network
    None,
}

impl MailOptions {
    /// When a message is sent again.
    pub(crate) fn retry(&self) -> RetryPolicy {
        RetryPolicy {
            first: SignedDuration::from_secs(self.smtp_retry.into()),
            give_up_after: SignedDuration::from_hours(self.smtp_give_up.into()),
            ..RetryPolicy::default()
        }
    }

    /// The configured mail server.
    pub(crate) fn server(&self) -> anyhow::Result<Option<MailServer>> {
        let (Some(host), Some(sender)) = (self.smtp_host.clone(), self.smtp_from.clone()) else { return Ok(None) };
        let (security, usual_port) = match self.smtp_security {
            Security::Starttls => (MailSecurity::StartTls, 587),
            Security::Tls => (MailSecurity::Tls, 465),
            Security::None => (MailSecurity::None, 25),
        };
        let authority = self
            .smtp_ca
            .as_ref()
            .map(|path| fs::read(path).with_context(|| format!("--smtp-ca: cannot read {}", path.display())));
        Ok(Some(MailServer {
            host,
            port: self.smtp_port.unwrap_or(usual_port),
            security,
            credentials: self.credentials()?,
            authority: authority.transpose()?,
            sender,
        }))
    }

    fn credentials(&self) -> anyhow::Result<Option<MailCredentials>> {
        let Some(user) = self.smtp_user.clone() else { return Ok(None) };
        let password = match (&self.smtp_password_file, std::env::var(PASSWORD)) {
            (Some(file), _) => secrets::line(file).context("--smtp-password-file")?,
            (None, Ok(password)) => password,
            (None, Err(_)) => {
                bail!("--smtp-user needs its password: --smtp-password-file, or {PASSWORD} in the environment")
            }
        };
        Ok(Some(MailCredentials { user, password: password.into() }))
    }
}

/// The option that caused the error.
pub(crate) fn option_of(error: MailError) -> &'static str {
    match error {
        MailError::Sender => "--smtp-from",
        MailError::Authority => "--smtp-ca",
        MailError::Unencrypted => "--smtp-security",
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use clap::{Arg, CommandFactory, Parser};

    use crate::{Cli, configuration};

    const COMMANDS: [&str; 3] = ["cloud", "console", "demo"];

    /// The mail options of a command: name, value, default and help of each.
    fn options(command: &str) -> Vec<[String; 4]> {
        let definition = Cli::command();
        let command = definition.find_subcommand(command).unwrap();
        let options = command.get_arguments().filter(|option| option.get_help_heading() == Some("E-mail"));
        let text = |option: &Arg| {
            [
                option.get_long().unwrap().to_owned(),
                format!("{:?} {:?}", option.get_value_names(), option.get_possible_values()),
                format!("{:?}", option.get_default_values()),
                option.get_help().unwrap().to_string(),
            ]
        };
        options.map(text).collect()
    }

    #[test]
    fn cloud_console_and_demo_have_the_same_mail_options() {
        let [cloud, console, demo] = COMMANDS.map(options);
        assert_eq!(cloud, console);
        assert_eq!(cloud, demo);
        let names: Vec<&str> = cloud.iter().map(|[name, ..]| name.as_str()).collect();
        let expected = ["host", "port", "security", "from", "user", "password-file", "ca", "retry", "give-up"];
        assert_eq!(names, expected.map(|name| format!("smtp-{name}")));
        for command in COMMANDS {
            let definition = Cli::command();
            let others = definition.find_subcommand(command).unwrap().get_arguments();
            let others = others.filter_map(Arg::get_long).filter(|name| !names.contains(name));
            let others: Vec<&str> = others.filter(|name| name.contains("mail") || name.contains("smtp")).collect();
            assert_eq!(others, if command == "console" { &["service-email"][..] } else { &[] }, "{command}");
        }
    }

    #[test]
    fn mail_options_of_the_demo_have_the_variables_of_the_others() {
        let definition = Cli::command();
        let demo = definition.find_subcommand("demo").unwrap();
        for [name, ..] in options("cloud") {
            let option = demo.get_arguments().find(|option| option.get_long() == Some(name.as_str())).unwrap();
            assert_eq!(option.get_env().unwrap(), configuration::variable(&name).as_str());
        }
    }

    #[test]
    fn removed_mail_option_is_unknown() {
        for option in ["--mail-server-file", "--mail-from", "--mail-ca"] {
            let error = Cli::try_parse_from(["sillage", "console", option, "x"]).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::UnknownArgument, "{option}");
        }
    }
}

//! The configuration file: TOML with a section for each server.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use toml::{Table, Value};

use super::settings::{Server, Setting, settings};
use crate::options::spelling::nearest;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct File {
    /// The values of each key by section.
    sections: BTreeMap<&'static str, BTreeMap<String, Vec<String>>>,
}

impl File {
    /// Reads a file and checks its keys and the types of its values. Errors never quote a value.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        // The whole text of the error quotes the line.
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1;
            anyhow!("line {line} is not valid TOML: {}", error.message())
        })?;
        let mut file = Self::default();
        for (name, value) in table {
            let server = Server::ALL.into_iter().find(|server| server.name() == name);
            let (server, section) = match (server, value) {
                (Some(server), Value::Table(section)) => (server, section),
                (Some(_), _) => bail!("{name} must be a section, [{name}]"),
                (None, Value::Table(_)) => {
                    bail!(
                        "unknown section [{name}]; the nearest known one is [{}]",
                        nearest(&name, Server::ALL.map(Server::name))
                    )
                }
                (None, _) => bail!("{name} is in no section: settings are in [cloud] and [console]"),
            };
            let known = settings(server);
            let values = section.into_iter().map(|(key, value)| {
                let setting = known.iter().find(|setting| setting.key == key);
                let setting = setting.ok_or_else(|| unknown_key(server, &known, &key))?;
                let values = texts(setting, value).map_err(|rule| anyhow!("{key} in [{name}] {rule}"))?;
                Ok((key, values))
            });
            file.sections.insert(server.name(), values.collect::<anyhow::Result<_>>()?);
        }
        Ok(file)
    }

    /// The servers that have a section.
    pub(super) fn servers(&self) -> Vec<Server> {
        Server::ALL.into_iter().filter(|server| self.sections.contains_key(server.name())).collect()
    }

    /// The values of a setting, if the file sets it.
    pub(super) fn values(&self, server: Server, key: &str) -> Option<&[String]> {
        self.sections.get(server.name())?.get(key).map(Vec::as_slice)
    }
}

fn unknown_key(server: Server, known: &[Setting], key: &str) -> anyhow::Error {
    let other = Server::ALL.into_iter().filter(|other| *other != server);
    let owner = other.into_iter().find(|other| settings(*other).iter().any(|setting| setting.key == key));
    let section = server.name();
    match owner {
        Some(owner) => anyhow!("unknown key {key} in [{section}]: it is a setting of [{}]", owner.name()),
        None => {
            let nearest = nearest(key, known.iter().map(|setting| setting.key.as_str()));
            anyhow!("unknown key {key} in [{section}]; the nearest known one is {nearest}")
        }
    }
}

/// The values as they would be written on a command line.
fn texts(setting: &Setting, value: Value) -> Result<Vec<String>, &'static str> {
    let text = |value| match value {
        Value::String(text) => Some(text),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    };
    match value {
        Value::Boolean(on) if setting.is_switch() => Ok(vec![on.to_string()]),
        _ if setting.is_switch() => Err("must be true or false"),
        Value::Array(values) if setting.is_list() => {
            let texts: Option<Vec<String>> = values.into_iter().map(text).collect();
            texts.ok_or("must be a list of texts in quotes")
        }
        value => text(value).map(|text| vec![text]).ok_or("must be a text in quotes or a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejection(text: &str) -> String {
        File::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn values_are_read_by_section() {
        let file = File::parse(
            "[cloud]\nlisten = \"0.0.0.0:80\"\nuser-rate = 20\nno-plain-mqtt = true\ntrusted-proxy = [\"10.0.0.0/8\", \"::1\"]\n\
             [console]\ntrusted-proxy = \"::1\"\n",
        );
        let file = file.unwrap();
        let values = |server, key| file.values(server, key).map(|values| values.join(" "));
        for (server, key, expected) in [
            (Server::Cloud, "listen", Some("0.0.0.0:80")),
            (Server::Cloud, "user-rate", Some("20")),
            (Server::Cloud, "no-plain-mqtt", Some("true")),
            (Server::Cloud, "trusted-proxy", Some("10.0.0.0/8 ::1")),
            (Server::Console, "trusted-proxy", Some("::1")),
            (Server::Console, "listen", None),
        ] {
            assert_eq!(values(server, key).as_deref(), expected, "{key}");
        }
        assert_eq!(file.servers(), Server::ALL);
        assert_eq!(File::parse("").unwrap(), File::default());
    }

    #[test]
    fn unknown_names_and_wrong_types_are_rejected_without_quoting_values() {
        for (text, expected) in [
            ("[cloud]\nlisetn = 'hush'", "unknown key lisetn in [cloud]; the nearest known one is listen"),
            (
                "[cloud]\nmqtt_listen = 'hush'",
                "unknown key mqtt_listen in [cloud]; the nearest known one is mqtt-listen",
            ),
            ("[console]\nsms-from = 'hush'", "unknown key sms-from in [console]: it is a setting of [cloud]"),
            ("[cluod]\n", "unknown section [cluod]; the nearest known one is [cloud]"),
            ("listen = 'hush'", "listen is in no section"),
            ("cloud = 'hush'", "cloud must be a section, [cloud]"),
            ("[cloud]\nlisten = true", "listen in [cloud] must be a text in quotes or a number"),
            ("[cloud]\nlisten = ['hush']", "listen in [cloud] must be a text"),
            ("[cloud]\nsmtp-port = 25.0", "smtp-port in [cloud] must be a text in quotes or a number"),
            ("[cloud]\nno-plain-mqtt = 'hush'", "no-plain-mqtt in [cloud] must be true or false"),
            ("[cloud]\ntrusted-proxy = [['hush']]", "trusted-proxy in [cloud] must be a list of texts"),
            ("[cloud]\n\ndatabase = postgres://hush", "line 3 is not valid TOML"),
            ("[cloud]\ndatabase = 'hush'\ndatabase = 'hush'", "line 3 is not valid TOML"),
            ("[cloud]\n[cloud]", "line 2 is not valid TOML"),
        ] {
            let error = rejection(text);
            assert!(error.starts_with(expected) && !error.contains("hush"), "{text}: {error}");
        }
    }
}

//! Reads the golden files and replaces their variables.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../devicecloud/tests/wire");
/// Responses of other clouds that the library must read. Our cloud does not send them.
const FOREIGN: &str = "errors";

pub(crate) struct File {
    /// `family/call.case`.
    pub(crate) name: String,
    pub(crate) json: Value,
}

impl File {
    /// Whether the request only reads or is refused. Conflicts (409) do not count, because some are found after a write that is
    /// then rolled back; nor do wrong passwords, because the cloud counts them.
    pub(crate) fn writes_nothing(&self) -> bool {
        let status = self.json["response"]["status"].as_u64().unwrap();
        let is_counted = self.json["request"].to_string().contains("$wrong_password");
        self.json["request"]["method"] == "GET" || status >= 400 && status != 409 && !is_counted
    }
}

/// The files that have this member, by name.
pub(crate) fn with(member: &str) -> Vec<File> {
    let mut files = Vec::new();
    for family in fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()) {
        let name = family.file_name().unwrap().to_string_lossy().into_owned();
        if family.is_dir() && name != FOREIGN {
            files.extend(fs::read_dir(&family).unwrap().map(|entry| read(&name, &entry.unwrap().path())));
        }
    }
    files.retain(|file| file.json.get(member).is_some());
    files.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!files.is_empty(), "no golden file has {member:?}");
    files
}

fn read(family: &str, path: &Path) -> File {
    let json = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    File { name: format!("{family}/{}", path.file_stem().unwrap().to_string_lossy()), json }
}

/// The variables of the golden files (`$name`) and their values.
pub(crate) struct Variables(Vec<(String, Value)>);

impl Variables {
    pub(crate) fn new(variables: &[(&str, Value)]) -> Self {
        Self(Vec::new()).and(variables)
    }

    /// Adds variables.
    pub(crate) fn and(self, more: &[(&str, Value)]) -> Self {
        let more = more.iter().map(|(name, value)| (format!("${name}"), value.clone()));
        let mut variables: Vec<_> = self.0.into_iter().chain(more).collect();
        // Longest name first, because a name can be the beginning of another one.
        variables.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self(variables)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        let (_, value) = self.0.iter().find(|(known, _)| known[1..] == *name).unwrap();
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    }

    pub(crate) fn replaced(&self, json: &Value) -> Value {
        match json {
            Value::String(text) => self.in_text(text),
            Value::Array(items) => items.iter().map(|item| self.replaced(item)).collect(),
            Value::Object(members) => {
                let replaced = members.iter().map(|(name, value)| (name.clone(), self.replaced(value)));
                Value::Object(replaced.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    fn in_text(&self, text: &str) -> Value {
        if let Some((_, value)) = self.0.iter().find(|(name, _)| name == text) {
            return value.clone();
        }
        let put = |text: String, (name, _): &(String, Value)| text.replace(name.as_str(), &self.text(&name[1..]));
        self.0.iter().fold(text.to_owned(), put).into()
    }
}

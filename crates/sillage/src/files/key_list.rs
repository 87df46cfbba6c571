//! The CSV list of diffusers and their keys (`--keys`). Keys are secrets: they never appear in an error or a log.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use csv::{ReaderBuilder, StringRecord, Trim};
use diffuser::SystemConfiguration;
use jiff::tz::TimeZone;

use super::private_file;

const COLUMNS: [&str; 4] = ["dsn", "key", "system_configuration", "time_zone"];
const MAX_DSN_LENGTH: usize = 32;
const KEY_DIGITS: usize = 64;
/// The maximum number of diffusers in a list.
pub(crate) const MAX_DEVICES: usize = 100_000;
/// The maximum number of faults in one error message.
const MAX_REPORTED_FAULTS: usize = 10;

/// A diffuser of the list. `Debug` omits the key.
#[derive(Clone)]
pub(crate) struct KeyedDevice {
    /// Serial number.
    pub(crate) dsn: String,
    /// 64 lower-case hexadecimal digits.
    pub(crate) key: String,
    pub(crate) configuration: SystemConfiguration,
    pub(crate) time_zone: TimeZone,
}

impl fmt::Debug for KeyedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedDevice").field("dsn", &self.dsn).finish_non_exhaustive()
    }
}

/// Writes serial numbers and keys to a new file that only its owner can read.
///
/// # Errors
/// Fails if the file exists or cannot be written; no partial file remains.
pub(crate) fn write_new<'a>(path: &Path, devices: impl IntoIterator<Item = (&'a str, &'a str)>) -> anyhow::Result<()> {
    let mut text = format!("{},{}\n", COLUMNS[0], COLUMNS[1]);
    for (dsn, key) in devices {
        text.extend([dsn, ",", key, "\n"]);
    }
    private_file::write_new(path, text.as_bytes())
}

/// Reads the list.
///
/// # Errors
/// Lists up to ten invalid lines with their numbers. Fails for more than [`MAX_DEVICES`] lines.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<KeyedDevice>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(file).with_context(|| path.display().to_string())
}

/// Reads the text of a list.
///
/// # Errors
/// As [`read`].
pub(crate) fn parse(text: impl Read) -> anyhow::Result<Vec<KeyedDevice>> {
    let mut reader = ReaderBuilder::new().trim(Trim::All).flexible(true).from_reader(text);
    let columns = Columns::of(reader.headers()?)?;
    let mut devices = Vec::new();
    let mut faults = Vec::new();
    let mut lines = HashMap::new();
    for record in reader.records() {
        let record = record?;
        if devices.len() + faults.len() == MAX_DEVICES {
            bail!("it contains more than {MAX_DEVICES} diffusers: split it");
        }
        let line = record.position().map_or(0, csv::Position::line);
        match columns.device(&record) {
            Ok(device) => match lines.insert(device.dsn.clone(), line) {
                None => devices.push(device),
                Some(earlier) => faults.push(format!("line {line}: {} is already in line {earlier}", device.dsn)),
            },
            Err(fault) => faults.push(format!("line {line}: {fault}")),
        }
    }
    if faults.len() > MAX_REPORTED_FAULTS {
        let more = faults.len() - MAX_REPORTED_FAULTS;
        faults.truncate(MAX_REPORTED_FAULTS);
        faults.push(format!("and {more} more"));
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    if devices.is_empty() {
        bail!("it contains no diffuser");
    }
    Ok(devices)
}

/// The position of each of [`COLUMNS`] in a record.
struct Columns {
    count: usize,
    positions: [Option<usize>; COLUMNS.len()],
}

impl Columns {
    fn of(header: &StringRecord) -> anyhow::Result<Self> {
        let mut positions = [None; COLUMNS.len()];
        for (position, name) in header.iter().enumerate() {
            let Some(column) = COLUMNS.iter().position(|column| *column == name) else {
                bail!("line 1: the header may contain only {}", COLUMNS.join(", "));
            };
            if positions[column].replace(position).is_some() {
                bail!("line 1: the header contains {name} twice");
            }
        }
        if let Some(missing) = (0..2).find(|column| positions[*column].is_none()) {
            bail!("line 1: the header lacks the column {}", COLUMNS[missing]);
        }
        Ok(Self { count: header.len(), positions })
    }

    fn device(&self, record: &StringRecord) -> anyhow::Result<KeyedDevice> {
        if record.len() != self.count {
            bail!("{} values, but the header has {}", record.len(), self.count);
        }
        let [dsn, key, configuration, time_zone] =
            self.positions.map(|position| position.and_then(|position| record.get(position)));
        Ok(KeyedDevice {
            configuration: configuration_of(configuration.unwrap_or_default())?,
            time_zone: time_zone_of(time_zone.unwrap_or_default())?,
            dsn: dsn_of(dsn.unwrap_or_default())?,
            key: key_of(key.unwrap_or_default())?,
        })
    }
}

fn dsn_of(text: &str) -> anyhow::Result<String> {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !((1..=MAX_DSN_LENGTH).contains(&text.len()) && text.bytes().all(valid)) {
        bail!("a dsn is 1 to {MAX_DSN_LENGTH} letters, digits, - and _");
    }
    Ok(text.to_owned())
}

fn key_of(text: &str) -> anyhow::Result<String> {
    let valid = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if !(text.len() == KEY_DIGITS && text.bytes().all(valid)) {
        bail!("a key is {KEY_DIGITS} lower-case hexadecimal digits");
    }
    Ok(text.to_owned())
}

/// An empty value is the default of a new device.
fn configuration_of(text: &str) -> anyhow::Result<SystemConfiguration> {
    if text.is_empty() {
        return Ok(SystemConfiguration::ALL[0].clone());
    }
    match SystemConfiguration::from(text) {
        SystemConfiguration::Unknown(_) => {
            let known = SystemConfiguration::ALL.each_ref().map(SystemConfiguration::cart_name);
            bail!("a system configuration is one of {}", known.join(", "))
        }
        known => Ok(known),
    }
}

/// An empty value is UTC; the cloud may set another zone later.
fn time_zone_of(text: &str) -> anyhow::Result<TimeZone> {
    if text.is_empty() {
        return Ok(TimeZone::UTC);
    }
    TimeZone::get(text).ok().context("a time zone is an IANA name like Europe/Paris")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn faults(text: &str) -> String {
        format!("{:#}", parse(text.as_bytes()).expect_err("faults"))
    }

    #[test]
    fn list_is_read_in_any_column_order() {
        let text = format!(
            "\u{feff}key, dsn ,time_zone,system_configuration\r\n{KEY},SL0001,Europe/Paris,AQ2500\r\n\r\n\"{KEY}\",SL_2,,\r\n"
        );
        let devices = parse(text.as_bytes()).unwrap();
        let rows: Vec<_> = devices
            .iter()
            .map(|it| (it.dsn.as_str(), it.key.as_str(), it.configuration.cart_name(), it.time_zone.iana_name()))
            .collect();
        assert_eq!(rows, [("SL0001", KEY, "AQ2500", Some("Europe/Paris")), ("SL_2", KEY, "AQ290", Some("UTC"))]);
        assert_eq!(parse(format!("dsn,key\nSL0001,{KEY}").as_bytes()).unwrap().len(), 1);
    }

    #[test]
    fn invalid_lines_are_named_without_their_keys() {
        let long_dsn = "S".repeat(33);
        let short = &KEY[1..];
        let upper = KEY.to_uppercase();
        let text = format!(
            "dsn,key,system_configuration,time_zone\n\
             SL0001,{KEY},,\n\
             SL0001,{KEY},,\n\
             ,{KEY},,\n\
             {long_dsn},{KEY},,\n\
             SL/2,{KEY},,\n\
             SL0002,,,\n\
             SL0003,{short},,\n\
             SL0004,{upper},,\n\
             SL0005,{KEY}0,,\n\
             SL0006,{KEY},AQ1,\n\
             SL0007,{KEY},,Mars/Base\n\
             SL0008,{KEY}\n"
        );
        let message = faults(&text);
        let expected = [
            "line 3: SL0001 is already in line 2",
            "line 4: a dsn is 1 to 32 letters, digits, - and _",
            "line 5: a dsn is 1 to 32 letters, digits, - and _",
            "line 6: a dsn is 1 to 32 letters, digits, - and _",
            "line 7: a key is 64 lower-case hexadecimal digits",
            "line 8: a key is 64 lower-case hexadecimal digits",
            "line 9: a key is 64 lower-case hexadecimal digits",
            "line 10: a key is 64 lower-case hexadecimal digits",
            "line 11: a system configuration is one of AQ290, AQ380, AQ580, AQ880w1250, AQ880w2500, AQ1280, AQ2500",
            "line 12: a time zone is an IANA name like Europe/Paris",
            "and 1 more",
        ];
        assert_eq!(message.lines().collect::<Vec<_>>(), expected);
        assert!(!message.contains(&KEY[2..20]) && !message.contains(&upper[2..20]));
        assert_eq!(faults(&format!("dsn,key\nSL0001,{KEY},AQ290\n")), "line 2: 3 values, but the header has 2");
    }

    #[test]
    fn written_list_is_private_and_never_overwritten() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.csv");
        write_new(&path, [("SL0001", KEY), ("SL0002", KEY)]).unwrap();
        let devices = read(&path).unwrap();
        assert_eq!(
            devices.iter().map(|it| (&*it.dsn, &*it.key)).collect::<Vec<_>>(),
            [("SL0001", KEY), ("SL0002", KEY)]
        );
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!format!("{devices:?}").contains(KEY));
        let error = format!("{:#}", write_new(&path, [("SL0003", KEY)]).unwrap_err());
        assert!(error.contains("keys.csv already exists"), "{error}");
        assert_eq!(read(&path).unwrap().len(), 2);
    }

    #[test]
    fn list_without_required_columns_or_lines_is_rejected() {
        let rows = [
            ("", "line 1: the header lacks the column dsn"),
            ("dsn\nSL0001\n", "line 1: the header lacks the column key"),
            ("dsn,key,dsn\n", "line 1: the header contains dsn twice"),
            ("dsn,key,colour\n", "line 1: the header may contain only dsn, key, system_configuration, time_zone"),
            ("dsn,key\n", "it contains no diffuser"),
        ];
        for (text, why) in rows {
            assert_eq!(faults(text), why);
        }
        let longer = format!("dsn,key\n{}", "SL0001,\n".repeat(MAX_DEVICES + 1));
        assert_eq!(faults(&longer), "it contains more than 100000 diffusers: split it");
        assert!(parse(b"dsn,key\n\xff,1\n".as_slice()).is_err());
        assert_eq!(read(Path::new("/nowhere.csv")).unwrap_err().to_string(), "cannot read /nowhere.csv");
    }
}

//! The texts of messages about devices.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::domain::notification::NotificationType;
use crate::messages::mail::Address;
use crate::messages::sms::PhoneNumber;
use crate::records::message::Channel;
use crate::store::device_names::NameRow;

/// Maximum length of a text value, in characters.
const MAX_TEXT: usize = 100;

/// The recipient's address on this channel; `None` if it is incomplete.
pub(super) fn address(
    way: &str,
    email: Option<&str>,
    country_code: Option<&str>,
    number: Option<&str>,
) -> Option<Address> {
    match Channel::find(way)? {
        Channel::Email => email.map(|email| Address::Email(email.to_owned())),
        Channel::Sms => PhoneNumber::new(country_code?, number?).map(Address::Phone),
    }
}

/// The subject and sentence about a connection. `since` is when it was lost, or when the device connected; `lost_at` is when the
/// connection before that was lost, if that is known.
pub(super) fn of_connection(
    kind: NotificationType,
    device: &NameRow,
    lost_at: Option<Timestamp>,
    since: Timestamp,
) -> (String, String) {
    let NameRow { dsn, product_name: name, .. } = device;
    let since = time(since, device);
    match kind {
        NotificationType::Connected => {
            (format!("{name} is connected"), format!("{name} ({dsn}) is connected since {since}."))
        }
        NotificationType::Lost => {
            (format!("{name} lost its connection"), format!("{name} ({dsn}) lost its connection on {since}."))
        }
        NotificationType::Restored => {
            let lost = lost_at.map(|lost_at| format!(" It had lost its connection on {}.", time(lost_at, device)));
            let sentence = format!("{name} ({dsn}) is connected again since {since}.{}", lost.unwrap_or_default());
            (format!("{name} is connected again"), sentence)
        }
    }
}

/// The subject and sentence about the value of a property.
pub(super) fn of_value(property: &str, value: &Value, device: &NameRow, now: Timestamp) -> (String, String) {
    let NameRow { dsn, product_name: name, .. } = device;
    let (value, since) = (shown(value), time(now, device));
    (format!("{property} of {name}: {value}"), format!("{property} of {name} ({dsn}) is {value} since {since}."))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.chars().take(MAX_TEXT).collect(),
        other => other.to_string(),
    }
}

/// The time in the zone of the device, formatted for people.
fn time(at: Timestamp, device: &NameRow) -> String {
    let zone = device.tz_id.as_deref().and_then(|name| Some((name, TimeZone::get(name).ok()?)));
    let (name, zone) = zone.unwrap_or(("UTC", TimeZone::UTC));
    format!("{} ({name})", at.to_zoned(zone).strftime("%-d %B %Y, %H:%M"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn times_are_in_the_time_zone_of_the_device() {
        for (zone, expected) in [
            (Some("Europe/Paris"), "5 July 2026, 12:00 (Europe/Paris)"),
            (Some("America/Los_Angeles"), "5 July 2026, 03:00 (America/Los_Angeles)"),
            (Some("Mars/Olympus"), "5 July 2026, 10:00 (UTC)"),
            (None, "5 July 2026, 10:00 (UTC)"),
        ] {
            let device = NameRow::named("DEV-A1", "Lobby", zone);
            let (subject, sentence) =
                of_connection(NotificationType::Connected, &device, None, at("2026-07-05T10:00:59Z"));
            assert_eq!(subject, "Lobby is connected");
            assert_eq!(sentence, format!("Lobby (DEV-A1) is connected since {expected}."));
        }
    }

    #[test]
    fn reconnection_message_names_the_time_of_the_loss() {
        let device = NameRow::named("DEV-A1", "Lobby", None);
        let lost = Some(at("2026-07-05T10:00:00Z"));
        let (_, sentence) = of_connection(NotificationType::Restored, &device, lost, at("2026-07-05T11:00:00Z"));
        let (since, lost) = ("5 July 2026, 11:00 (UTC)", "5 July 2026, 10:00 (UTC)");
        assert_eq!(
            sentence,
            format!("Lobby (DEV-A1) is connected again since {since}. It had lost its connection on {lost}.")
        );
    }

    #[test]
    fn values_are_formatted_for_people() {
        let device = NameRow::named("DEV-A1", "Lobby", None);
        let long = "ä".repeat(MAX_TEXT + 1);
        for (value, expected) in
            [(json!(19), "19"), (json!(12.5), "12.5"), (json!("off"), "off"), (json!(long), &*"ä".repeat(MAX_TEXT))]
        {
            let (subject, sentence) = of_value("Level", &value, &device, at("2026-07-05T10:00:00Z"));
            assert_eq!(subject, format!("Level of Lobby: {expected}"));
            assert_eq!(sentence, format!("Level of Lobby (DEV-A1) is {expected} since 5 July 2026, 10:00 (UTC)."));
        }
    }

    #[test]
    fn channel_without_a_recipient_has_no_address() {
        let is_there = |way, email, code, number| address(way, email, code, number).is_some();
        assert!(is_there("email", Some("a@example.com"), None, None));
        assert!(is_there("sms", None, Some("1"), Some("4145550100")));
        assert!(!is_there("email", None, Some("1"), Some("4145550100")) && !is_there("sms", Some("a@b"), None, None));
        assert!(!is_there("sms", None, Some("1"), Some("12")) && !is_there("push_ios", Some("a@b"), None, None));
    }
}

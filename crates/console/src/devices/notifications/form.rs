//! The notification form and its validation.

use serde::Deserialize;
use utoipa::ToSchema;

use super::phone::{DEFAULT_COUNTRY, Phone, is_country};
use super::plan::{NotificationSettings, RECIPIENT};
use super::recipient::{Method, Recipient};
use super::rows::{Event, Events, NotificationRow};
use crate::audit::concurrent_changes::SeenValues;
use crate::forms::validation::Rules;
use crate::http::error::ApiResult;
use crate::http::request::sent;

/// A recipient and events. When an existing notification is edited, omitted fields keep their values.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub(crate) struct NotificationForm {
    #[serde(default, deserialize_with = "sent")]
    method: Option<Option<Method>>,
    /// An e-mail address; or a telephone number, in international or national format.
    #[serde(default, deserialize_with = "sent")]
    recipient: Option<Option<String>>,
    /// For a telephone number, the two-letter ISO 3166-1 country code; US by default. Sent together with the recipient.
    country: Option<String>,
    /// At least one event.
    #[serde(default)]
    events: EventChoice,
    /// When an existing notification is edited: `recipient`, and by event its id, as the person saw them. If the notification
    /// has another recipient by now, nothing is saved and the response is 409.
    #[serde(default)]
    pub(super) seen: SeenValues,
}

/// The selected events. Omitted events keep their state; for a new notification they are not selected.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct EventChoice {
    connected: Option<bool>,
    disconnected: Option<bool>,
    low_product_level: Option<bool>,
}

impl NotificationForm {
    /// `current` is the notification to edit; its method cannot be changed.
    ///
    /// # Errors
    /// 422 with all invalid fields.
    pub(super) fn check(&self, current: Option<&NotificationRow>) -> ApiResult<NotificationSettings> {
        let mut rules = Rules::default();
        let method_before = current.map(|current| current.recipient.method());
        let method = self.method.unwrap_or(method_before);
        match method {
            None => rules.refuse("method", "Required"),
            Some(method) if method_before.is_some_and(|before| before != method) => {
                rules.refuse("method", "Cannot be changed");
            }
            Some(_) => {}
        }
        let events = self.events.chosen(&current.map(NotificationRow::events).unwrap_or_default());
        if events.is_empty() {
            rules.refuse("events", "Select at least one event");
        }
        let country = self.country(&mut rules);
        let recipient_before = current.map(|current| &current.recipient).filter(|_| self.recipient.is_none());
        if let Some(recipient) = recipient_before {
            return rules.finish(NotificationSettings { recipient: recipient.clone(), events });
        }
        let text = rules.required("recipient", &self.recipient.clone().flatten());
        let recipient = match method {
            Some(Method::Sms) => {
                let phone = Phone::read(&text, &country);
                if phone.is_none() && !rules.refuses("country") && !rules.refuses("recipient") {
                    rules.refuse("recipient", "Invalid phone number");
                }
                Recipient::Sms(phone.unwrap_or_default())
            }
            _ => Recipient::Email(text),
        };
        rules.finish(NotificationSettings { recipient, events })
    }

    /// The recipient of the notification after the change, which is `requested` or else the one that the person saw.
    pub(super) fn recipient_after(&self, requested: &Recipient) -> Option<String> {
        match self.recipient {
            Some(_) => Some(requested.display()),
            None => self.seen.get(RECIPIENT).map(str::to_owned),
        }
    }

    /// An invalid country is rejected for any method.
    fn country(&self, rules: &mut Rules) -> String {
        let country = rules.optional("country", &self.country).unwrap_or_else(|| DEFAULT_COUNTRY.to_owned());
        if !is_country(&country) && !rules.refuses("country") {
            rules.refuse("country", "Is not one of the choices");
        }
        country
    }
}

impl EventChoice {
    fn chosen(self, current: &Events) -> Events {
        let choices = [
            (Event::Connected, self.connected),
            (Event::Disconnected, self.disconnected),
            (Event::LowProductLevel, self.low_product_level),
        ];
        let is_chosen = |(event, choice): &(Event, Option<bool>)| choice.unwrap_or_else(|| current.contains(event));
        choices.into_iter().filter(is_chosen).map(|(event, _)| event).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::rows::App;
    use super::*;
    use crate::http::error::ApiError;

    fn check(changes: &Value, current: Option<&NotificationRow>) -> ApiResult<NotificationSettings> {
        let mut form = json!({ "method": "email", "recipient": "jo@example.com", "events": { "connected": true } });
        form.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        serde_json::from_value::<NotificationForm>(form).unwrap().check(current)
    }

    fn errors(changes: &Value, current: Option<&NotificationRow>) -> Value {
        match check(changes, current) {
            Err(ApiError::Invalid(errors)) => json!(errors),
            other => panic!("{changes}: {other:?}"),
        }
    }

    /// A row with this method for lost connections.
    fn current(method: Method) -> NotificationRow {
        let recipient = match method {
            Method::Sms => Recipient::Sms(Phone::read("+4741234567", "NO").unwrap()),
            Method::Email => Recipient::Email("kim@example.com".to_owned()),
        };
        NotificationRow { recipient, apps: vec![(Event::Disconnected, App::Notification(1.into(), 1.into()))] }
    }

    #[test]
    fn address_is_free_text_and_trimmed() {
        for address in ["jo@example.com", "  jo@example.com ", "Front desk <desk@example.com>", "anything"] {
            let requested = check(&json!({ "recipient": address, "country": "NO" }), None).unwrap();
            assert_eq!(requested.recipient.display(), address.trim());
        }
    }

    #[test]
    fn phone_country_defaults_to_us() {
        let rows = [
            (json!({ "recipient": "414 555 0100" }), "+14145550100"),
            (json!({ "recipient": "414 555 0100", "country": " " }), "+14145550100"),
            (json!({ "recipient": "412 34 567", "country": "NO" }), "+4741234567"),
            (json!({ "recipient": " +47 412 34 567 ", "country": "US" }), "+4741234567"),
        ];
        for (mut form, expected) in rows {
            form["method"] = json!("sms");
            assert_eq!(check(&form, None).unwrap().recipient.display(), expected, "{form}");
        }
    }

    #[test]
    fn form_without_events_is_rejected() {
        let rows = [
            (json!({ "connected": true }), vec![Event::Connected]),
            (json!({ "disconnected": true, "connected": false }), vec![Event::Disconnected]),
            (json!({ "lowProductLevel": true, "connected": true }), vec![Event::Connected, Event::LowProductLevel]),
        ];
        for (events, expected) in rows {
            let requested = check(&json!({ "events": events }), None).unwrap();
            assert_eq!(requested.events.into_iter().collect::<Vec<_>>(), expected, "{events}");
        }
        for events in [json!({}), json!({ "connected": false, "other": true })] {
            assert_eq!(errors(&json!({ "events": events }), None), json!({ "events": ["Select at least one event"] }));
        }
    }

    #[test]
    fn every_invalid_field_is_reported() {
        let rows = [
            (json!({ "method": null }), json!({ "method": ["Required"] })),
            (json!({ "recipient": null }), json!({ "recipient": ["Required"] })),
            (json!({ "recipient": " " }), json!({ "recipient": ["Required"] })),
            (json!({ "recipient": "x".repeat(256) }), json!({ "recipient": ["Must be at most 255 characters"] })),
            (json!({ "recipient": "jo@example.com\nkim" }), json!({ "recipient": ["Must be one line of text"] })),
            (json!({ "country": "XX" }), json!({ "country": ["Is not one of the choices"] })),
            (json!({ "country": "a\u{0}b" }), json!({ "country": ["Must be one line of text"] })),
            (json!({ "method": "sms" }), json!({ "recipient": ["Invalid phone number"] })),
            (json!({ "method": "sms", "recipient": "" }), json!({ "recipient": ["Required"] })),
            (
                json!({ "method": "sms", "recipient": "1".repeat(256) }),
                json!({ "recipient": ["Must be at most 255 characters"] }),
            ),
            (
                json!({ "method": "sms", "recipient": "4145550100", "country": "XX" }),
                json!({ "country": ["Is not one of the choices"] }),
            ),
            (
                json!({ "method": null, "recipient": null, "events": {} }),
                json!({ "events": ["Select at least one event"], "method": ["Required"], "recipient": ["Required"] }),
            ),
        ];
        for (changes, expected) in rows {
            assert_eq!(errors(&changes, None), expected, "{changes}");
        }
    }

    #[test]
    fn method_cannot_be_changed() {
        assert!(check(&json!({}), Some(&current(Method::Email))).is_ok());
        let sms = current(Method::Sms);
        assert_eq!(errors(&json!({}), Some(&sms)), json!({ "method": ["Cannot be changed"] }));
        assert_eq!(errors(&json!({ "method": null }), Some(&sms)), json!({ "method": ["Required"] }));
    }

    #[test]
    fn omitted_fields_of_a_change_keep_their_values() {
        let change = |form: Value, method| {
            serde_json::from_value::<NotificationForm>(form).unwrap().check(Some(&current(method)))
        };
        let fields = |requested: NotificationSettings| {
            (requested.recipient.display(), requested.events.into_iter().collect::<Vec<_>>())
        };
        let (number, address) = ("+4741234567".to_owned(), "kim@example.com".to_owned());
        let low = Event::LowProductLevel;
        let rows = [
            (json!({}), Method::Sms, (number.clone(), vec![Event::Disconnected])),
            (json!({ "events": { "lowProductLevel": true } }), Method::Sms, (number, vec![Event::Disconnected, low])),
            (
                json!({ "events": { "disconnected": false, "lowProductLevel": true } }),
                Method::Email,
                (address, vec![low]),
            ),
            (
                json!({ "recipient": " jo@example.com " }),
                Method::Email,
                ("jo@example.com".to_owned(), vec![Event::Disconnected]),
            ),
        ];
        for (form, method, expected) in rows {
            assert_eq!(fields(change(form.clone(), method).unwrap()), expected, "{form}");
        }
        let none = change(json!({ "events": { "disconnected": false } }), Method::Email);
        let Err(ApiError::Invalid(errors)) = none else { panic!("{none:?}") };
        assert_eq!(json!(errors), json!({ "events": ["Select at least one event"] }));
        assert!(change(json!({ "recipient": null }), Method::Email).is_err());
    }
}

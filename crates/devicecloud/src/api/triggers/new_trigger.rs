use std::fmt;

use serde_json::{Map, Value};

use crate::api::recipient::AppRecipient;
use crate::debug::debug_only;
use crate::error::Result;
use crate::model::read::{Fields, FromWire};
use crate::model::{CompareType, Trigger, TriggerApp, TriggerType};

/// Default of [`NewTriggerApp::repeat_freq`] in seconds: a day.
const REPEAT_FREQ: i64 = 86_400;

/// A trigger to create, with its apps (recipients).
#[derive(Clone)]
#[must_use]
pub struct NewTrigger {
    pub(super) trigger_type: TriggerType,
    pub(super) compare_type: Option<CompareType>,
    pub(super) value: Option<String>,
    pub(super) apps: Vec<NewTriggerApp>,
}

debug_only!(NewTrigger { trigger_type, compare_type, apps });

impl NewTrigger {
    /// Fires if the comparison of a new value with `value` is true.
    pub fn compare(compare_type: CompareType, value: impl Into<String>) -> Self {
        let value = Some(value.into());
        Self { trigger_type: TriggerType::CompareAbsolute, compare_type: Some(compare_type), value, apps: Vec::new() }
    }

    /// Fires on each value.
    pub fn always() -> Self {
        Self { trigger_type: TriggerType::Always, compare_type: None, value: None, apps: Vec::new() }
    }

    /// Fires on each value that differs from the previous one.
    pub fn on_change() -> Self {
        Self { trigger_type: TriggerType::OnChange, ..Self::always() }
    }

    /// Adds an app (a recipient).
    pub fn app(mut self, app: NewTriggerApp) -> Self {
        self.apps.push(app);
        self
    }

    /// Whether an existing trigger has the same condition. Clouds may send a blank text for a missing value.
    pub(super) fn matches(&self, trigger: &Trigger) -> bool {
        self.trigger_type == trigger.trigger_type
            && unless_blank(self.compare_type.as_ref().map(CompareType::as_str))
                == unless_blank(trigger.compare_type.as_ref().map(CompareType::as_str))
            && unless_blank(self.value.as_deref()) == unless_blank(trigger.value.as_deref())
    }

    /// The request body.
    pub(super) fn members(&self) -> Result<Map<String, Value>> {
        let apps = self.apps.iter().map(|app| app.members().map(Value::Object)).collect::<Result<Vec<_>>>()?;
        let members = [
            ("trigger_type", self.trigger_type.as_str().into()),
            ("value", self.value.as_deref().into()),
            ("active", true.into()),
            ("compare_type", self.compare_type.as_ref().map(CompareType::as_str).into()),
            ("trigger_apps", apps.into()),
        ];
        Ok(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The value as it was sent, in place of an unreadable response.
    pub(super) fn as_sent(&self) -> Trigger {
        Trigger::from_wire(&Fields(&self.members().unwrap_or_default()))
    }
}

fn unless_blank(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

/// A recipient to add to a trigger. `Debug` output does not contain the recipient.
#[derive(Clone)]
#[must_use]
pub struct NewTriggerApp {
    recipient: AppRecipient,
    subject: String,
    message: String,
    repeat_freq: i64,
}

impl NewTriggerApp {
    /// By e-mail to this address.
    pub fn email(email: impl Into<String>) -> Self {
        Self::new(AppRecipient::email(email))
    }

    /// By text message: country calling code without leading zeros, and phone number without the country code.
    pub fn sms(country_code: impl Into<String>, phone_number: impl Into<String>) -> Self {
        Self::new(AppRecipient::sms(country_code, phone_number))
    }

    /// The subject of an e-mail; chosen by the cloud by default. Ignored for text messages.
    pub fn subject(self, subject: impl Into<String>) -> Self {
        Self { subject: subject.into(), ..self }
    }

    /// The message text; chosen by the cloud by default.
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// How often to repeat the message while the condition holds, in seconds; a day by default.
    pub fn repeat_freq(self, seconds: i64) -> Self {
        Self { repeat_freq: seconds, ..self }
    }

    fn new(recipient: AppRecipient) -> Self {
        Self { recipient, subject: String::new(), message: String::new(), repeat_freq: REPEAT_FREQ }
    }

    /// The request body. The meaning of the parameters depends on the channel.
    pub(super) fn members(&self) -> Result<Map<String, Value>> {
        self.recipient.check()?;
        let [param1, param2] = match &self.recipient {
            AppRecipient::Email(email) => [email, &self.subject],
            AppRecipient::Sms { country_code, phone_number } => [country_code, phone_number],
        };
        let members = [
            ("name", self.recipient.app_type().as_str().into()),
            ("repeat_freq", self.repeat_freq.into()),
            ("param1", param1.as_str().into()),
            ("param2", param2.as_str().into()),
            ("param3", self.message.as_str().into()),
            ("param4", "".into()),
        ];
        Ok(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The value as it was sent, in place of an unreadable response.
    pub(super) fn as_sent(&self) -> TriggerApp {
        TriggerApp::from_wire(&Fields(&self.members().unwrap_or_default()))
    }
}

impl fmt::Debug for NewTriggerApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewTriggerApp").field("app_type", &self.recipient.app_type()).finish_non_exhaustive()
    }
}

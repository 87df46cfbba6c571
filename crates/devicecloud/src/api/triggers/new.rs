use std::fmt;

use serde_json::{Map, Value};

use crate::api::recipient::Recipient;
use crate::error::Result;
use crate::model::read::{Fields, FromWire};
use crate::model::{CompareType, Trigger, TriggerApp, TriggerType};

/// In seconds, unless [`NewTriggerApp::repeat_freq`] says otherwise: a day (decision A-65).
const REPEAT_FREQ: i64 = 86_400;

/// A trigger to make, with the apps that say whom it tells.
#[derive(Clone, Debug)]
#[must_use]
pub struct NewTrigger {
    pub(super) trigger_type: TriggerType,
    pub(super) compare_type: Option<CompareType>,
    pub(super) value: Option<String>,
    pub(super) apps: Vec<NewTriggerApp>,
}

impl NewTrigger {
    /// Tells when a value compares so with `value`.
    pub fn compare(compare_type: CompareType, value: impl Into<String>) -> Self {
        let value = Some(value.into());
        Self { trigger_type: TriggerType::CompareAbsolute, compare_type: Some(compare_type), value, apps: Vec::new() }
    }

    /// Tells of each value.
    pub fn always() -> Self {
        Self { trigger_type: TriggerType::Always, compare_type: None, value: None, apps: Vec::new() }
    }

    /// Tells of each value that is another than the one before.
    pub fn on_change() -> Self {
        Self { trigger_type: TriggerType::OnChange, ..Self::always() }
    }

    /// Whom it tells, too.
    pub fn app(mut self, app: NewTriggerApp) -> Self {
        self.apps.push(app);
        self
    }

    /// Whether a trigger that is there tells of the same. A cloud may tell a blank text for what is not set.
    pub(super) fn is_like(&self, trigger: &Trigger) -> bool {
        self.trigger_type == trigger.trigger_type
            && unless_blank(self.compare_type.as_ref().map(CompareType::as_str))
                == unless_blank(trigger.compare_type.as_ref().map(CompareType::as_str))
            && unless_blank(self.value.as_deref()) == unless_blank(trigger.value.as_deref())
    }

    /// The members of the request.
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

    /// As it was sent.
    pub(super) fn unread(&self) -> Trigger {
        Trigger::from_wire(&Fields(&self.members().unwrap_or_default()))
    }
}

fn unless_blank(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

/// A way to somebody whom a trigger is to tell. `Debug` does not show who that is.
#[derive(Clone)]
#[must_use]
pub struct NewTriggerApp {
    recipient: Recipient,
    subject: String,
    message: String,
    repeat_freq: i64,
}

impl NewTriggerApp {
    /// By e-mail to this address.
    pub fn email(email: impl Into<String>) -> Self {
        Self::new(Recipient::email(email))
    }

    /// By text message to this telephone number: the country's code without zeros in front, and the number without it.
    pub fn sms(country_code: impl Into<String>, phone_number: impl Into<String>) -> Self {
        Self::new(Recipient::sms(country_code, phone_number))
    }

    /// The subject of an e-mail; by default the cloud finds the words. A text message has none.
    pub fn subject(self, subject: impl Into<String>) -> Self {
        Self { subject: subject.into(), ..self }
    }

    /// What is said; by default the cloud finds the words.
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// After how many seconds it tells again while it still holds; a day by default.
    pub fn repeat_freq(self, seconds: i64) -> Self {
        Self { repeat_freq: seconds, ..self }
    }

    fn new(recipient: Recipient) -> Self {
        Self { recipient, subject: String::new(), message: String::new(), repeat_freq: REPEAT_FREQ }
    }

    /// The members of the request. What the parameters mean depends on the way.
    pub(super) fn members(&self) -> Result<Map<String, Value>> {
        self.recipient.check()?;
        let [param1, param2] = match &self.recipient {
            Recipient::Email(email) => [email, &self.subject],
            Recipient::Sms { country_code, phone_number } => [country_code, phone_number],
        };
        let members = [
            ("name", self.recipient.way().as_str().into()),
            ("repeat_freq", self.repeat_freq.into()),
            ("param1", param1.as_str().into()),
            ("param2", param2.as_str().into()),
            ("param3", self.message.as_str().into()),
            ("param4", "".into()),
        ];
        Ok(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// As it was sent.
    pub(super) fn unread(&self) -> TriggerApp {
        TriggerApp::from_wire(&Fields(&self.members().unwrap_or_default()))
    }
}

impl fmt::Debug for NewTriggerApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewTriggerApp").field("way", &self.recipient.way()).finish_non_exhaustive()
    }
}

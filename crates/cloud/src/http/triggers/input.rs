//! Reads triggers and their apps from requests.

use std::borrow::Cow;

use serde_json::Value;

use crate::devices::triggers::{MAX_APPS, TriggerInput};
use crate::domain::trigger::{Comparison, Condition, DEFAULT_REPEAT, REPEAT};
use crate::domain::value::BaseType;
use crate::http::error::{Error, Result};
use crate::http::form::Form;
use crate::http::recipient;
use crate::records::message::Channel;
use crate::store::trigger_apps::TriggerApp;

/// Maximum lengths, in characters.
const TYPE: usize = 32;
const TEXT: usize = 255;
const MESSAGE: usize = 1_000;

/// Reads a trigger of a property of this type.
///
/// # Errors
/// 422 with all invalid fields.
pub(super) fn read_trigger(mut form: Form<'_>, base_type: BaseType) -> Result<TriggerInput> {
    let trigger_type = form.required("trigger_type", TYPE);
    let active = form.flag("active").unwrap_or(true);
    let (mut compare_type, mut value) = (None, None);
    match trigger_type {
        "" | Condition::ALWAYS | Condition::ON_CHANGE => {}
        Condition::COMPARE => (compare_type, value) = compared(&mut form, base_type),
        _ => form.refuse("trigger_type", "is not always, on_change or compare_absolute"),
    }
    let apps = match form.value("trigger_apps") {
        None => &[][..],
        Some(Value::Array(apps)) => apps,
        Some(_) => {
            form.refuse("trigger_apps", "is not a list");
            &[]
        }
    };
    if i64::try_from(apps.len()).is_ok_and(|count| count > MAX_APPS) {
        form.refuse("trigger_apps", format!("has too many entries (max: {MAX_APPS})"));
    }
    form.check()?;
    let apps = apps.iter().map(|app| match app.as_object() {
        Some(members) => read_app(Form::under_or_bare(members, "trigger_app")?),
        None => Err(Error::invalid("trigger_apps", "is not a list of objects")),
    });
    Ok(TriggerInput {
        trigger_type: trigger_type.to_owned(),
        compare_type: compare_type.map(str::to_owned),
        value: value.map(Cow::into_owned),
        active,
        apps: apps.collect::<Result<_>>()?,
    })
}

/// `compare_type` and `value`, which may be a number.
fn compared<'a>(form: &mut Form<'a>, base_type: BaseType) -> (Option<&'a str>, Option<Cow<'a, str>>) {
    let compare_type = form.required("compare_type", TYPE);
    let comparison = Comparison::find(compare_type);
    if comparison.is_none() && !compare_type.is_empty() {
        form.refuse("compare_type", "is not ==, >, <, >= or <=");
    }
    let value = match form.value("value") {
        Some(Value::Number(number)) => Cow::Owned(number.to_string()),
        Some(Value::Bool(flag)) => Cow::Borrowed(if *flag { "1" } else { "0" }),
        _ => Cow::Borrowed(form.required("value", TEXT)),
    };
    if let Some(comparison) = comparison.filter(|_| !value.is_empty())
        && let Err((field, reason)) = Condition::compare(base_type, comparison, &value)
    {
        form.refuse(field, reason);
    }
    (Some(compare_type), Some(value))
}

/// Reads an app.
///
/// # Errors
/// 422 with all invalid fields.
pub(super) fn read_app(mut form: Form<'_>) -> Result<TriggerApp> {
    let channel = recipient::channel(&mut form, "name");
    let mut text = |field, max| form.text(field, max).map(str::to_owned);
    let mut app = TriggerApp {
        name: channel.map(Channel::as_str).unwrap_or_default().to_owned(),
        nickname: text("nickname", TEXT),
        username: text("username", TEXT),
        param3: text("param3", MESSAGE),
        param4: text("param4", TEXT),
        param5: text("param5", TEXT),
        email_template_id: text("email_template_id", TEXT),
        repeat_freq: form.whole("repeat_freq", REPEAT).unwrap_or(DEFAULT_REPEAT),
        ..TriggerApp::default()
    };
    match channel {
        Some(Channel::Email) => {
            app.param1 = recipient::email(&mut form, "param1");
            // Some clients use this name for the subject.
            app.param2 = form.text("email_subject", TEXT).or(form.text("param2", TEXT)).map(str::to_owned);
        }
        Some(Channel::Sms) => [app.param1, app.param2] = recipient::phone(&mut form, "param1", "param2"),
        None => {}
    }
    form.unsupported(&["email_body_html"]);
    form.check()?;
    Ok(app)
}

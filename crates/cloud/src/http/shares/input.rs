//! Reads shares and changes of shares from requests.

use jiff::Timestamp;
use platform::run::clock::to_micros;

use crate::domain::share::{Operation, Period};
use crate::http::error::{Error, Result};
use crate::http::form::Form;
use crate::http::user_fields::EMAIL;
use crate::people::sharing::{RightInput, ShareChange, ShareInput};
use crate::store::shares::ShareRow;
use crate::store::users;

/// The only kind of resource that can be shared.
pub(super) const DEVICE: &str = "device";
/// Maximum lengths, in characters.
const DSN: usize = 64;
const NAME: usize = 255;
const TIME: usize = 64;

/// Reads a new share.
///
/// # Errors
/// 422 with all invalid fields.
pub(super) fn read_share(mut form: Form<'_>, now: Timestamp) -> Result<ShareInput> {
    resource_kind(&mut form, true);
    let dsn = form.required("resource_id", DSN).to_owned();
    let email = form.required("user_email", EMAIL).trim().to_owned();
    let right = right(&mut form, true);
    let (start, end) = (time(&mut form, "start_date_at"), time(&mut form, "end_date_at"));
    let period = Period { start: start.flatten(), end: end.flatten() };
    check_period(&mut form, period, now);
    form.check()?;
    Ok(ShareInput { dsn, email, right: right.ok_or(Error::MALFORMED)?, period })
}

/// Reads a change of this share.
///
/// # Errors
/// 422 with all invalid fields, also if it names another device or recipient.
pub(super) fn read_change(mut form: Form<'_>, share: &ShareRow, now: Timestamp) -> Result<ShareChange> {
    const FIXED: &str = "can't be changed";
    resource_kind(&mut form, false);
    if form.text("resource_id", DSN).is_some_and(|dsn| dsn != share.dsn) {
        form.refuse("resource_id", FIXED);
    }
    if form.text("user_email", EMAIL).is_some_and(|email| users::folded(email) != share.user_email) {
        form.refuse("user_email", FIXED);
    }
    let right = right(&mut form, false);
    let change = ShareChange { right, start: time(&mut form, "start_date_at"), end: time(&mut form, "end_date_at") };
    check_period(&mut form, change.period(share.period()), now);
    form.check()?;
    Ok(change)
}

/// Checks `resource_name`, which some clients call `resource_type`.
fn resource_kind(form: &mut Form<'_>, required: bool) {
    let kinds = ["resource_name", "resource_type"].map(|field| {
        let kind = form.text(field, NAME);
        if kind.is_some_and(|kind| kind != DEVICE) {
            form.refuse(field, "is not device");
        }
        kind
    });
    if required && kinds == [None, None] {
        form.refuse("resource_name", "can't be blank");
    }
}

/// Either an operation or a role.
fn right(form: &mut Form<'_>, required: bool) -> Option<RightInput> {
    let (operation, role) = (form.text("operation", NAME), form.text("role_name", NAME));
    match (operation, role) {
        (Some(_), Some(_)) => {
            form.refuse("operation", "can't be given together with a role");
            None
        }
        (Some(text), None) => {
            let operation = Operation::find(text);
            if operation.is_none() {
                form.refuse("operation", "is not read or write");
            }
            operation.map(RightInput::Operation)
        }
        (None, Some(role)) => Some(RightInput::Role(role.to_owned())),
        (None, None) => {
            if required {
                form.refuse("operation", "can't be blank");
            }
            None
        }
    }
}

fn check_period(form: &mut Form<'_>, period: Period, now: Timestamp) {
    if let Err(error) = period.check(now) {
        form.refuse("end_date_at", error.to_string());
    }
}

/// A time in whole seconds, as responses show it. `None` if it is missing, `Some(None)` if it is blank.
fn time(form: &mut Form<'_>, field: &'static str) -> Option<Option<i64>> {
    if !form.has(field) {
        return None;
    }
    let Some(text) = form.text(field, TIME) else { return Some(None) };
    let time = text.parse::<Timestamp>().ok().and_then(|time| Timestamp::from_second(time.as_second()).ok());
    if time.is_none() {
        form.refuse(field, "is not a time");
    }
    Some(time.map(to_micros))
}

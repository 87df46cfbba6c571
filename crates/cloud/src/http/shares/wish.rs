//! What a request wants of a share.

use jiff::Timestamp;
use platform::clock::to_micros;
use platform::db::Db;

use crate::domain::share::{Operation, Period};
use crate::http::error::{Error, Result};
use crate::http::form::Form;
use crate::http::user_fields::EMAIL;
use crate::store;
use crate::store::shares::{Right, ShareRow};

/// The only kind of thing that is shared.
pub(super) const DEVICE: &str = "device";
/// The longest serial number, in characters.
const DSN: usize = 64;
/// The longest name of a role, of a kind or of an operation, in characters.
const NAME: usize = 255;
/// The longest instant, in characters.
const TIME: usize = 64;

/// A share that somebody wants to give.
pub(super) struct Wish<'a> {
    pub(super) dsn: &'a str,
    pub(super) email: &'a str,
    pub(super) right: WantedRight<'a>,
    pub(super) period: Period,
}

/// An operation, or a role by its name.
#[derive(Clone, Copy)]
pub(super) enum WantedRight<'a> {
    Operation(Operation),
    Role(&'a str),
}

impl<'a> Wish<'a> {
    /// # Errors
    /// 422 with all that is wrong.
    pub(super) fn read(mut form: Form<'a>, now: Timestamp) -> Result<Self> {
        kind(&mut form, true);
        let dsn = form.required("resource_id", DSN);
        let email = form.required("user_email", EMAIL).trim();
        let right = right(&mut form, true);
        let period = period(&mut form, Period::default(), now);
        form.check()?;
        // Without one, the form is not good.
        Ok(Self { dsn, email, right: right.unwrap_or(WantedRight::Operation(Operation::Read)), period })
    }
}

/// What a share that is there becomes: another right, if one is named, and another period.
///
/// # Errors
/// 422 with all that is wrong; also when it names another device or another recipient.
pub(super) fn change<'a>(
    mut form: Form<'a>,
    share: &ShareRow,
    now: Timestamp,
) -> Result<(Option<WantedRight<'a>>, Period)> {
    const FIXED: &str = "can't be changed";
    kind(&mut form, false);
    if form.text("resource_id", DSN).is_some_and(|dsn| dsn != share.dsn) {
        form.refuse("resource_id", FIXED);
    }
    if form.text("user_email", EMAIL).is_some_and(|email| store::users::folded(email) != share.user_email) {
        form.refuse("user_email", FIXED);
    }
    let (right, period) = (right(&mut form, false), period(&mut form, share.period(), now));
    form.check()?;
    Ok((right, period))
}

impl WantedRight<'_> {
    /// As the database keeps it.
    ///
    /// # Errors
    /// 422 for a role that the manufacturer does not have.
    pub(super) async fn resolve(self, db: &Db, oem_id: i64) -> Result<Right> {
        match self {
            Self::Operation(operation) => Ok(Right::Operation(operation)),
            Self::Role(name) => {
                let role = store::roles::find(db, oem_id, name).await?;
                Ok(Right::Role(role.ok_or_else(|| Error::invalid("role_name", "not found"))?.id))
            }
        }
    }
}

/// `resource_name`, for which some clients say `resource_type`.
fn kind(form: &mut Form<'_>, required: bool) {
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
fn right<'a>(form: &mut Form<'a>, required: bool) -> Option<WantedRight<'a>> {
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
            operation.map(WantedRight::Operation)
        }
        (None, Some(role)) => Some(WantedRight::Role(role)),
        (None, None) => {
            if required {
                form.refuse("operation", "can't be blank");
            }
            None
        }
    }
}

/// The period with what the request says of it: what is not named stays.
fn period(form: &mut Form<'_>, before: Period, now: Timestamp) -> Period {
    let start = if form.has("start_date_at") { instant(form, "start_date_at") } else { before.start };
    let end = if form.has("end_date_at") { instant(form, "end_date_at") } else { before.end };
    if end.is_some_and(|end| end <= to_micros(now)) {
        form.refuse("end_date_at", "is over");
    } else if start.zip(end).is_some_and(|(start, end)| end <= start) {
        form.refuse("end_date_at", "is not after the start");
    }
    Period { start, end }
}

/// In whole seconds, as it will be told.
fn instant(form: &mut Form<'_>, field: &'static str) -> Option<i64> {
    let text = form.text(field, TIME)?;
    let instant = text.parse::<Timestamp>().ok().and_then(|time| Timestamp::from_second(time.as_second()).ok());
    if instant.is_none() {
        form.refuse(field, "is not a time");
    }
    instant.map(to_micros)
}

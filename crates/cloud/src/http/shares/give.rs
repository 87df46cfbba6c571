//! Giving shares: several are made in one transaction, or none.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::wish::Wish;
use crate::app::App;
use crate::domain::policy::{self, Action};
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::store;
use crate::store::devices::DeviceRef;
use crate::store::shares::{NewShare, ShareRow};

/// The most shares of one request: it is one transaction, for which other writers wait.
const AT_ONCE: usize = 100;
/// The most shares that a user gives: a list carries all of them.
const GIVEN: i64 = 1_000;
/// The most people with whom a device is shared: each of its events is compared with all of them.
const OF_DEVICE: i64 = 100;

const GRANTED: Error = Error::Text(StatusCode::NOT_FOUND, "The device is already shared with this user");

/// The entries of `shares`; `None` when there is no such member.
///
/// # Errors
/// 422 unless it is a list of 1 to [`AT_ONCE`] objects.
pub(super) fn several(body: &Map<String, Value>) -> Result<Option<Vec<&Map<String, Value>>>> {
    let invalid = |text: String| Error::invalid("shares", text);
    match body.get("shares") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(entries)) if entries.is_empty() => Err(invalid("can't be blank".to_owned())),
        Some(Value::Array(entries)) if entries.len() > AT_ONCE => {
            Err(invalid(format!("has too many entries (max: {AT_ONCE})")))
        }
        Some(Value::Array(entries)) if entries.iter().all(Value::is_object) => {
            Ok(Some(entries.iter().filter_map(Value::as_object).collect()))
        }
        Some(_) => Err(invalid("is not a list of objects".to_owned())),
    }
}

/// Accepts the entries of a list.
///
/// # Errors
/// As [`accept`], for the first that is wrong. A 422 says which one it is.
pub(super) async fn accept_all(
    app: &App,
    caller: &Caller,
    entries: &[&Map<String, Value>],
    now: Timestamp,
) -> Result<Vec<NewShare>> {
    let mut shares = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let share = accept(app, caller, Form::of(entry), now).await;
        shares.push(share.map_err(|error| of_entry(index, error))?);
    }
    Ok(shares)
}

/// The share that a form asks for. Who is not there, a machine, and somebody of another manufacturer are alike: not found.
///
/// # Errors
/// 404 when the device is not in the caller's scope, 403 when it is not the caller's to share, 422 with what is wrong.
pub(super) async fn accept(app: &App, caller: &Caller, form: Form<'_>, now: Timestamp) -> Result<NewShare> {
    const NOBODY: &str = "not found";
    let wish = Wish::read(form, now)?;
    let device = caller.device(app, DeviceRef::Dsn(wish.dsn), Action::ShareDevice).await?;
    let refused = |text: &str| Error::invalid("user_email", text);
    let user = store::users::credentials(&app.db, caller.0.oem_id, wish.email).await?;
    let user = user.filter(|user| user.application_id.is_none()).ok_or_else(|| refused(NOBODY))?;
    let recipient = store::roles::principal(&app.db, user.who.id).await?.ok_or_else(|| refused(NOBODY))?;
    if user.who.id == caller.0.user_id || device.owner_id == Some(user.who.id) {
        return Err(refused("has the device already"));
    }
    if !policy::may_receive_shares(recipient.kind) {
        return Err(refused("has a role, which says which devices they see"));
    }
    Ok(NewShare {
        device_id: device.id,
        owner_id: caller.0.user_id,
        user_id: user.who.id,
        right: wish.right.resolve(&app.db, caller.0.oem_id).await?,
        period: wish.period,
    })
}

/// Makes the shares, all or none; answers them in their order.
///
/// # Errors
/// 404 when one is there already, 422 when there are too many.
pub(super) async fn make(app: &App, caller: &Caller, shares: &[NewShare], now: Timestamp) -> Result<Vec<ShareRow>> {
    let mut tx = app.db.begin().await?;
    store::users::lock_rows(&mut tx, caller.0.user_id).await?;
    // Held in the order of their keys, so that nobody sends one back to stock meanwhile, and no two callers wait for each other.
    for device_id in shares.iter().map(|share| share.device_id).collect::<BTreeSet<_>>() {
        if store::device_edits::lock_rows(&mut tx, caller.0.oem_id, device_id).await? != Some(true) {
            return Err(Error::invalid("resource_id", "is not registered"));
        }
    }
    let mut ids = Vec::with_capacity(shares.len());
    for share in shares {
        ids.push(store::shares::insert(&mut tx, share, now).await?.ok_or(GRANTED)?);
        if store::shares::count_of_device(&mut tx, share.device_id, now).await? > OF_DEVICE {
            return Err(Error::invalid("resource_id", format!("is shared too often (max: {OF_DEVICE})")));
        }
    }
    if store::shares::count_given(&mut tx, caller.0.user_id, now).await? > GIVEN {
        return Err(Error::invalid("base", format!("has too many shares (max: {GIVEN})")));
    }
    tx.commit().await?;
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        rows.extend(store::shares::find(&app.db, id, now).await?);
    }
    Ok(rows)
}

/// The same, with the number of the entry, which begins with 1.
fn of_entry(index: usize, error: Error) -> Error {
    let Error::Invalid(fields) = error else { return error };
    let texts = fields.into_iter().flat_map(|(field, texts)| texts.into_iter().map(move |text| (field, text)));
    let texts = texts.map(|(field, text)| format!("{}: {field} {text}", index + 1)).collect();
    Error::Invalid([("shares", texts)].into())
}

//! Reads the entries of a request that creates several shares.

use serde_json::{Map, Value};

use super::input::read_share;
use crate::app::App;
use crate::http::error::{Error, Result};
use crate::http::extract::Caller;
use crate::http::form::Form;
use crate::store::shares::NewShare;

/// Maximum number of shares of one request: other writers wait for its transaction.
const MAX_ENTRIES: usize = 100;

/// The entries of `shares`; `None` if the member is missing.
///
/// # Errors
/// 422 unless it is a list of 1 to [`MAX_ENTRIES`] objects.
pub(super) fn entries(body: &Map<String, Value>) -> Result<Option<Vec<&Map<String, Value>>>> {
    let invalid = |text: String| Error::invalid("shares", text);
    match body.get("shares") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(entries)) if entries.is_empty() => Err(invalid("can't be blank".to_owned())),
        Some(Value::Array(entries)) if entries.len() > MAX_ENTRIES => {
            Err(invalid(format!("has too many entries (max: {MAX_ENTRIES})")))
        }
        Some(Value::Array(entries)) if entries.iter().all(Value::is_object) => {
            Ok(Some(entries.iter().filter_map(Value::as_object).collect()))
        }
        Some(_) => Err(invalid("is not a list of objects".to_owned())),
    }
}

/// Reads the entries of a list.
///
/// # Errors
/// Like [`read`], for the first entry that fails. A 422 names its position.
pub(super) async fn read_all(app: &App, caller: &Caller, entries: &[&Map<String, Value>]) -> Result<Vec<NewShare>> {
    let mut shares = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let share = read(app, caller, Form::of(entry)).await;
        shares.push(share.map_err(|error| of_entry(index, error))?);
    }
    Ok(shares)
}

/// Reads one share.
///
/// # Errors
/// 404 if the device is not in the caller's scope, 403 if the caller may not share it, 422 with all invalid fields.
pub(super) async fn read(app: &App, caller: &Caller, form: Form<'_>) -> Result<NewShare> {
    let input = read_share(form, app.clock.now())?;
    Ok(app.sharing().resolve(&caller.0, input).await?)
}

/// Prefixes the texts of an error with the position of its entry, counted from 1.
fn of_entry(index: usize, error: Error) -> Error {
    let Error::Invalid(fields) = error else { return error };
    let texts = fields.into_iter().flat_map(|(field, texts)| texts.into_iter().map(move |text| (field, text)));
    let texts = texts.map(|(field, text)| format!("{}: {field} {text}", index + 1)).collect();
    Error::Invalid([("shares", texts)].into())
}

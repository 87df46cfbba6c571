//! Errors of writes with several parts, which stop at the first failure.

use crate::http::error::{ApiError, FieldErrors};

/// A part, with its name in requests and its label on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) field: &'static str,
    pub(crate) label: &'static str,
}

/// The error of a part, naming the parts that were saved before it.
pub(crate) fn stopped(failed: Part, saved: &[Part], cause: ApiError) -> ApiError {
    stopped_in("saved", failed, saved, cause)
}

/// As [`stopped`], for a removal in several parts.
pub(crate) fn not_removed(failed: Part, removed: &[Part], cause: ApiError) -> ApiError {
    stopped_in("removed", failed, removed, cause)
}

fn stopped_in(done: &str, failed: Part, before: &[Part], cause: ApiError) -> ApiError {
    let reason = cause.to_string();
    let mut detail = format!("{} was not {done}: {}.", failed.label, reason.trim_end_matches('.'));
    if !before.is_empty() {
        let mut labels: Vec<&str> = before.iter().map(|part| part.label).collect();
        labels.dedup();
        detail.push_str(&format!(" Already {done}: {}.", labels.join(", ")));
    }
    let errors = FieldErrors::from([(failed.field.to_owned(), vec![reason])]);
    ApiError::Stopped { cause: Box::new(cause), detail, errors }
}

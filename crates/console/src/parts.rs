//! A write of several parts, which stops at the first that fails.

use crate::error::{ApiError, FieldErrors};

/// A part, under its two names: in the request and on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) field: &'static str,
    pub(crate) label: &'static str,
}

/// The failure of one part of several, with what was saved before it.
pub(crate) fn stopped(failed: Part, saved: &[Part], cause: ApiError) -> ApiError {
    let reason = cause.to_string();
    let mut detail = format!("{} was not saved: {}.", failed.label, reason.trim_end_matches('.'));
    if !saved.is_empty() {
        let mut labels: Vec<&str> = saved.iter().map(|part| part.label).collect();
        labels.dedup();
        detail.push_str(&format!(" Already saved: {}.", labels.join(", ")));
    }
    let errors = FieldErrors::from([(failed.field.to_owned(), vec![reason])]);
    ApiError::Stopped { cause: Box::new(cause), detail, errors }
}

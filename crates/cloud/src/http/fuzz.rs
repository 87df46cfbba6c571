//! Reads bytes as the body of a request, for fuzz tests.

use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use futures::FutureExt;

use super::body::Body;
use super::form::{Form, fits};

const MAX: usize = 40;

/// Reads a body as JSON and as a form, and its members as every type of field.
///
/// # Panics
/// If a field that its type does not allow is accepted.
pub fn body(bytes: &[u8]) {
    for kind in ["application/json", "application/x-www-form-urlencoded"] {
        let request =
            Request::builder().header(CONTENT_TYPE, kind).body(bytes.to_vec().into()).expect("a valid header");
        let read = Body::from_request(request, &()).now_or_never().expect("the whole body is there");
        let Ok(Body(members)) = read else { continue };
        for form in [Ok(Form::of(&members)), Form::under(&members, "user"), Form::under_or_bare(&members, "user")] {
            let Ok(mut form) = form else { continue };
            assert!(form.text("name", MAX).is_none_or(|text| fits(text, MAX)));
            assert!(fits(form.required("name", MAX), MAX));
            assert!(fits(form.any_text("name", MAX), MAX));
            let range = 0.0..=100.0;
            assert!(range.contains(&form.number("number", &range)));
            assert!(form.whole("number", 0..=100).is_none_or(|number| (0..=100).contains(&number)));
            let list = form.list("list", MAX).unwrap_or_default();
            assert!(list.iter().all(|text| fits(text, MAX)));
            form.flag("flag");
            form.unsupported(&["name"]);
            let _ = form.inner("application").check();
        }
    }
}

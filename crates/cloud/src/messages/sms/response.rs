//! Interprets responses of an SMS gateway. Only numbers are logged: the message may quote the phone number and the
//! text.

use jiff::fmt::rfc2822::DateTimeParser;
use jiff::{SignedDuration, Timestamp};
use reqwest::StatusCode;
use serde::Deserialize;

use crate::records::message::DeliveryError;

/// Upper bound for the delay that a gateway asks for.
const MAX_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(1);

/// Twilio's error body; the codes are documented at twilio.com/docs/api/errors.
#[derive(Deserialize)]
struct ErrorBody {
    code: i64,
}

/// The error of an error response.
pub(super) fn refusal(status: StatusCode, retry_after: Option<&str>, body: &[u8], now: Timestamp) -> DeliveryError {
    let reason = match serde_json::from_slice(body) {
        Ok(ErrorBody { code }) => format!("the text gateway responded {}, code {code}", status.as_u16()),
        Err(_) => format!("the text gateway responded {}", status.as_u16()),
    };
    DeliveryError {
        permanent: is_about_the_text(status),
        reason,
        not_before: retry_after.and_then(|text| parse_retry_after(text, now)),
    }
}

/// Whether a response may be a web page, such as the login page of a proxy or of a server that is no gateway.
pub(super) fn may_be_page(content_type: &str) -> bool {
    content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
}

/// Whether the body is a web page. Simple gateways may send plain text with the type of a page.
pub(super) fn is_page(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<")
}

/// A web page was returned: nobody has accepted the text.
pub(super) fn web_page(status: StatusCode) -> DeliveryError {
    DeliveryError::transient(&format!("the text gateway responded {} with a web page", status.as_u16()))
}

/// The error when there was no response.
pub(super) fn no_response(error: &reqwest::Error) -> DeliveryError {
    if error.is_timeout() {
        return DeliveryError::transient("the text gateway took too long");
    }
    // Only the causes: the error itself contains the URL, which can contain the account.
    let mut cause = std::error::Error::source(error);
    let mut last = String::new();
    while let Some(error) = cause {
        last = error.to_string();
        cause = error.source();
    }
    let what = if error.is_connect() { "was not reached" } else { "gave no answer" };
    DeliveryError::transient(&format!("the text gateway {what}: {last}"))
}

/// Whether a retry would fail the same way. Wrong credentials and URLs are configuration errors that an operator can
/// fix.
fn is_about_the_text(status: StatusCode) -> bool {
    let configuration = [
        StatusCode::UNAUTHORIZED,
        StatusCode::PAYMENT_REQUIRED,
        StatusCode::FORBIDDEN,
        StatusCode::NOT_FOUND,
        StatusCode::METHOD_NOT_ALLOWED,
        StatusCode::PROXY_AUTHENTICATION_REQUIRED,
    ];
    // Conflict: a request with the same Idempotency-Key is still being processed.
    let temporary =
        [StatusCode::REQUEST_TIMEOUT, StatusCode::CONFLICT, StatusCode::TOO_EARLY, StatusCode::TOO_MANY_REQUESTS];
    status.is_client_error() && !configuration.contains(&status) && !temporary.contains(&status)
}

/// `Retry-After`: seconds, or a date.
fn parse_retry_after(text: &str, now: Timestamp) -> Option<Timestamp> {
    let at = match text.trim().parse::<u32>() {
        Ok(seconds) => now + SignedDuration::from_secs(seconds.into()),
        Err(_) => DateTimeParser::new().parse_timestamp(text.trim()).ok()?,
    };
    Some(at.min(now + MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-11-20T10:00:00Z";

    fn read(status: u16, retry_after: Option<&str>, body: &str) -> DeliveryError {
        refusal(StatusCode::from_u16(status).unwrap(), retry_after, body.as_bytes(), NOW.parse().unwrap())
    }

    #[test]
    fn errors_about_the_text_are_permanent_and_others_are_not() {
        for status in [400, 406, 410, 413, 415, 422] {
            assert!(read(status, None, "").permanent, "{status}");
        }
        for status in [302, 307, 401, 402, 403, 404, 405, 407, 408, 409, 425, 429, 500, 502, 503, 504, 599] {
            assert!(!read(status, None, "").permanent, "{status}");
        }
    }

    #[test]
    fn reason_contains_status_and_code_but_not_the_message() {
        let twilio = r#"{"code": 21211, "message": "The 'To' number +33612345678 is not valid.", "status": 400}"#;
        assert_eq!(read(400, None, twilio).reason, "the text gateway responded 400, code 21211");
        for body in ["", "no +33612345678", "[]", r#"{"code":"+33612345678"}"#, "{\"code\":21211"] {
            assert_eq!(read(500, None, body).reason, "the text gateway responded 500", "{body}");
        }
    }

    #[test]
    fn web_page_is_recognised_by_type_and_first_character() {
        assert!(["text/html", "Text/HTML ; charset=utf-8"].into_iter().all(may_be_page));
        assert!(!["", "application/json", "application/xml", "text/html5"].into_iter().any(may_be_page));
        assert!(["<html>", "\r\n <!doctype html><title>Sign in</title>"].iter().all(|body| is_page(body.as_bytes())));
        assert!(!["", "OK", r#"{"sid":"SM1"}"#].iter().any(|body| is_page(body.as_bytes())));
    }

    #[test]
    fn gateway_delays_a_retry_by_at_most_one_hour() {
        for (text, at) in [
            ("120", Some("2026-11-20T10:02:00Z")),
            (" 0 ", Some("2026-11-20T10:00:00Z")),
            ("Fri, 20 Nov 2026 10:05:00 GMT", Some("2026-11-20T10:05:00Z")),
            ("Fri, 20 Nov 2026 09:00:00 GMT", Some("2026-11-20T09:00:00Z")),
            ("86400", Some("2026-11-20T11:00:00Z")),
            ("4294967295", Some("2026-11-20T11:00:00Z")),
            ("4294967296", None),
            ("-5", None),
            ("soon", None),
            ("", None),
        ] {
            let expected = at.map(|at| at.parse().unwrap());
            assert_eq!(read(429, Some(text), "").not_before, expected, "{text}");
        }
        assert_eq!(read(429, None, "").not_before, None);
    }
}

//! Access tokens. A program sends a secret, as a browser sends its cookie.

use std::collections::BTreeSet;

use axum::http::{HeaderMap, header};
use jiff::Timestamp;

use super::SessionId;
use crate::policy::TokenRight;

/// The longest lifetime of a token, in days.
pub(crate) const MAX_DAYS: u16 = 365;
/// The beginning of every token, by which scanners find one that has leaked.
const PREFIX: &str = "sillage_";
const SCHEME: &str = "bearer";

/// What distinguishes the session of a program from that of a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AccessToken {
    /// The user's name for it.
    pub(crate) name: String,
    pub(crate) rights: BTreeSet<TokenRight>,
    /// When it ends, even if it is in use.
    pub(crate) expires_at: Timestamp,
}

impl SessionId {
    /// The token of a program's session, as the program sends it.
    pub(crate) fn to_token(&self) -> String {
        format!("{PREFIX}{}", self.to_hex())
    }

    /// Parses a token; `None` if the console cannot have issued it.
    fn from_token(text: &str) -> Option<Self> {
        Self::from_hex(text.strip_prefix(PREFIX)?)
    }
}

/// Whether the request is that of a program. Its cookies do not count then, even if its token is not valid.
pub(crate) fn has_bearer(headers: &HeaderMap) -> bool {
    bearers(headers).next().is_some()
}

/// The id in the only access token of the request.
pub(crate) fn read_bearer(headers: &HeaderMap) -> Option<SessionId> {
    let mut bearers = bearers(headers);
    let (first, second) = (bearers.next()?, bearers.next());
    SessionId::from_token(first.trim_start()).filter(|_| second.is_none())
}

/// The credentials of every header of the scheme.
fn bearers(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers.get_all(header::AUTHORIZATION).iter().filter_map(|value| {
        let (scheme, rest) = value.to_str().ok()?.split_at_checked(SCHEME.len())?;
        (scheme.eq_ignore_ascii_case(SCHEME) && (rest.is_empty() || rest.starts_with(' '))).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn only_one_well_formed_token_is_read() {
        let id = SessionId::new([7; 32]);
        let token = id.to_token();
        assert_eq!(token, format!("sillage_{}", "07".repeat(32)));
        for value in [format!("Bearer {token}"), format!("bearer  {token}"), format!("BEARER {token}")] {
            assert_eq!(read_bearer(&headers(&[&value])), Some(id.clone()), "{value}");
        }
        let bearer = format!("Bearer {token}");
        for values in [
            &["Bearer"][..],
            &["Bearer "],
            &["Bearer x"],
            &["Bearer sillage_"],
            &[&format!("Bearer {}", id.to_hex())],
            &[&format!("{bearer}0")],
            &[&bearer[..bearer.len() - 1]],
            &[&format!("{bearer} {token}")],
            &[&bearer, &bearer],
        ] {
            assert_eq!(read_bearer(&headers(values)), None, "{values:?}");
            assert!(has_bearer(&headers(values)), "{values:?}");
        }
    }

    #[test]
    fn other_schemes_are_not_programs() {
        let token = SessionId::new([7; 32]).to_token();
        for value in ["", "Basic eDp5", "Bearerx", &token, &format!("Token {token}")] {
            assert!(!has_bearer(&headers(&[value])), "{value}");
            assert_eq!(read_bearer(&headers(&[value])), None, "{value}");
        }
        assert!(!has_bearer(&HeaderMap::new()));
    }
}

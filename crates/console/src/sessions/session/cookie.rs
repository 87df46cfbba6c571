//! The cookies of sessions and of pending sign-ins.

use axum::http::{HeaderMap, header};
use axum::response::AppendHeaders;
use axum_extra::extract::cookie::{Cookie, SameSite};
use jiff::SignedDuration;

use super::{SessionId, has_bearer};

/// Name and attributes of the session cookie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionCookie {
    /// Whether browsers reach the console by https.
    https: bool,
    is_pending: bool,
}

type SetCookie = AppendHeaders<[(header::HeaderName, String); 1]>;

impl SessionCookie {
    pub(crate) const fn new(https: bool) -> Self {
        Self { https, is_pending: false }
    }

    /// The cookie of a sign-in whose second factor is not checked yet. It has another name, so that no operation takes it for a
    /// session.
    pub(crate) const fn of_pending_sign_in(self) -> Self {
        Self { is_pending: true, ..self }
    }

    fn name(self) -> &'static str {
        match (self.https, self.is_pending) {
            (true, false) => "__Host-sillage",
            (false, false) => "sillage",
            (true, true) => "__Host-sillage-sign-in",
            (false, true) => "sillage-sign-in",
        }
    }

    /// Reads the session id. Another path or port of the same host may have set a cookie of the same name, so the first valid
    /// one counts. Cookies of a request with an access token are ignored: a program sent it.
    pub(crate) fn read(self, headers: &HeaderMap) -> Option<SessionId> {
        if has_bearer(headers) {
            return None;
        }
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(Cookie::split_parse)
            .filter_map(Result::ok)
            .filter(|cookie| cookie.name() == self.name())
            .find_map(|cookie| SessionId::from_hex(cookie.value()))
    }

    /// Sets the cookie, which the browser deletes after `lasts`.
    pub(crate) fn issue(self, id: &SessionId, lasts: SignedDuration) -> SetCookie {
        self.set(id.to_hex(), lasts.as_secs())
    }

    /// Deletes the cookie.
    pub(crate) fn clear(self) -> SetCookie {
        self.set(String::new(), 0)
    }

    fn set(self, value: String, max_age_secs: i64) -> SetCookie {
        let mut cookie = Cookie::build((self.name(), value)).path("/").http_only(true).same_site(SameSite::Lax).build();
        if self.https {
            cookie.set_secure(true);
        }
        AppendHeaders([(header::SET_COOKIE, format!("{cookie}; Max-Age={max_age_secs}"))])
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;

    const HTTP: SessionCookie = SessionCookie::new(false);
    const HTTPS: SessionCookie = SessionCookie::new(true);

    fn headers(cookie: &str) -> HeaderMap {
        [(header::COOKIE, cookie.parse().unwrap())].into_iter().collect()
    }

    fn set_cookie(answer: SetCookie) -> String {
        answer.into_response().headers()[header::SET_COOKIE].to_str().unwrap().to_owned()
    }

    #[test]
    fn cookie_over_https_has_the_host_prefix_and_is_secure() {
        let id = SessionId::new([7; 32]);
        let expected =
            format!("__Host-sillage={}; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=60", "07".repeat(32));
        assert_eq!(set_cookie(HTTPS.issue(&id, SignedDuration::from_secs(60))), expected);
    }

    #[test]
    fn cookie_over_http_has_no_host_prefix_and_is_not_secure() {
        let id = SessionId::new([7; 32]);
        let expected = format!("sillage={}; HttpOnly; SameSite=Lax; Path=/; Max-Age=60", "07".repeat(32));
        assert_eq!(set_cookie(HTTP.issue(&id, SignedDuration::from_secs(60))), expected);
        assert_eq!(set_cookie(HTTP.clear()), "sillage=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0");
    }

    #[test]
    fn issued_cookie_is_read_back() {
        let id = SessionId::new([9; 32]);
        let cookie = format!("theme=dark; sillage={}; other=1", id.to_hex());
        assert_eq!(HTTP.read(&headers(&cookie)), Some(id.clone()));
        assert_eq!(HTTPS.read(&headers(&cookie)), None, "a cookie without the prefix is not ours on https");
        let two = format!("sillage=junk; sillage={}", id.to_hex());
        assert_eq!(HTTP.read(&headers(&two)), Some(id));
    }

    #[test]
    fn cookie_of_a_pending_sign_in_is_no_session_cookie() {
        let id = SessionId::new([7; 32]);
        for (cookie, name) in [(HTTP, "sillage-sign-in"), (HTTPS, "__Host-sillage-sign-in")] {
            let issued = set_cookie(cookie.of_pending_sign_in().issue(&id, SignedDuration::from_secs(300)));
            assert!(issued.starts_with(&format!("{name}={}; HttpOnly", id.to_hex())), "{issued}");
            let sent = headers(&format!("{name}={}", id.to_hex()));
            assert_eq!((cookie.read(&sent), cookie.of_pending_sign_in().read(&sent)), (None, Some(id.clone())));
            let session = headers(&format!("{}={}", cookie.name(), id.to_hex()));
            assert_eq!(cookie.of_pending_sign_in().read(&session), None);
        }
    }

    #[test]
    fn cookie_beside_an_access_token_does_not_count() {
        let id = SessionId::new([9; 32]);
        let mut headers = headers(&format!("sillage={}", id.to_hex()));
        headers.insert(header::AUTHORIZATION, "Basic eDp5".parse().unwrap());
        assert_eq!(HTTP.read(&headers), Some(id), "of a proxy");
        for value in ["Bearer", "Bearer x", "bearer sillage_00"] {
            headers.insert(header::AUTHORIZATION, value.parse().unwrap());
            assert_eq!(HTTP.read(&headers), None, "{value}");
        }
    }

    #[test]
    fn unknown_cookie_has_no_session() {
        for value in ["", "x", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64), "%00"] {
            assert_eq!(HTTP.read(&headers(&format!("sillage={value}"))), None, "{value:?}");
        }
        assert_eq!(HTTP.read(&HeaderMap::new()), None);
    }
}

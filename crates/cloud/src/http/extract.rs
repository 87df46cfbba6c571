//! The caller, from an access token in any form that clients send (docs/wire.md#requests).

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::error::{Error, Service};
use super::limits;
use crate::app::App;
use crate::devices::access;
use crate::domain::policy::{self, Action, DeviceScope};
use crate::domain::principal::Principal;
use crate::store;
use crate::store::devices::{DeviceRef, DeviceRow};

/// The signed-in user with their current rights. A request without a valid token is rejected with 401, and
/// one beyond the limits of its user or address with 429.
pub(super) struct Caller(pub(super) Principal);

/// The access token of a request, valid or not.
pub(super) struct AccessToken(pub(super) Option<String>);

impl Caller {
    pub(super) fn scope(&self, app: &App) -> DeviceScope {
        policy::device_scope(&self.0, app.clock.now())
    }

    /// Whether the caller may perform the action on a device in their scope.
    pub(super) fn may(&self, device: &DeviceRow, action: Action) -> bool {
        device.allows(self.0.kind, action)
    }

    /// The device, if the caller may perform the action on it.
    ///
    /// # Errors
    /// 404 if it is not in the caller's scope, 403 if the caller may not perform the action.
    pub(super) async fn device(&self, app: &App, device: DeviceRef<'_>, action: Action) -> Result<DeviceRow, Error> {
        Ok(access::find(&app.db, &self.0, device, action, app.clock.now()).await?)
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        if let Some(token) = token(&parts.headers) {
            let slot = limits::enter_token(app, token, parts).await?;
            if let Some(principal) = store::sessions::authenticate(&app.db, token, app.clock.now()).await? {
                limits::enter(app, &principal, token, slot, parts).await?;
                return Ok(Self(principal));
            }
            app.limits.forget_token(token);
        } else {
            limits::count_address(app, parts)?;
        }
        Err(Error::Unauthenticated(Service::of(parts.uri.path())))
    }
}

impl FromRequestParts<App> for AccessToken {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Self::Rejection> {
        Ok(Self(token(&parts.headers).map(str::to_owned)))
    }
}

/// `auth_token T`, `Bearer T` or just `T`.
fn token(headers: &HeaderMap) -> Option<&str> {
    let header = headers.get(AUTHORIZATION)?.to_str().ok()?.trim();
    let token = match header.split_once(' ') {
        None => header,
        Some((scheme, token)) if ["auth_token", "bearer"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) => {
            token.trim()
        }
        Some(_) => return None,
    };
    (!token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_read_in_every_format() {
        let table = [
            ("auth_token abc", Some("abc")),
            ("Auth_Token  abc ", Some("abc")),
            ("Bearer abc", Some("abc")),
            ("bearer abc", Some("abc")),
            ("abc", Some("abc")),
            ("Basic abc", None),
            ("", None),
            ("auth_token ", Some("auth_token")),
        ];
        for (header, expected) in table {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, header.parse().unwrap())]);
            assert_eq!(token(&headers), expected, "{header:?}");
        }
        assert_eq!(token(&HeaderMap::new()), None);
    }
}

//! Describes in the API document how callers sign in: browsers with a cookie, programs with an access token.

use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{OpenApi, PathItem};

use crate::policy::TOKEN_SCHEME;

const SESSION: &str = "session";

/// Adds the session to the schemes of every operation of `signed_in`, before the token whose right the route declares, and defines
/// both in `document`.
pub(crate) fn describe(document: &mut OpenApi, signed_in: &mut OpenApi) {
    for item in signed_in.paths.paths.values_mut() {
        let PathItem { get, post, put, delete, .. } = item;
        for operation in [get, post, put, delete].into_iter().flatten() {
            let session = SecurityRequirement::new(SESSION, [""; 0]);
            operation.security.get_or_insert_default().insert(0, session);
        }
    }
    let cookie = "The cookie of POST /api/session; `__Host-sillage` over https.";
    let token = "An access token of /account, which has the named right of the operation. A right to write contains the right to \
                 read.";
    let components = document.components.get_or_insert_default();
    components.add_security_scheme(
        SESSION,
        SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description("sillage", cookie))),
    );
    components.add_security_scheme(
        TOKEN_SCHEME,
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(token)).build()),
    );
}

//! Describes in the API document how callers sign in: browsers with a cookie, programs with an access token.

use axum::http::Method;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};

use crate::policy::TokenRight;

const SESSION: &str = "session";
const TOKEN: &str = "token";

/// Adds the schemes to every operation of `signed_in`, with the right that a token requires, and defines them in `document`.
pub(crate) fn describe(document: &mut OpenApi, signed_in: &mut OpenApi) {
    for (path, item) in &mut signed_in.paths.paths {
        let operations = [
            (Method::GET, &mut item.get),
            (Method::POST, &mut item.post),
            (Method::PUT, &mut item.put),
            (Method::DELETE, &mut item.delete),
        ];
        for (method, operation) in operations {
            let Some(operation) = operation else { continue };
            let right = TokenRight::of_operation(&method, path);
            let token = right.map(|right| SecurityRequirement::new(TOKEN, [right.name()]));
            let session = SecurityRequirement::new(SESSION, [""; 0]);
            operation.security = Some([session].into_iter().chain(token).collect());
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
        TOKEN,
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(token)).build()),
    );
}

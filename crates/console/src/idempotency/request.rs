//! Requests with a key.

use axum::http::request::Parts;
use diffuser::Role;
use sha2::{Digest, Sha256};
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Ref, RefOr};

use super::store::UserKey;
use super::{HEADER, MAX_LENGTH};
use crate::policy::Actor;
use crate::secrets::sealed_column::{SealedColumn, sealed_column};

/// The name of the parameter in the components of the API document.
const COMPONENT: &str = "IdempotencyKey";

/// The digests of requests.
pub(crate) const REQUESTS: SealedColumn = sealed_column!(
    "requests for repetitions", "idempotency_keys", "user_id || ' ' || key", "request",
    |row| format!("request {row}").into_bytes(), is_discardable: true
);
/// The responses to them.
pub(crate) const RESPONSES: SealedColumn = sealed_column!(
    "responses for repetitions", "idempotency_keys", "user_id || ' ' || key", "response",
    |row| format!("response {row}").into_bytes(), is_discardable: true
);

/// A write of a user with a key.
pub(super) struct KeyedRequest {
    pub(super) key: UserKey,
    /// SHA-256 of method, path, query and body.
    pub(super) digest: [u8; 32],
    /// The role and CSP with which the user sends it.
    pub(super) access: String,
}

impl KeyedRequest {
    pub(super) fn new(actor: &Actor, key: &str, parts: &Parts, body: &[u8]) -> Self {
        let path = parts.uri.path_and_query().map_or("", |path| path.as_str());
        let mut digest = Sha256::new();
        for part in [parts.method.as_str().as_bytes(), path.as_bytes(), body] {
            // The length separates the parts unambiguously.
            digest.update(part.len().to_be_bytes());
            digest.update(part);
        }
        let access = format!("{} {}", actor.role.map_or("", Role::name), actor.csp.as_deref().unwrap_or_default());
        Self { key: UserKey { user: actor.user, key: key.to_owned() }, digest: digest.finalize().into(), access }
    }

    /// What binds the encrypted digest to user and key.
    pub(super) fn digest_context(&self) -> Vec<u8> {
        (REQUESTS.context)(&self.row())
    }

    /// What binds the encrypted response to user and key.
    pub(super) fn response_context(&self) -> Vec<u8> {
        (RESPONSES.context)(&self.row())
    }

    /// The key of the row, as in [`REQUESTS`].
    fn row(&self) -> String {
        format!("{} {}", self.key.user, self.key.key)
    }
}

/// Marks an operation in the API document that changes no record although its method is not GET: it takes no key.
const READS: &str = "x-reads";

/// Adds the header to the description of every operation of `signed_in` that writes, and defines it in `document`.
pub(crate) fn describe(document: &mut OpenApi, signed_in: &mut OpenApi) {
    for item in signed_in.paths.paths.values_mut() {
        let is_write = |operation: &&mut Operation| !is_read(operation);
        for write in [&mut item.post, &mut item.put, &mut item.delete].into_iter().flatten().filter(is_write) {
            let reference = Ref::new(format!("#/components/parameters/{COMPONENT}"));
            write.parameters.get_or_insert_default().push(RefOr::Ref(reference));
        }
    }
    document.components.get_or_insert_default().parameters.insert(COMPONENT.to_owned(), RefOr::T(parameter()));
}

fn is_read(operation: &Operation) -> bool {
    operation.extensions.as_ref().is_some_and(|extensions| extensions.contains_key(READS))
}

fn parameter() -> Parameter {
    let schema = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(MAX_LENGTH));
    ParameterBuilder::new()
        .name(HEADER)
        .parameter_in(ParameterIn::Header)
        .description(Some("A random key of the submission. Repeating it within 24 hours returns the first response"))
        .schema(Some(schema))
        .build()
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use uuid::Uuid;

    use super::*;
    use crate::policy::session_hash::SessionHash;

    fn request(user: u128, csp: &str, method: &str, uri: &str, body: &str) -> KeyedRequest {
        let actor = Actor {
            session: SessionHash::of(&[1; 32]),
            user: Uuid::from_u128(user),
            role: Some(Role::CspTech),
            csp: Some(csp.to_owned()),
        };
        let (parts, ()) = Request::builder().method(method).uri(uri).body(()).unwrap().into_parts();
        KeyedRequest::new(&actor, "key", &parts, body.as_bytes())
    }

    #[test]
    fn digest_covers_method_path_query_and_body() {
        let first = request(1, "North", "PUT", "/a/b?c=1", "{}");
        assert_eq!(request(2, "South", "PUT", "/a/b?c=1", "{}").digest, first.digest);
        for (method, uri, body) in [
            ("POST", "/a/b?c=1", "{}"),
            ("PUT", "/a/bc?c=1", "{}"),
            ("PUT", "/a/b?c=2", "{}"),
            ("PUT", "/a/b?c=1", "{ }"),
            ("PUT", "/a/b?c=", "1{}"),
        ] {
            assert_ne!(request(1, "North", method, uri, body).digest, first.digest, "{method} {uri} {body}");
        }
    }

    #[test]
    fn encrypted_parts_belong_to_one_user_and_a_response_to_one_csp() {
        let first = request(1, "North", "PUT", "/", "");
        let (moved, other) = (request(1, "South", "PUT", "/", ""), request(2, "North", "PUT", "/", ""));
        assert_eq!(first.digest_context(), moved.digest_context());
        assert_ne!(first.digest_context(), other.digest_context());
        assert_ne!(first.access, moved.access);
        assert_ne!(first.response_context(), other.response_context());
        assert_ne!(first.response_context(), first.digest_context());
    }
}

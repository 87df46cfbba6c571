//! Encryption of secrets in the database, the check of the token key, and opaque ids.

pub(crate) mod cipher;
pub(crate) mod opaque_ids;
pub(crate) mod sealed_column;
pub(crate) mod token_key;

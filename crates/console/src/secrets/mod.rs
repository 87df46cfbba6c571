//! What is encrypted in the database, with the check of its key, and ids that disclose nothing.

pub(crate) mod cipher;
pub(crate) mod opaque_ids;
pub(crate) mod sealed_column;
pub(crate) mod token_key;

//! Files of an operator: secrets, lists of keys, and what only its owner may read.

pub(crate) mod device_key;
pub(crate) mod key_list;
pub(crate) mod private_file;
pub(crate) mod secrets;

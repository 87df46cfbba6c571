//! Options that several commands share.

pub(crate) mod bus;
pub(crate) mod database_option;
pub(crate) mod listen;
pub(crate) mod mail_options;
pub(crate) mod mqtts;
pub(crate) mod ready_file;
pub(crate) mod spelling;
pub(crate) mod store_kind;
pub(crate) mod tls;

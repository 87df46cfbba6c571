//! What happens to devices: users command them ([`commands`]), the device link speaks for them ([`link`]). Each change is
//! one transaction; after its commit the bus tells.

pub(crate) mod commands;
pub(crate) mod link;

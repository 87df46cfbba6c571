//! What happens to devices: users command them ([`commands`]) and change what they are ([`edits`]) and whose ([`labels`]), the
//! device link speaks for them ([`link`]), what is scheduled happens by itself ([`schedules`]). Each change is part of one
//! transaction; after its commit the bus tells. What devices say is kept in groups ([`writer`]).

pub(crate) mod commands;
pub(crate) mod edits;
mod group;
mod keep;
pub(crate) mod labels;
pub(crate) mod link;
mod linked;
mod said;
pub(crate) mod schedules;
mod writer;

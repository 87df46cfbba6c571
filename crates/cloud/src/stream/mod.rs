//! The data stream (docs/wire.md#stream): after a transaction commits, its events go over the bus to the [`hub`] of
//! every node, and from there to the sockets whose subscription and scope admit them.

pub(crate) mod event;
pub(crate) mod filter;
pub(crate) mod frame;
pub(crate) mod hub;
pub(crate) mod rights;
pub(crate) mod socket;
pub(crate) mod subscriptions;

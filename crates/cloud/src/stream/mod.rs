//! The data stream (wire-facts section 5): events go from the transaction's end over the bus to every node's [`hub`], and
//! from there to the sockets whose subscription and scope admit them.

pub(crate) mod event;
pub(crate) mod filter;
pub(crate) mod frame;
pub(crate) mod hub;
pub(crate) mod rights;
pub(crate) mod socket;

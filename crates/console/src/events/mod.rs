//! Notices that nodes send each other over the bus, and the hub that passes them to the readers on this node.

pub(crate) mod hub;
pub(crate) mod nodes;
pub(crate) mod notices;
pub(crate) mod own_commands;

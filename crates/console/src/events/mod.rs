//! What goes over the bus between nodes, and the readers on this node that it is for.

pub(crate) mod hub;
pub(crate) mod notices;
pub(crate) mod own_commands;

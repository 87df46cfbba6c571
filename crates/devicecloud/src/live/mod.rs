//! The live stream manager: a subscription and its stream for the devices of a session.

mod fleet;

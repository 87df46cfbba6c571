//! What the nodes on one database agree on: who does a task, who may run, what time it is, and what has expired.

pub mod clock_reading;
pub mod lease;
pub mod node_lock;
pub mod retention;

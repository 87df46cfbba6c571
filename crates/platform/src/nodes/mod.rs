//! Coordination of the nodes on one database: leases, the node lock, clock readings, and retention.

pub mod clock_reading;
pub mod lease;
pub mod node_lock;
pub mod retention;

//! What differs between one Sillage node and many, and the two things a test must be able to hold still.
//!
//! [`db`] is SQLite or PostgreSQL, chosen by URL at run time. [`bus`] tells the other parts (and later the other nodes)
//! that something changed, [`lease`] which node does what only one may do, [`node_lock`] that a node runs alone. [`clock`] and [`random`] are the only places where
//! the servers ask for time and chance.

pub mod bus;
pub mod clock;
pub mod db;
pub mod lease;
pub mod node_lock;
pub mod random;
#[cfg(feature = "testing")]
pub mod testing;

//! How much and how often: requests of users, applications and addresses, long lists, and batches that let others write in between.

pub(crate) mod batch_turns;
pub(crate) mod list_readers;
pub(crate) mod request_limits;

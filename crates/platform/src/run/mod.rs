//! What a running process needs: time, randomness, background tasks, and limits of rates and files. Knows no database.

pub mod clock;
pub mod file_limit;
pub mod log_interval;
pub mod random;
pub mod rate_limit;
pub mod supervisor;

//! Processor time of another process.

use std::time::Duration;

/// The processor time used by the process so far, in hundredths of a second.
pub(crate) fn of(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // User and system time are the 12th and 13th field after the name in parentheses.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

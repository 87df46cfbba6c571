//! The memory of a process.

use std::time::Duration;

use tokio::time::sleep;

const INTERVAL: Duration = Duration::from_millis(250);

/// The most memory that the process has allocated during this time, in MiB.
pub(crate) async fn peak(process: u32, time: Duration) -> f64 {
    let mut peak: f64 = 0.0;
    let end = crate::now() + time;
    while crate::now() < end {
        peak = peak.max(resident(process));
        sleep(INTERVAL).await;
    }
    peak
}

/// The memory that the process has allocated, in MiB.
pub(crate) fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    let kib: f64 = line.split_whitespace().next().unwrap().parse().unwrap();
    kib / 1024.0
}

//! The processes of the PostgreSQL server.

use std::time::Duration;

use platform::db::{Db, params};

/// The process that has started those of all sessions.
#[derive(Clone, Copy)]
pub(crate) struct Postmaster(u32);

impl Postmaster {
    pub(crate) async fn of(db: &Db) -> Self {
        let (session,): (i64,) = db.fetch_one("select pg_backend_pid()::bigint", params![]).await.unwrap();
        Self(Stat::read(&session.to_string()).unwrap().parent)
    }

    /// The processor time of all its processes that still run.
    pub(crate) fn processor_time(self) -> Duration {
        let processes = std::fs::read_dir("/proc").unwrap();
        let processes = processes.filter_map(|entry| Stat::read(entry.unwrap().file_name().to_str()?));
        processes.filter(|process| process.parent == self.0).map(|process| process.time).sum()
    }
}

struct Stat {
    parent: u32,
    time: Duration,
}

impl Stat {
    /// Reads `/proc/PROCESS/stat`. `None` for other folders and for processes that have ended.
    fn read(process: &str) -> Option<Self> {
        process.parse::<u32>().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The parent is the second field after the name in parentheses, user and system time are the 12th and 13th.
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        let number = |field: usize| fields[field].parse::<u64>().unwrap();
        let parent = u32::try_from(number(1)).unwrap();
        Some(Self { parent, time: Duration::from_millis((number(11) + number(12)) * 10) })
    }
}

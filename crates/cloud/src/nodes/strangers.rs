//! Detects nodes on another bus: their heartbeats arrive by the database only. Pure.

use std::collections::{HashMap, HashSet};

use crate::store::nodes::NodeRow;

/// A node that has sent so many heartbeats, none of them by the bus of this node, is on another one.
const PATIENCE: i64 = 10;
/// It is reported again after so many further ones: a minute.
const REPEAT: i64 = 60;

/// The count of heartbeats at which each other node is reported unless it is heard before.
#[derive(Debug, Default)]
pub(super) struct Strangers(HashMap<String, i64>);

impl Strangers {
    /// Records the nodes as read from the database, and those heard by the bus since the last call. Returns the nodes to report.
    pub(super) fn record<'a>(&mut self, rows: &'a [NodeRow], heard: &HashSet<String>) -> Vec<&'a NodeRow> {
        let before = std::mem::take(&mut self.0);
        let mut strangers = Vec::new();
        for row in rows.iter().filter(|row| !row.is_dead) {
            let known = before.get(&row.id).filter(|_| !heard.contains(&row.id));
            let mut due = known.map_or(row.beats + PATIENCE, |due| *due);
            if row.beats >= due {
                strangers.push(row);
                due = row.beats + REPEAT;
            }
            self.0.insert(row.id.clone(), due);
        }
        strangers
    }

    /// While the bus is down, nobody is heard.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds at which a node with a heartbeat a second is reported, if it is heard at these seconds.
    fn reported(seconds: i64, heard: impl Fn(i64) -> bool, is_dead: bool) -> Vec<i64> {
        let mut strangers = Strangers::default();
        let mut reported = Vec::new();
        for second in 0..seconds {
            let rows = [NodeRow { id: "a".to_owned(), beats: second, is_dead }];
            let heard = HashSet::from_iter(heard(second).then(|| "a".to_owned()));
            if !strangers.record(&rows, &heard).is_empty() {
                reported.push(second);
            }
        }
        reported
    }

    #[test]
    fn node_that_is_never_heard_is_reported_once_a_minute() {
        assert_eq!(reported(180, |_| false, false), [10, 70, 130]);
        assert_eq!(reported(180, |second| second % 9 == 0, false), [] as [i64; 0]);
        assert_eq!(reported(60, |second| second < 30, false), [39]);
        assert_eq!(reported(180, |_| false, true), [] as [i64; 0], "a dead node");
    }

    #[test]
    fn nobody_is_reported_for_a_time_without_a_bus() {
        let mut strangers = Strangers::default();
        let row = |beats| [NodeRow { id: "a".to_owned(), beats, is_dead: false }];
        assert!(strangers.record(&row(0), &HashSet::new()).is_empty());
        strangers.clear();
        assert!(strangers.record(&row(100), &HashSet::new()).is_empty());
        assert_eq!(strangers.record(&row(110), &HashSet::new()).len(), 1);
    }
}

//! Detects nodes without heartbeats. Pure. Only counts of heartbeats are compared, so that the clocks of nodes may differ.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use crate::store::nodes::NodeRow;

/// A node without heartbeats for this long is dead.
pub(super) const LIMIT: SignedDuration = SignedDuration::from_secs(6);
/// After a longer time without an observation, all nodes are observed anew: they, too, may have been unable to write.
pub(super) const MAX_GAP: SignedDuration = SignedDuration::from_secs(3);

/// What a node knows about the heartbeats of the others.
#[derive(Debug, Default)]
pub(super) struct Observations {
    at: Option<Timestamp>,
    nodes: HashMap<String, Observation>,
}

#[derive(Clone, Copy, Debug)]
struct Observation {
    beats: i64,
    /// When this count was first observed.
    since: Timestamp,
}

impl Observations {
    /// Records the nodes as read at `now`. Returns those that are without heartbeats for too long and not declared dead yet.
    pub(super) fn record<'a>(&mut self, rows: &'a [NodeRow], now: Timestamp) -> Vec<&'a NodeRow> {
        let is_continuous =
            self.at.is_some_and(|at| (SignedDuration::ZERO..=MAX_GAP).contains(&now.duration_since(at)));
        self.at = Some(now);
        let before = std::mem::take(&mut self.nodes);
        let mut silent = Vec::new();
        for row in rows.iter().filter(|row| !row.is_dead) {
            let known = before.get(&row.id).filter(|known| is_continuous && known.beats == row.beats);
            let since = known.map_or(now, |known| known.since);
            if now.duration_since(since) >= LIMIT {
                silent.push(row);
            }
            self.nodes.insert(row.id.clone(), Observation { beats: row.beats, since });
        }
        silent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn row(id: &str, beats: i64) -> NodeRow {
        NodeRow { id: id.into(), beats, is_dead: false }
    }

    /// The seconds at which node `a` is found dead, of observations of its count at these seconds.
    fn found(observed: &[(i64, i64)]) -> Vec<i64> {
        let mut observations = Observations::default();
        let is_dead = |(second, beats): &(i64, i64)| !observations.record(&[row("a", *beats)], at(*second)).is_empty();
        let seconds = observed.iter().map(|(second, _)| *second).collect::<Vec<_>>();
        let dead: Vec<bool> = observed.iter().map(is_dead).collect();
        seconds.into_iter().zip(dead).filter_map(|(second, is_dead)| is_dead.then_some(second)).collect()
    }

    #[test]
    fn node_is_dead_when_its_count_stands_still_for_the_limit() {
        let silent: Vec<(i64, i64)> = (0..=8).map(|second| (second, 7)).collect();
        let alive: Vec<(i64, i64)> = (0..=60).map(|second| (second, second / 5)).collect();
        let table = [
            ("no heartbeat", silent, vec![6, 7, 8]),
            ("a heartbeat every five seconds", alive, vec![]),
            ("a heartbeat just in time", vec![(0, 1), (3, 1), (5, 1), (6, 2), (9, 2), (11, 2), (12, 3)], vec![]),
            ("the observer paused", vec![(0, 1), (3, 1), (7, 1), (10, 1), (12, 1), (13, 1)], vec![13]),
            ("the observer's clock was set back", vec![(100, 1), (3, 1), (6, 1), (8, 1), (9, 1)], vec![9]),
            ("the observer's clock was set forward", vec![(0, 1), (2, 1), (4000, 1), (4003, 1), (4005, 1)], vec![]),
        ];
        for (name, observed, expected) in table {
            assert_eq!(found(&observed), expected, "{name}");
        }
    }

    #[test]
    fn nodes_are_observed_separately_and_dead_ones_not_at_all() {
        let mut observations = Observations::default();
        for second in 0..=6 {
            let rows = [row("alive", second), row("silent", 3), NodeRow { is_dead: true, ..row("dead", 1) }];
            let silent = observations.record(&rows, at(second));
            assert_eq!(silent, if second < 6 { vec![] } else { vec![&rows[1]] });
        }
        observations.record(&[], at(7));
        assert!(observations.record(&[row("silent", 3)], at(8)).is_empty(), "a node that returns is observed anew");
    }
}

//! Detects nodes that share the database but not the bus: their heartbeats arrive by the database only.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::{Bus, Delivery};

/// The subjects of heartbeats on the bus, which end with the id of the node.
const HEARTBEATS: &str = "nodes.";
/// A node that has sent so many heartbeats, none of them by the bus of this node, is on another one.
const PATIENCE: i64 = 10;
/// It is reported again after so many further ones.
const REPEAT: i64 = 60;

/// The other nodes on this database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Neighbors {
    bus: Bus,
    /// The nodes whose heartbeats arrived by the bus since the last check.
    heard: Arc<Mutex<HashSet<String>>>,
    strangers: Arc<Mutex<Strangers>>,
}

impl Neighbors {
    /// Hears nobody before [`listen`](Self::listen).
    #[must_use]
    pub fn new(bus: Bus) -> Self {
        Self { bus, heard: Arc::default(), strangers: Arc::default() }
    }

    /// Publishes a heartbeat that the database has counted.
    pub fn beat(&self, id: &str) {
        self.bus.publish(format!("{HEARTBEATS}{id}"), Bytes::new());
    }

    /// Notes the nodes that are heard by the bus, until the bus closes.
    pub async fn listen(&self) {
        let mut heartbeats = self.bus.subscribe(HEARTBEATS);
        while let Some(delivery) = heartbeats.next().await {
            if let Delivery::Message { subject, .. } = delivery {
                let id = subject.trim_start_matches(HEARTBEATS).to_owned();
                self.heard.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
            }
        }
    }

    /// Records the other living nodes and the numbers of their heartbeats as read from the database. Returns those that turn out to be on
    /// another bus: after ten heartbeats, and again after each 60 further ones. While the bus is down, nobody is.
    pub fn check<'a>(&self, nodes: impl IntoIterator<Item = (&'a str, i64)>) -> Vec<&'a str> {
        let heard = std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner));
        let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        if self.bus.is_connected() {
            strangers.record(nodes, &heard)
        } else {
            strangers.0.clear();
            Vec::new()
        }
    }
}

/// The count of heartbeats at which each other node is reported unless it is heard before.
#[derive(Debug, Default)]
struct Strangers(HashMap<String, i64>);

impl Strangers {
    fn record<'a>(&mut self, nodes: impl IntoIterator<Item = (&'a str, i64)>, heard: &HashSet<String>) -> Vec<&'a str> {
        let before = std::mem::take(&mut self.0);
        let mut strangers = Vec::new();
        for (id, beats) in nodes {
            let known = before.get(id).filter(|_| !heard.contains(id));
            let mut due = known.map_or(beats + PATIENCE, |due| *due);
            if beats >= due {
                strangers.push(id);
                due = beats + REPEAT;
            }
            self.0.insert(id.to_owned(), due);
        }
        strangers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds at which a node with a heartbeat a second is reported, if it is heard at these seconds.
    fn reported(seconds: i64, heard: impl Fn(i64) -> bool) -> Vec<i64> {
        let mut strangers = Strangers::default();
        let mut reported = Vec::new();
        for second in 0..seconds {
            let heard = HashSet::from_iter(heard(second).then(|| "a".to_owned()));
            if !strangers.record([("a", second)], &heard).is_empty() {
                reported.push(second);
            }
        }
        reported
    }

    #[test]
    fn node_that_is_never_heard_is_reported_after_ten_heartbeats_and_each_sixty_more() {
        assert_eq!(reported(180, |_| false), [10, 70, 130]);
        assert_eq!(reported(180, |second| second % 9 == 0), [] as [i64; 0]);
        assert_eq!(reported(60, |second| second < 30), [39]);
    }

    #[test]
    fn node_that_was_heard_by_the_bus_is_no_stranger() {
        let (neighbors, id) = (Neighbors::new(Bus::in_process()), "a");
        assert!(neighbors.check([(id, 0)]).is_empty());
        neighbors.heard.lock().unwrap().insert(id.to_owned());
        assert!(neighbors.check([(id, 10)]).is_empty());
        assert_eq!(neighbors.check([(id, 20)]), [id]);
        assert!(neighbors.check([(id, 79)]).is_empty());
        assert_eq!(neighbors.check([(id, 80)]), [id]);
    }
}

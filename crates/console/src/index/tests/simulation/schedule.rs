//! Chooses random steps and checks the invariants after each of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::super::super::merge::everything;
use super::actors::{ActorContext, Gate, pass, read_back};
use super::cloud::Cloud;
use super::streams::SimulatedStreams;
use super::*;

/// Number of random steps before the fleet stops changing.
const STEPS: usize = 150;
/// Maximum number of concurrent actors.
const ACTORS: usize = 5;
const CSPS: [&str; 3] = ["North", "South", "East"];

/// One simulation.
pub(super) struct Schedule {
    seed: u64,
    /// Number of dsns and of names: the fewer, the more steps affect the same device.
    dsns: u64,
    names: u64,
    base: Base,
    context: ActorContext,
    arrivals: mpsc::UnboundedReceiver<Gate>,
    actors: Vec<Actor>,
    streams: SimulatedStreams,
    /// The rows after the previous step.
    seen: BTreeMap<String, IndexEntry>,
    /// Start of the last complete pass, unless the index was dropped since.
    filled: Option<Timestamp>,
}

struct Actor {
    task: JoinHandle<Option<Timestamp>>,
    gate: Option<Gate>,
    /// The tenure in which it began.
    tenure: u64,
}

impl Schedule {
    pub(super) fn new(base: Base, seed: u64) -> Self {
        let (gate, arrivals) = mpsc::unbounded_channel();
        let cloud = Arc::new(Mutex::new(Cloud::default()));
        let (dsns, names) = (1 + base.random.below(8), 2 + base.random.below(2));
        let memory = Arc::new(Mutex::new(PageMemory::new()));
        let context = ActorContext { base: base.clone(), cloud, memory, gate, failures: base.random.below(4) };
        let (actors, streams, seen) = (Vec::new(), SimulatedStreams::new(base.clone()), BTreeMap::new());
        Self { seed, dsns, names, base, context, arrivals, actors, streams, seen, filled: None }
    }

    pub(super) async fn run(mut self) {
        for _ in 0..self.dsns {
            self.change().await;
        }
        for _ in 0..STEPS {
            self.pass_time(SignedDuration::from_micros(1 + self.below(200_000).cast_signed())).await;
            match self.below(20) {
                0..5 => self.change().await,
                5 => self.streams.deliver().await,
                6 if self.actors.len() < ACTORS => self.begin_pass().await,
                7..10 if self.actors.len() < ACTORS => self.begin_read_back().await,
                10 if self.below(2) == 0 => self.disturb().await,
                _ => self.advance_actor().await,
            }
            self.check().await;
        }
        self.settle().await;
    }

    /// Stops changes and runs a complete pass; then the index must equal the cloud.
    async fn settle(&mut self) {
        self.context.failures = 0;
        for actor in std::mem::take(&mut self.actors) {
            actor.task.abort();
            let _ = actor.task.await;
        }
        self.pass_time(SignedDuration::from_mins(1)).await;
        self.begin_pass().await;
        while !self.actors.is_empty() {
            self.advance_actor().await;
            self.check().await;
        }
        assert!(
            self.filled.is_some() && times(&self.base.db).await.unwrap().is_some(),
            "seed {}: no complete pass",
            self.seed
        );
        let mut expected: Vec<IndexEntry> = self.context.cloud.lock().unwrap().entries().collect();
        expected.sort_by(|one, other| one.record.dsn.cmp(&other.record.dsn));
        let mut found: Vec<IndexEntry> = everything(&self.base.db).await.unwrap();
        for (found, expected) in found.iter_mut().zip(&expected) {
            // The index may know a later time of disconnection, because the device was online until then.
            let (found, expected) = (&mut found.record.state.connection_changed_at, expected.record.state);
            assert!(*found >= expected.connection_changed_at, "seed {}", self.seed);
            *found = expected.connection_changed_at;
        }
        assert_eq!(found, expected, "seed {}: the index differs from the cloud", self.seed);
    }

    fn below(&self, bound: u64) -> u64 {
        self.base.random.below(bound)
    }

    fn dsn(&self) -> String {
        format!("D{}", self.below(self.dsns))
    }

    /// Makes a random change in the cloud.
    #[expect(clippy::too_many_lines, reason = "a table")]
    async fn change(&mut self) {
        let (dsn, now, number) = (self.dsn(), self.base.clock.now(), self.below(self.names));
        let step = self.below(14);
        let event = {
            let mut cloud = self.context.cloud.lock().unwrap();
            if cloud.get(&dsn).is_none() {
                cloud.add(&dsn, now);
                return;
            }
            let value = number.cast_signed();
            let (mode, pending) = (IndexedProperty::Mode, IndexedProperty::Intensity.bit());
            match step {
                0 => {
                    cloud.remove(&dsn, now);
                    None
                }
                1 => {
                    cloud.remove(&dsn, now);
                    cloud.add(&dsn, now);
                    None
                }
                2 => {
                    cloud.register(&dsn, now);
                    None
                }
                3..6 => {
                    let csp = CSPS[usize::try_from(number).unwrap()];
                    cloud.change(&dsn, now, |record| record.csp = Some(csp.to_owned()));
                    None
                }
                // Other applications rename and move devices, too; the stream does not report it.
                6..8 => {
                    cloud.change(&dsn, now, |record| record.customer = Some(format!("Hotel {number}")));
                    None
                }
                8 => {
                    cloud.change(&dsn, now, |record| record.service_area = Some(format!("Area {number}")));
                    None
                }
                9 => {
                    cloud.change(&dsn, now, |record| record.city = Some(format!("City {number}")));
                    None
                }
                10 => {
                    cloud.change(&dsn, now, |record| record.state.mode = Some(value));
                    Some(StreamChange::Reported(mode, value))
                }
                11 => {
                    let status = if number == 0 { ConnectionStatus::Online } else { ConnectionStatus::Offline };
                    cloud.change(&dsn, now, |record| record.state.connection_status = status);
                    Some(StreamChange::Connection(status, None))
                }
                12 => {
                    cloud.change(&dsn, now, |record| {
                        record.state.intensity = Some(value);
                        record.state.pending |= pending;
                    });
                    Some(StreamChange::Commanded(IndexedProperty::Intensity, value))
                }
                _ => {
                    let mut intensity = 0;
                    cloud.change(&dsn, now, |record| {
                        record.state.pending &= !pending;
                        intensity = record.state.intensity.unwrap_or_default();
                    });
                    Some(StreamChange::Acknowledged(IndexedProperty::Intensity, intensity))
                }
            }
        };
        match (event, step) {
            // Nothing is sent for a former registration.
            (None, 0..3) => self.streams.forget(&dsn),
            (event, _) => self.streams.send(&dsn, event, now),
        }
    }

    /// Events are not delayed beyond the maximum.
    async fn pass_time(&mut self, time: SignedDuration) {
        self.streams.deliver_before(self.base.clock.now() + time - MAX_STREAM_DELAY).await;
        self.base.clock.advance(time);
    }

    /// Disturbs the console: a crash between two steps, a pause that costs the lease, or a reindex.
    async fn disturb(&mut self) {
        match self.below(8) {
            0..3 if !self.actors.is_empty() => {
                let at = self.any_actor();
                let actor = self.actors.swap_remove(at);
                actor.task.abort();
                let _ = actor.task.await;
            }
            3..6 => self.pass_time(SignedDuration::from_secs(11)).await,
            6 => self.streams.take_over(),
            7 if self.below(3) == 0 => {
                drop_index(&self.base.db).await.unwrap();
                // It revokes the lease.
                self.streams.take_over();
                self.filled = None;
                self.seen.clear();
            }
            _ => {}
        }
    }

    async fn begin_pass(&mut self) {
        let page = usize::try_from(1 + self.below(5)).unwrap();
        self.begin(tokio::spawn(pass(self.context.clone(), page))).await;
    }

    /// A write through the console that may or may not change listed values, followed by a read of the device.
    async fn begin_read_back(&mut self) {
        let (dsn, now) = (self.dsn(), self.base.clock.now());
        let csp = CSPS.get(usize::try_from(self.below(2 * self.names)).unwrap());
        if let Some(csp) = csp {
            self.context.cloud.lock().unwrap().change(&dsn, now, |record| record.csp = Some((*csp).to_owned()));
        }
        let context = self.context.clone();
        self.begin(tokio::spawn(async move {
            read_back(context, dsn).await;
            None
        }))
        .await;
    }

    async fn begin(&mut self, task: JoinHandle<Option<Timestamp>>) {
        self.actors.push(Actor { task, gate: None, tenure: self.streams.tenure });
        self.wait_for_gate_or_end(self.actors.len() - 1).await;
    }

    /// Lets one actor run to its next gate.
    async fn advance_actor(&mut self) {
        if !self.actors.is_empty() {
            let at = self.any_actor();
            let gate = self.actors[at].gate.take().unwrap();
            gate.send(()).unwrap();
            self.wait_for_gate_or_end(at).await;
        }
    }

    async fn wait_for_gate_or_end(&mut self, at: usize) {
        tokio::select! {
            biased;
            Some(gate) = self.arrivals.recv() => self.actors[at].gate = Some(gate),
            ended = &mut self.actors[at].task => {
                let tenure = self.actors.swap_remove(at).tenure;
                let began = ended.unwrap();
                self.filled = self.filled.max(began);
                self.streams.complete_pass(tenure, began);
            }
        }
    }

    fn any_actor(&self) -> usize {
        usize::try_from(self.below(self.actors.len() as u64)).unwrap()
    }

    /// Checks the invariants.
    async fn check(&mut self) {
        let seed = self.seed;
        let rows: BTreeMap<String, IndexEntry> = everything(&self.base.db)
            .await
            .unwrap()
            .into_iter()
            .map(|entry| (entry.record.dsn.clone(), entry))
            .collect();
        let times = times(&self.base.db).await.unwrap();
        let mut cloud = self.context.cloud.lock().unwrap();
        for dsn in self.seen.keys().filter(|dsn| !rows.contains_key(*dsn)) {
            assert!(
                cloud.reported_gone.remove(dsn),
                "seed {seed}: {dsn} was removed, but the cloud never reported it gone"
            );
            assert!(
                !cloud.floors.contains_key(dsn),
                "seed {seed}: {dsn} was removed, although it was read after it came back"
            );
        }
        for (dsn, IndexEntry { record, .. }) in &rows {
            let Some(floor) = cloud.floors.get(dsn).copied() else { continue };
            let fresh = cloud.get(dsn).is_none_or(|device| device.had_values(record, floor));
            assert!(fresh, "seed {seed}: {dsn} has values from before its last read: {record:?}");
        }
        if let Some(IndexTimes { as_of, states_as_of }) = times {
            for device in cloud.registered().filter(|device| device.since < as_of) {
                let dsn = &device.record.dsn;
                let Some(IndexEntry { record, .. }) = rows.get(dsn) else {
                    panic!("seed {seed}: {dsn} is missing, although it was added before {as_of}");
                };
                assert!(device.had_values(record, as_of), "seed {seed}: {dsn} is older than {as_of}: {record:?}");
                let state = record.state;
                assert!(
                    device.had_state(state, states_as_of),
                    "seed {seed}: {dsn} is older than {states_as_of}: {state:?}"
                );
            }
            let gone = rows.keys().find(|dsn| cloud.was_gone(dsn, as_of));
            assert_eq!(gone, None, "seed {seed}: it was removed before {as_of}");
        }
        for device in cloud.registered() {
            let dsn = &device.record.dsn;
            let promised = self.filled.is_some_and(|filled| device.since < filled);
            assert!(!promised || rows.contains_key(dsn), "seed {seed}: {dsn} is missing after a complete pass");
        }
        drop(cloud);
        self.seen = rows;
    }
}

//! The state of a device manager: its devices and the pending work of its task. Guarded by one lock that is never held
//! across an await.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Weak};

use tokio::sync::watch;
use tokio::time::Instant;

use crate::error::Error;
use crate::events::EventSender;
use crate::manager::core::record::KnownDevice;
use crate::manager::core::shared::Shared;
use crate::manager::polling::{self, Polling};
use crate::manager::state_machine::{Effect, Event, LIST_POLL_INTERVAL, StateMachine};
use crate::manager::{DeviceManagerEvent, DeviceManagerState as State};
use crate::model::Dsn;

mod reading;
pub(super) mod record;
pub(super) mod shared;

pub(super) use reading::{AddedDevice, ListRequest, ListResult, ReadResult, Step};

/// Number of events that a receiver may fall behind.
const QUEUE: usize = 256;

pub(super) struct Core {
    manager: Weak<Shared>,
    machine: StateMachine,
    auto_fetch: bool,
    devices: BTreeMap<Dsn, DeviceEntry>,
    /// Devices added by the application, which are read one by one if the list does not contain them.
    added_manually: BTreeSet<Dsn>,
    /// Whether values arrive by the stream.
    streaming: bool,
    /// Incremented whenever events of the stream may be missed. A read from an earlier epoch does not make up for them.
    epoch: u64,
    /// Whether devices are polled.
    polling: bool,
    /// The cause of the state `Error`.
    init_error: Option<Error>,
    /// The current sequential step: reading the list, or the first properties of a device.
    step: Option<Step>,
    /// The number of the step. Results of other steps are outdated.
    step_number: u64,
    step_started: bool,
    list_at: Option<Instant>,
    /// Devices to poll, in the order in which they became due.
    read_queue: VecDeque<Arc<KnownDevice>>,
    /// Incremented to cancel all pending requests.
    generation: u64,
    pub(super) states: watch::Sender<State>,
    pub(super) events: EventSender<DeviceManagerEvent>,
}

struct DeviceEntry {
    record: Arc<KnownDevice>,
    /// Whether its properties have not been requested yet.
    pending: bool,
    polling: Polling,
    due: Option<Instant>,
    /// Whether it is in `read_queue`.
    queued: bool,
}

impl DeviceEntry {
    /// Whether its first read has not started yet.
    fn awaits_first_read(&self) -> bool {
        self.pending && matches!(self.polling, Polling::Idle | Polling::Stopped)
    }

    /// Starts the timer of the next read.
    fn schedule(&mut self) {
        self.due = Instant::now().checked_add(self.record.state().poll_interval);
    }

    /// What the timer triggers: the next poll, or the repetition of a read that failed while values arrive by the stream.
    fn due_event(&self) -> polling::Event {
        if self.polling.is_active() { polling::Event::Due } else { polling::Event::ReadRequested }
    }
}

impl Core {
    pub(super) fn new(manager: Weak<Shared>) -> Self {
        Self {
            manager,
            machine: StateMachine::default(),
            auto_fetch: false,
            devices: BTreeMap::new(),
            added_manually: BTreeSet::new(),
            streaming: false,
            epoch: 0,
            polling: false,
            init_error: None,
            step: None,
            step_number: 0,
            step_started: false,
            list_at: None,
            read_queue: VecDeque::new(),
            generation: 0,
            states: watch::Sender::new(State::default()),
            events: EventSender::new(QUEUE),
        }
    }

    pub(super) fn records(&self) -> Vec<Arc<KnownDevice>> {
        self.devices.values().map(|entry| Arc::clone(&entry.record)).collect()
    }

    pub(super) fn record(&self, dsn: &Dsn) -> Option<Arc<KnownDevice>> {
        self.devices.get(dsn).map(|entry| Arc::clone(&entry.record))
    }

    pub(super) fn is_polling(&self, dsn: &Dsn) -> bool {
        self.devices.get(dsn).is_some_and(|entry| entry.polling.is_active())
    }

    pub(super) fn init_error(&self) -> Option<Error> {
        self.init_error.clone()
    }

    pub(super) fn start(&mut self, auto_fetch: bool) {
        if !matches!(self.machine.state, State::Uninitialized | State::Error) {
            return;
        }
        self.auto_fetch = auto_fetch;
        self.handle(Event::Start { auto_fetch });
        if !auto_fetch && !self.added_manually.is_empty() {
            self.handle(Event::DeviceAdded);
        }
    }

    pub(super) fn add(&mut self, dsn: Dsn) {
        self.added_manually.insert(dsn);
        self.handle(Event::DeviceAdded);
    }

    pub(super) fn change_source(&mut self, streaming: bool) {
        let was_streaming = std::mem::replace(&mut self.streaming, streaming);
        if streaming || was_streaming {
            self.miss_events();
        }
        for dsn in self.dsns() {
            if streaming {
                self.poll(&dsn, polling::Event::ReadRequested);
                self.poll(&dsn, polling::Event::Stop);
            } else {
                self.poll(&dsn, polling::Event::Start);
                if was_streaming {
                    // A read in progress may have begun before the stream was lost.
                    self.poll(&dsn, polling::Event::ReadRequested);
                }
            }
        }
    }

    /// Reads everything again, because events of the stream were missed.
    pub(super) fn reload(&mut self) {
        self.miss_events();
        self.handle(Event::Refresh);
    }

    fn miss_events(&mut self) {
        self.epoch += 1;
        self.devices.values().for_each(|entry| entry.record.miss_events());
    }

    /// Stops polling a device for the application.
    pub(super) fn stop_polling(&mut self, dsn: &Dsn) {
        self.poll(dsn, polling::Event::Stop);
        if !self.streaming
            && let Some(entry) = self.devices.get(dsn)
        {
            entry.record.stop_reads();
        }
    }

    pub(super) fn handle(&mut self, event: Event) {
        let pending = self.devices.values().any(|entry| entry.pending);
        let previous = self.machine.state;
        let (next, effects) = self.machine.next(event, pending);
        self.machine = next;
        effects.iter().for_each(|effect| self.perform(*effect));
        if previous != next.state {
            tracing::debug!(?previous, now = ?next.state, "the device manager changed its state");
            self.states.send_replace(next.state);
            self.events.send(&DeviceManagerEvent::State(next.state));
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::FetchList => {
                self.list_at = None;
                self.begin(Some(Step::List));
            }
            Effect::FetchProperties => {
                let first = self.devices.values().find(|entry| entry.pending).map(|entry| Arc::clone(&entry.record));
                self.begin(first.map(Step::Properties));
            }
            Effect::Poll => {
                self.polling = true;
                if !matches!(self.step, Some(Step::List)) {
                    self.list_at.get_or_insert_with(|| Instant::now() + LIST_POLL_INTERVAL);
                }
                self.dsns().iter().for_each(|dsn| self.poll(dsn, polling::Event::ManagerStarted));
            }
            Effect::Reread => {
                self.list_at = Some(Instant::now());
                self.dsns().iter().for_each(|dsn| self.poll(dsn, polling::Event::ReadRequested));
            }
            Effect::Cancel => {
                self.begin(None);
                self.polling = false;
                self.list_at = None;
                self.generation += 1;
                self.dsns().iter().for_each(|dsn| self.poll(dsn, polling::Event::Reset));
                self.read_queue.clear();
                self.miss_events();
                self.devices.values().for_each(|entry| entry.record.stop_reads());
            }
            Effect::ReleaseDevices => {
                self.added_manually.clear();
                self.init_error = None;
                let removed = self.dsns();
                removed.iter().for_each(|dsn| self.release(dsn));
                self.send_device_changes(Vec::new(), removed);
            }
            Effect::ReportInitFailure => {
                if let Some(error) = self.init_error.clone() {
                    tracing::error!(kind = ?error.kind(), status = error.status(), "the device list could not be fetched");
                    self.events.send(&DeviceManagerEvent::InitFailed(error));
                }
            }
        }
    }

    /// Replaces the current step.
    fn begin(&mut self, step: Option<Step>) {
        self.step = step;
        self.step_number += 1;
        self.step_started = false;
    }

    pub(super) fn poll(&mut self, dsn: &Dsn, event: polling::Event) {
        let Some(entry) = self.devices.get_mut(dsn) else { return };
        if entry.awaits_first_read() {
            entry.polling = entry.polling.before_first_read(event);
            return;
        }
        if event == polling::Event::ReadRequested && entry.queued {
            // The queued read starts later than this request.
            return;
        }
        let (next, effect) = entry.polling.next(event);
        entry.polling = next;
        if event == polling::Event::Reset {
            entry.queued = false;
            entry.due = None;
        }
        match effect {
            Some(polling::Effect::Read) => {
                entry.due = None;
                entry.queued = true;
                self.read_queue.push_back(Arc::clone(&entry.record));
            }
            Some(polling::Effect::Schedule) => entry.schedule(),
            Some(polling::Effect::Clear) => entry.due = None,
            None => {}
        }
    }

    /// Handles everything that is due.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.list_due_at().is_some_and(|at| at <= now) {
            self.handle(Event::ListDue);
        }
        let due = self.devices.iter().filter(|(_, entry)| entry.due.is_some_and(|at| at <= now));
        let due: Vec<_> = due.map(|(dsn, entry)| (dsn.clone(), entry.due_event())).collect();
        due.iter().for_each(|(dsn, event)| self.poll(dsn, *event));
    }

    /// The next time at which something is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.devices.values().filter_map(|entry| entry.due).chain(self.list_due_at()).min()
    }

    /// A requested list waits for the current step to finish, so that frequent requests cannot starve it.
    fn list_due_at(&self) -> Option<Instant> {
        self.list_at.filter(|_| self.machine.state == State::Ready && self.step.is_none())
    }

    fn release(&mut self, dsn: &Dsn) {
        if let Some(entry) = self.devices.remove(dsn) {
            entry.record.release();
        }
    }

    pub(super) fn dsns(&self) -> Vec<Dsn> {
        self.devices.keys().cloned().collect()
    }

    fn send_device_changes(&self, added: Vec<Dsn>, removed: Vec<Dsn>) {
        if !added.is_empty() || !removed.is_empty() {
            self.events.send(&DeviceManagerEvent::Devices { added, removed });
        }
    }
}

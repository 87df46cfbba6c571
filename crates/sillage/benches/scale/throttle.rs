//! A node that gets no more than a part of a processor, as if it ran on a small machine.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::{cpu, now};

/// How often the processor time of the node is read.
const STEP: Duration = Duration::from_millis(2);

/// Suspends a process whenever it has used more than its part, until this is dropped.
pub(crate) struct Throttle {
    /// Ends the thread when it is dropped.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Throttle {
    pub(crate) fn start(process: u32, cores: f64) -> Self {
        let (end, ended) = channel();
        let thread = thread::spawn(move || {
            let pid = Pid::from_raw(process.cast_signed()).unwrap();
            let (begin, before) = (now(), cpu::of(process));
            let mut running = true;
            while ended.recv_timeout(STEP) == Err(RecvTimeoutError::Timeout) {
                let may_run = cpu::of(process).saturating_sub(before) <= begin.elapsed().mul_f64(cores);
                if may_run != running {
                    kill_process(pid, if may_run { Signal::CONT } else { Signal::STOP }).unwrap();
                    running = may_run;
                }
            }
            kill_process(pid, Signal::CONT).unwrap();
        });
        Self { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        drop(self.end.take());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

//! Connected devices that report to one or more nodes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::node::Node;
use crate::{devices, now};

/// Values in a report.
pub(crate) const VALUES: usize = 3;
/// Reports a second of a paced fleet: those of 450,000 devices.
pub(crate) const RATE: usize = 500;

/// A process with devices for each node: each device is an open file of its process.
pub(crate) struct Reporters(Vec<Process>);

impl Reporters {
    /// Connects the first devices of the fleet, as many to each node.
    pub(crate) fn connect(nodes: &[Node], devices: usize) -> Self {
        let start = |node: usize| node * devices / nodes.len();
        let processes = nodes.iter().enumerate();
        let mut processes: Vec<Process> =
            processes.map(|(number, node)| Process::start(node, start(number), start(number + 1))).collect();
        for process in &mut processes {
            assert_eq!(process.answer(), "connected");
        }
        Self(processes)
    }

    /// Reports about [`RATE`] times a second, the devices in turn. Returns the number of reports and the time.
    pub(crate) fn report_for(&mut self, seconds: usize) -> (usize, Duration) {
        self.report(RATE * seconds, RATE)
    }

    /// Reports as often as the cloud acknowledges, at least `reports` times in all. Returns the number of reports and the time.
    pub(crate) fn report_at_full_speed(&mut self, reports: usize) -> (usize, Duration) {
        self.report(reports, 0)
    }

    fn report(&mut self, reports: usize, rate: usize) -> (usize, Duration) {
        let begin = now();
        let processes = self.0.len();
        for process in &mut self.0 {
            writeln!(process.commands, "{} {}", reports.div_ceil(processes), rate / processes).unwrap();
        }
        let done = self.0.iter_mut().map(|process| process.answer().parse::<usize>().unwrap()).sum();
        (done, begin.elapsed())
    }
}

/// This program as the devices of a node; ends when it is dropped.
struct Process {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Process {
    /// Starts to connect the devices from `first` to before `end`.
    fn start(node: &Node, first: usize, end: usize) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([devices::ARGUMENT, &node.link.to_string(), &first.to_string(), &end.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (commands, answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, commands, answers }
    }

    /// The next line of the process.
    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the devices have ended");
        line.trim_end().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

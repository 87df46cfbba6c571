//! Simulates when the devices of a large fleet report during a day, and compares that with the cost model of docs/scaling.md, which knows
//! only averages.
//!
//! ```sh
//! cargo run --release -p simulator --example fleet_load [DEVICES [SEED]]
//! ```
//!
//! Devices behave like `simulator::machine` and `drop_outs`, without commands: a report of the life counters every quarter of an hour,
//! reports when a frame of the schedule starts or stops, drop-outs, and a report of all values after each connection. At noon a node of
//! the cloud dies. Reports are counted for each second, then pass through a queue in front of a database that stores so many
//! values a second. Equal arguments give equal output.
//!
//! What is assumed: the shares of modes, of time zones and of opening times below, and clocks that are up to two seconds wrong. Nothing
//! here is measured. Retries of devices that wait longer than their patience are not simulated.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a simulation prints its results")]

use std::env;
use std::ops::Range;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

const DEVICES: u32 = 10_000_000;
const SEED: u64 = 1;
const HOUR: usize = 3_600;
const DAY: usize = 24 * HOUR;
const LIFE_REPORT_INTERVAL: usize = 900;
/// The largest error of a clock, in seconds: the cloud sets it when a device connects.
const CLOCK_ERROR: usize = 2;
/// Seconds between drop-outs of a device, and of one of 25 with bad reception; the duration of a drop-out.
const GAP: Range<usize> = 2 * HOUR..22 * HOUR;
const BAD_GAP: Range<usize> = 600..7_800;
const BAD: u32 = 25;
const OUTAGE: Range<usize> = 20..600;
/// Connected devices of a node, as in docs/scaling.md. One dies at this second; its devices are back after up to a second.
const DEVICES_PER_NODE: u32 = 91_000;
const DEATH: usize = 12 * HOUR;

/// Values in a report: life counters of a device that does not run, of one that runs, at the start and the stop of a frame, and all.
const IDLE: u32 = 1;
const RUNNING: u32 = 3;
const STARTED: u32 = 2;
const STOPPED: u32 = 4;
const ALL: u32 = 13;

/// The model's reports a day and values in each.
const MODEL: (f64, f64) = (96.0, 3.0);

/// Shares of modes of 24: off, all day; the others follow their schedule.
const MODES: u32 = 24;
const OFF: u32 = 2;
const ALL_DAY: u32 = 10;
/// Hours behind UTC with their shares.
const TIME_ZONES: [(usize, u32); 8] = [(8, 15), (7, 8), (6, 20), (5, 27), (0, 6), (23, 16), (22, 4), (15, 4)];
/// Local hours at which frames start, with their shares. Three of five start on the hour, one at half past.
const OPENING: [(usize, u32); 6] = [(6, 10), (7, 20), (8, 30), (9, 20), (10, 15), (11, 5)];
const MINUTES: [(usize, u32); 4] = [(0, 60), (30, 20), (15, 10), (45, 10)];
const OPEN_FOR: Range<usize> = 8 * HOUR..15 * HOUR;

/// What the cloud receives in each second of a day.
struct Arrivals {
    reports: Vec<u32>,
    values: Vec<u32>,
    connections: Vec<u32>,
}

/// A device of one day. Frames repeat every day, so the times are taken modulo a day.
struct Device {
    first_report: usize,
    frame: Option<Range<usize>>,
    is_always_on: bool,
    outages: Vec<Range<usize>>,
}

impl Device {
    fn random(rng: &mut Xoshiro256PlusPlus) -> Self {
        let mode = rng.random_range(0..MODES);
        let frame = (mode >= OFF + ALL_DAY).then(|| {
            let zone = pick(rng, &TIME_ZONES) * HOUR;
            let opens = pick(rng, &OPENING) * HOUR + pick(rng, &MINUTES) * 60;
            let error = rng.random_range(0..=2 * CLOCK_ERROR);
            let start = (zone + opens + DAY + error - CLOCK_ERROR) % DAY;
            // Shops close at a quarter of an hour.
            start..start + rng.random_range(OPEN_FOR) / 900 * 900
        });
        let gap = if rng.random_range(0..BAD) == 0 { BAD_GAP } else { GAP };
        let mut outages = Vec::new();
        // The fleet has run for long: the first drop-out is somewhere within its gap.
        let first_gap = rng.random_range(gap.clone());
        let mut begin = rng.random_range(0..first_gap);
        while begin < DAY {
            let end = begin + rng.random_range(OUTAGE);
            outages.push(begin..end);
            begin = end + rng.random_range(gap.clone());
        }
        let first_report = rng.random_range(0..LIFE_REPORT_INTERVAL);
        Self { first_report, frame, is_always_on: (OFF..OFF + ALL_DAY).contains(&mode), outages }
    }

    fn runs_at(&self, second: usize) -> bool {
        self.is_always_on
            || self.frame.as_ref().is_some_and(|frame| frame.contains(&second) || frame.contains(&(second + DAY)))
    }

    fn is_connected_at(&self, second: usize) -> bool {
        !self.outages.iter().any(|outage| outage.contains(&second))
    }
}

fn pick(rng: &mut Xoshiro256PlusPlus, shares: &[(usize, u32)]) -> usize {
    let mut rest = rng.random_range(0..shares.iter().map(|(_, share)| share).sum());
    for &(value, share) in shares {
        if rest < share {
            return value;
        }
        rest -= share;
    }
    unreachable!("the rest is less than the sum")
}

impl Arrivals {
    fn of_fleet(devices: u32, seed: u64) -> Self {
        let [reports, values, connections] = [(); 3].map(|()| vec![0; DAY]);
        let mut arrivals = Self { reports, values, connections };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        for number in 0..devices {
            arrivals.add(&Device::random(&mut rng), number < DEVICES_PER_NODE.min(devices / 2));
        }
        arrivals
    }

    fn add(&mut self, device: &Device, loses_its_node: bool) {
        for second in (device.first_report..DAY).step_by(LIFE_REPORT_INTERVAL) {
            if device.is_connected_at(second) {
                self.report(second, if device.runs_at(second) { RUNNING } else { IDLE });
            }
        }
        if let Some(frame) = &device.frame {
            for (second, values) in [(frame.start, STARTED), (frame.end % DAY, STOPPED)] {
                if device.is_connected_at(second) {
                    self.report(second, values);
                }
            }
        }
        for outage in device.outages.iter().filter(|outage| outage.end < DAY) {
            self.connect(outage.end);
        }
        if loses_its_node && device.is_connected_at(DEATH) {
            self.connect(DEATH + 1);
        }
    }

    fn connect(&mut self, second: usize) {
        self.connections[second] += 1;
        self.report(second, ALL);
    }

    fn report(&mut self, second: usize, values: u32) {
        self.reports[second] += 1;
        self.values[second] += values;
    }

    /// The longest time that a report waits, in seconds, if `capacity` values a second are stored; and for how long any report waits.
    fn wait(&self, capacity: f64) -> (f64, usize) {
        let (mut waiting, mut longest, mut seconds) = (0.0_f64, 0.0_f64, 0);
        for &values in &self.values {
            waiting = (waiting + f64::from(values) - capacity).max(0.0);
            longest = longest.max(waiting / capacity);
            seconds += usize::from(waiting > 0.0);
        }
        (longest, seconds)
    }
}

fn average(counts: &[u32]) -> f64 {
    counts.iter().map(|count| f64::from(*count)).sum::<f64>() / per(counts.len())
}

/// The most in any period of so many seconds that begins at a multiple of it, a second.
fn busiest(counts: &[u32], seconds: usize) -> f64 {
    counts.chunks(seconds).map(average).fold(0.0, f64::max)
}

fn per(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let devices = arguments.first().map_or(DEVICES, |text| text.parse().unwrap());
    let seed = arguments.get(1).map_or(SEED, |text| text.parse().unwrap());
    let arrivals = Arrivals::of_fleet(devices, seed);
    let model = f64::from(devices) * MODEL.0 / per(DAY);
    println!("{devices} devices for a day, seed {seed}\n");
    println!("| A second | Model | Simulated: average | Busiest hour | Busiest minute | Busiest second |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, counts, model) in [
        ("reports", &arrivals.reports, Some(model)),
        ("values", &arrivals.values, Some(model * MODEL.1)),
        ("connections", &arrivals.connections, None),
    ] {
        let model = model.map_or_else(|| "not in it".to_owned(), |model| format!("{model:.0}"));
        let [average, hour, minute, second] = [DAY, HOUR, 60, 1].map(|seconds| busiest(counts, seconds));
        println!("| {name} | {model} | {average:.0} | {hour:.0} | {minute:.0} | {second:.0} |");
    }
    println!(
        "\n| The database stores, compared with the model's values | Longest wait of a report | Reports wait for |"
    );
    println!("| --- | --- | --- |");
    for times in [1.0, 1.5, 2.0, 4.0, 8.0] {
        let (longest, seconds) = arrivals.wait(model * MODEL.1 * times);
        let share = 100.0 * per(seconds) / per(DAY);
        println!("| {times} times as many | {longest:.1} s | {share:.1} % of the day |");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_days_and_the_average_is_close_to_the_model() {
        let (first, second) = (Arrivals::of_fleet(20_000, 7), Arrivals::of_fleet(20_000, 7));
        assert_eq!((&first.reports, &first.values), (&second.reports, &second.values));
        assert_ne!(first.reports, Arrivals::of_fleet(20_000, 8).reports);
        let per_device = average(&first.reports) * per(DAY) / 20_000.0;
        assert!((95.0..105.0).contains(&per_device), "{per_device}");
        assert!(average(&first.values) / average(&first.reports) < MODEL.1);
        assert!(busiest(&first.reports, 1) > 4.0 * busiest(&first.reports, HOUR));
    }

    #[test]
    fn device_reports_by_its_schedule_and_not_during_a_drop_out() {
        let (frame, outage) = (8 * HOUR..20 * HOUR, 1_000..2_000);
        let device = Device { first_report: 0, frame: Some(frame), is_always_on: false, outages: vec![outage] };
        let [reports, values, connections] = [(); 3].map(|()| vec![0; DAY]);
        let mut arrivals = Arrivals { reports, values, connections };
        arrivals.add(&device, true);
        // 96 quarters of an hour but one, the start and the stop, and after two connections.
        assert_eq!(arrivals.reports.iter().sum::<u32>(), 95 + 2 + 2);
        assert_eq!((arrivals.reports[1_800], arrivals.values[2_000], arrivals.connections[DEATH + 1]), (0, ALL, 1));
        assert_eq!((arrivals.values[8 * HOUR], arrivals.values[9 * HOUR]), (STARTED + RUNNING, RUNNING));
        assert_eq!((arrivals.values[20 * HOUR], arrivals.values[21 * HOUR]), (STOPPED + IDLE, IDLE));
    }

    #[test]
    fn reports_wait_while_more_arrive_than_are_stored() {
        let mut values = vec![0; DAY];
        values[10] = 300;
        let arrivals = Arrivals { reports: vec![], values, connections: vec![] };
        assert_eq!(arrivals.wait(100.0), (2.0, 2));
        assert_eq!(arrivals.wait(300.0), (0.0, 0));
    }
}

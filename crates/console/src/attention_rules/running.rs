use diffuser::{Mode, Schedule};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Sums over a schedule end after this many of its changes: more than five weeks of 21 frames a day.
const MAX_CHANGES: usize = 2000;

/// When a device should run.
#[derive(Clone, Copy, Debug)]
pub(super) enum RunningPlan<'a> {
    Never,
    Always,
    Weekly(&'a Schedule, &'a TimeZone),
}

impl<'a> RunningPlan<'a> {
    /// `None` if the mode is unknown, or the schedule if the mode needs it.
    pub(super) fn of(mode: Option<Mode>, schedule: Option<&'a Schedule>, zone: &'a TimeZone) -> Option<Self> {
        Some(match mode? {
            Mode::Off | Mode::Two => Self::Never,
            Mode::AllDay => Self::Always,
            Mode::Run => Self::Weekly(schedule?, zone),
        })
    }

    /// Whether it runs at any time from now on.
    pub(super) fn ever_runs(self, now: Timestamp) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::Weekly(schedule, zone) => {
                schedule.running(now, zone).is_some() || schedule.next_change(now, zone).is_some()
            }
        }
    }

    /// The running time of a period, in hours.
    pub(super) fn hours(self, from: Timestamp, to: Timestamp) -> f64 {
        let runs = self.periods(from).take_while(|(start, _)| *start < to);
        let time = runs.fold(SignedDuration::ZERO, |sum, (start, end)| {
            sum + end.map_or(to, |end| end.min(to)).duration_since(start)
        });
        time.as_secs_f64() / 3600.0
    }

    /// When the running time since `from` reaches `time`; `None` if it is not within five weeks.
    pub(super) fn time_after(self, from: Timestamp, time: SignedDuration) -> Option<Timestamp> {
        let mut remaining = time;
        for (start, end) in self.periods(from) {
            let reached = start.checked_add(remaining).ok()?;
            match end {
                Some(end) if end < reached => remaining -= end.duration_since(start),
                _ => return Some(reached),
            }
        }
        None
    }

    /// The periods from `from` on in which it runs. The last one may have no end.
    fn periods(self, from: Timestamp) -> impl Iterator<Item = (Timestamp, Option<Timestamp>)> {
        let mut next = Some(from);
        let steps = std::iter::from_fn(move || {
            let start = next?;
            let (runs, end) = match self {
                Self::Never => (false, None),
                Self::Always => (true, None),
                Self::Weekly(schedule, zone) => {
                    (schedule.running(start, zone).is_some(), schedule.next_change(start, zone))
                }
            };
            next = end;
            Some((runs, start, end))
        });
        steps.take(MAX_CHANGES).filter_map(|(runs, start, end)| runs.then_some((start, end)))
    }
}

//! One function per kind.

use diffuser::Schedule;
use jiff::{SignedDuration, Timestamp};

use super::finding::Finding::{Absent, Present, Unknown};
use super::memory::UseOfDay;
use super::running::RunningPlan;
use super::{AttentionFacts, AttentionKind, AttentionSettings, CspFacts, Evidence, Finding, LikelyCause};
use crate::records::DeviceStatus;

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// An open item closes only when the cartridge lasts for so much longer.
const RUNS_DRY_MARGIN: SignedDuration = SignedDuration::from_hours(48);
/// An open item closes only when the level exceeds the threshold by so much.
const EMPTY_MARGIN: i64 = 5;
/// Days that are compared with the plan: few to notice a clog soon, a week to even out its days.
const NO_USE_DAYS: usize = 3;
const EXCESS_USE_DAYS: usize = 7;
/// Use of at most this share of the plan is none; an open item closes when a day has more than the second.
const NO_USE_SHARE: f64 = 0.1;
const SOME_USE_SHARE: f64 = 0.25;
/// Hours of use a week above the threshold that are not worth an item.
const EXCESS_MARGIN_HOURS: f64 = 2.0;
/// Values of a day of UTC that the cloud did not store. Fewer are accidents.
pub(crate) const MANY_FAULTS: i64 = 20;
/// Older days do not show whether the device works now.
const MAX_AGE_OF_USE: SignedDuration = SignedDuration::from_hours(48);

const NEVER: Finding = Absent { due: None };

/// Examines a device. `is_open` is whether there is an open item: it closes only when its cause is clearly gone.
pub(crate) fn examine(
    kind: AttentionKind,
    facts: &AttentionFacts,
    settings: &AttentionSettings,
    is_open: bool,
) -> Finding {
    if !settings.is_enabled(kind) {
        return NEVER;
    }
    match kind {
        AttentionKind::RunsDry => runs_dry(facts, settings, is_open),
        AttentionKind::Empty => empty(facts, settings, is_open),
        AttentionKind::Offline => offline(facts, settings, is_open),
        AttentionKind::NeverConnected => never_connected(facts, settings),
        AttentionKind::NoUse => no_use(facts, settings, is_open),
        AttentionKind::ExcessUse => excess_use(facts, settings, is_open),
        AttentionKind::UnansweredCommand => unanswered_command(facts, settings),
        AttentionKind::NoRunningTime => no_running_time(facts),
        AttentionKind::LevelNotReset => level_not_reset(facts, settings),
        AttentionKind::UnreadableValues => unreadable_values(facts),
        AttentionKind::SharedIdentity => shared_identity(facts),
        // It is about a CSP: `examine_csp`.
        AttentionKind::NoTechnician => NEVER,
    }
}

/// Examines a CSP.
pub(crate) fn examine_csp(facts: CspFacts, settings: &AttentionSettings) -> Finding {
    if !settings.is_enabled(AttentionKind::NoTechnician) || !facts.has_devices || facts.has_technician {
        return NEVER;
    }
    Present { since: facts.now, cause: LikelyCause::NobodyInvited, evidence: Evidence::default() }
}

fn runs_dry(facts: &AttentionFacts, settings: &AttentionSettings, is_open: bool) -> Finding {
    if facts.level.is_some_and(|level| level <= settings.empty_percent) {
        // The cartridge is empty, which has its own item.
        return NEVER;
    }
    let Some(runs_dry_at) = facts.runs_dry_at else {
        // Without the present level there is no forecast.
        return if facts.status == DeviceStatus::Online { NEVER } else { Unknown };
    };
    let margin = if is_open { RUNS_DRY_MARGIN } else { SignedDuration::ZERO };
    let evidence = Evidence { level: facts.level, runs_dry_at: Some(runs_dry_at), ..Evidence::default() };
    let due = runs_dry_at - DAY * days(settings.runs_dry_days) - margin;
    from(due, facts.now, facts.now, LikelyCause::PresentUse, evidence)
}

fn empty(facts: &AttentionFacts, settings: &AttentionSettings, is_open: bool) -> Finding {
    let Some(level) = facts.level else { return Unknown };
    let margin = if is_open { EMPTY_MARGIN } else { 0 };
    if level > settings.empty_percent + margin {
        return NEVER;
    }
    let evidence = Evidence { level: Some(level), ..Evidence::default() };
    Present { since: facts.emptied_at.unwrap_or(facts.now), cause: LikelyCause::NotRefilled, evidence }
}

fn offline(facts: &AttentionFacts, settings: &AttentionSettings, is_open: bool) -> Finding {
    if facts.status != DeviceStatus::Offline {
        return NEVER;
    }
    let schedule = facts.schedule();
    let Some(plan) = facts.plan(schedule.as_ref()) else { return Unknown };
    if !plan.ever_runs(facts.now) {
        return NEVER;
    }
    let Some(since) = facts.status_since else { return Unknown };
    let due = plan.time_after(since, SignedDuration::from_mins(settings.offline_minutes));
    let evidence = Evidence { offline_since: Some(since), ..Evidence::default() };
    match due {
        // Also between two frames.
        _ if is_open => Present { since, cause: LikelyCause::PowerOrNetwork, evidence },
        Some(due) => from(due, facts.now, since, LikelyCause::PowerOrNetwork, evidence),
        None => NEVER,
    }
}

fn never_connected(facts: &AttentionFacts, settings: &AttentionSettings) -> Finding {
    if facts.status != DeviceStatus::NeverConnected {
        return NEVER;
    }
    let midnight = |date: jiff::civil::Date| date.to_zoned(facts.time_zone.clone()).ok().map(|it| it.timestamp());
    let Some(installed_at) = facts.installed_at.and_then(midnight).or(facts.added_at) else { return Unknown };
    let evidence = Evidence { installed_at: Some(installed_at), ..Evidence::default() };
    let due = installed_at.saturating_add(DAY * days(settings.never_connected_days)).unwrap_or(Timestamp::MAX);
    from(due, facts.now, installed_at, LikelyCause::NotSetUp, evidence)
}

fn no_use(facts: &AttentionFacts, settings: &AttentionSettings, is_open: bool) -> Finding {
    let schedule = facts.schedule();
    let Some(plan) = facts.plan(schedule.as_ref()) else { return Unknown };
    if !plan.ever_runs(facts.now) {
        return NEVER;
    }
    if facts.status != DeviceStatus::Online {
        return Unknown;
    }
    let Some(use_of_days) = facts.last_days(if is_open { 1 } else { NO_USE_DAYS }) else { return Unknown };
    // Only while it was connected, and followed this plan, is it known to have had power.
    let plan_since = facts.memory.observation.as_ref().and_then(|observation| observation.plan_since);
    let to = end_of(use_of_days);
    let begin = [Some(use_of_days[0].start), facts.status_since, plan_since].into_iter().flatten().max();
    let begin = begin.unwrap_or(to).min(to);
    let planned = plan.hours(begin, to);
    let Some(used) = sum(use_of_days.iter().filter(|day| day.start + DAY > begin)) else { return Unknown };
    let evidence = Evidence { planned_hours: Some(planned), used_hours: Some(used), ..Evidence::default() };
    let cause = match facts.level {
        Some(level) if level <= i64::from(diffuser::LOW_PRODUCT_PERCENT) => LikelyCause::EmptyCartridge,
        _ => LikelyCause::Clogged,
    };
    let (enough, share) = if is_open { (1.0, SOME_USE_SHARE) } else { (hours(settings.no_use_hours), NO_USE_SHARE) };
    if planned < enough {
        // A day off says nothing about an open item.
        return if is_open { Unknown } else { NEVER };
    }
    if used <= planned * share { Present { since: begin, cause, evidence } } else { NEVER }
}

fn excess_use(facts: &AttentionFacts, settings: &AttentionSettings, is_open: bool) -> Finding {
    let schedule = facts.schedule();
    let Some(plan) = facts.plan(schedule.as_ref()) else { return Unknown };
    let Some(use_of_days) = facts.last_days(EXCESS_USE_DAYS) else { return Unknown };
    let (begin, to) = (use_of_days[0].start, end_of(use_of_days));
    let plan_since = facts.memory.observation.as_ref().and_then(|observation| observation.plan_since);
    if plan_since.is_some_and(|since| since > begin) {
        // The days before followed another plan.
        return if is_open { NEVER } else { Unknown };
    }
    let Some(used) = sum(use_of_days) else { return Unknown };
    let planned = plan.hours(begin, to);
    let margin = if is_open { 0.0 } else { EXCESS_MARGIN_HOURS };
    if used <= planned * hours(settings.excess_use_percent) / 100.0 + margin {
        return NEVER;
    }
    let evidence = Evidence { planned_hours: Some(planned), used_hours: Some(used), ..Evidence::default() };
    Present { since: begin, cause: LikelyCause::OtherSchedule, evidence }
}

fn unanswered_command(facts: &AttentionFacts, settings: &AttentionSettings) -> Finding {
    let Some(since) = facts.memory.command_since() else { return NEVER };
    let is_online = facts.status == DeviceStatus::Online;
    let evidence = Evidence {
        command_since: Some(since),
        offline_since: facts.status_since.filter(|_| !is_online),
        ..Evidence::default()
    };
    let cause = if is_online { LikelyCause::NotResponding } else { LikelyCause::DeviceOffline };
    from(since + SignedDuration::from_mins(settings.command_minutes), facts.now, since, cause, evidence)
}

fn no_running_time(facts: &AttentionFacts) -> Finding {
    let schedule = facts.schedule();
    let plan = match facts.plan(schedule.as_ref()) {
        None => return Unknown,
        Some(RunningPlan::Never | RunningPlan::Always) => return NEVER,
        Some(plan) => plan,
    };
    let broken_frames = schedule.iter().flat_map(|(_, broken)| broken.iter().copied()).collect::<Vec<_>>();
    let cause = if !broken_frames.is_empty() {
        LikelyCause::BrokenSchedule
    } else if !plan.ever_runs(facts.now) {
        LikelyCause::NoActiveFrame
    } else {
        return NEVER;
    };
    Present { since: facts.now, cause, evidence: Evidence { broken_frames, ..Evidence::default() } }
}

fn level_not_reset(facts: &AttentionFacts, settings: &AttentionSettings) -> Finding {
    let jump = facts.memory.jump.filter(|jump| jump.after - jump.before >= settings.level_jump_percent);
    let Some(jump) = jump else { return NEVER };
    let evidence = Evidence { level_before: Some(jump.before), level: Some(jump.after), ..Evidence::default() };
    Present { since: jump.at, cause: LikelyCause::ResetForgotten, evidence }
}

fn unreadable_values(facts: &AttentionFacts) -> Finding {
    let Some(observation) = &facts.memory.observation else { return Unknown };
    if observation.faults < MANY_FAULTS {
        return NEVER;
    }
    let evidence = Evidence { faults: Some(observation.faults), ..Evidence::default() };
    Present { since: observation.read_at, cause: LikelyCause::OtherFirmware, evidence }
}

fn shared_identity(facts: &AttentionFacts) -> Finding {
    let Some(observation) = &facts.memory.observation else { return Unknown };
    if !observation.shared_identity {
        return NEVER;
    }
    Present { since: observation.read_at, cause: LikelyCause::CopiedKey, evidence: Evidence::default() }
}

/// Present from `due` on.
fn from(due: Timestamp, now: Timestamp, since: Timestamp, cause: LikelyCause, evidence: Evidence) -> Finding {
    if now >= due { Present { since, cause, evidence } } else { Absent { due: Some(due) } }
}

impl AttentionFacts {
    fn schedule(&self) -> Option<(Schedule, Vec<u8>)> {
        self.memory.observation.as_ref()?.schedule()
    }

    fn plan<'a>(&'a self, schedule: Option<&'a (Schedule, Vec<u8>)>) -> Option<RunningPlan<'a>> {
        RunningPlan::of(self.mode, schedule.map(|(schedule, _)| schedule), &self.time_zone)
    }

    /// The last days that have ended. `None` if there are fewer, or if they ended too long ago.
    fn last_days(&self, count: usize) -> Option<&[UseOfDay]> {
        let days = &self.memory.observation.as_ref()?.use_of_days;
        let last = &days[days.len().checked_sub(count)?..];
        (self.now.duration_since(end_of(last)) <= MAX_AGE_OF_USE).then_some(last)
    }
}

/// `days` is not empty.
fn end_of(days: &[UseOfDay]) -> Timestamp {
    days.last().map_or(Timestamp::MIN, |day| day.start + DAY)
}

/// `None` if the hours of a day are unknown.
fn sum<'a>(days: impl IntoIterator<Item = &'a UseOfDay>) -> Option<f64> {
    days.into_iter().map(|day| day.hours).sum()
}

/// Settings are far below the limits of both.
fn days(setting: i64) -> i32 {
    i32::try_from(setting).unwrap_or(i32::MAX)
}

fn hours(setting: i64) -> f64 {
    f64::from(days(setting))
}

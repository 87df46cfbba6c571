//! Some kinds look at whole days of UTC: what they find changes when a day ends, and the device has been read after it.

use jiff::{SignedDuration, Timestamp};

use super::memory::UseOfDay;
use super::rules::examine;
use super::{AttentionFacts, AttentionKind, AttentionSettings, Finding};
use crate::records::DeviceStatus;

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// The end of the UTC day of the last read, if it may open or close an item of this kind. Once the day has ended, the device has to be
/// read again. Until then, the device is assumed to run for the rest of the day.
pub(crate) fn day_end(
    kind: AttentionKind,
    facts: &AttentionFacts,
    settings: &AttentionSettings,
    is_open: bool,
) -> Option<Timestamp> {
    // An offline device reports no use for the day.
    if !matches!(kind, AttentionKind::NoUse | AttentionKind::ExcessUse)
        || !settings.is_enabled(kind)
        || facts.status != DeviceStatus::Online
    {
        return None;
    }
    let observation = facts.memory.observation.as_ref()?;
    let start = observation.read_at.as_second().div_euclid(SECONDS_PER_DAY) * SECONDS_PER_DAY;
    let (start, end) = (Timestamp::from_second(start).ok()?, Timestamp::from_second(start + SECONDS_PER_DAY).ok()?);
    if is_open {
        return Some(end);
    }
    let since_read = facts.streamed_life.zip(observation.life_hours).map_or(0.0, |(now, read)| (now - read).max(0.0));
    let most_to_come = match kind {
        AttentionKind::ExcessUse => end.duration_since(facts.now).max(SignedDuration::ZERO).as_secs_f64() / 3600.0,
        _ => 0.0,
    };
    let hours = Some(observation.use_today? + since_read + most_to_come);
    let mut then = AttentionFacts { now: end.max(facts.now), ..facts.clone() };
    then.memory.observation.as_mut()?.use_of_days.push(UseOfDay { start, hours });
    matches!(examine(kind, &then, settings, false), Finding::Present { .. }).then_some(end)
}

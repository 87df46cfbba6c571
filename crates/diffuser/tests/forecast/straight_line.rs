//! The method to compare with: the straight line through the levels of the last 14 days.

use jiff::{SignedDuration, Timestamp};

use crate::fleet::{Device, Night};

const DAYS: usize = 14;
const MIN_POINTS: usize = 4;
/// 90 percent of Student's t distribution with 2 to 13 degrees of freedom.
const T_90: [f64; 12] = [1.886, 1.638, 1.533, 1.476, 1.440, 1.415, 1.397, 1.383, 1.372, 1.363, 1.356, 1.350];

pub(crate) struct Line {
    pub(crate) median: Timestamp,
    pub(crate) earliest: Timestamp,
    pub(crate) latest: Timestamp,
}

/// The least-squares line through the running hours of the present cartridge at the last 15 midnights, and where it reaches the
/// hours of an empty one. The interval is the usual 80 percent prediction interval from its residuals, at that date, divided by
/// the slope. `None` if there are fewer than four points, or the line does not rise.
pub(crate) fn extrapolate(device: &Device, night: usize, capacity_hours: f64) -> Option<Line> {
    let now = &device.nights[night];
    let since = |it: &Night| it.at >= now.refilled_at && it.cartridge_life_hours <= now.cartridge_life_hours;
    let points: Vec<(f64, f64)> = device.nights[night.saturating_sub(DAYS)..=night]
        .iter()
        .filter(|it| since(it))
        .map(|it| (it.at.duration_since(now.at).as_secs_f64(), it.cartridge_life_hours))
        .collect();
    if points.len() < MIN_POINTS {
        return None;
    }
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|it| it.0), mean(|it| it.1));
    let sxx: f64 = points.iter().map(|it| (it.0 - x).powi(2)).sum();
    let slope = points.iter().map(|it| (it.0 - x) * (it.1 - y)).sum::<f64>() / sxx;
    if slope <= 0.0 {
        return None;
    }
    let residuals: f64 = points.iter().map(|it| (it.1 - y - slope * (it.0 - x)).powi(2)).sum();
    let deviation = (residuals / (count - 2.0)).sqrt();
    let date = x + (capacity_hours - y) / slope;
    let error =
        T_90[points.len() - MIN_POINTS] * deviation * (1.0 + 1.0 / count + (date - x).powi(2) / sxx).sqrt() / slope;
    let at = |seconds: f64| now.at + SignedDuration::from_secs(seconds as i64);
    Some(Line { median: at(date), earliest: at(date - error), latest: at(date + error) })
}
